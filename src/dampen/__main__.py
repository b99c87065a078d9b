"""``python -m dampen``: the command, where its script is not on the path."""

from dampen.cli import main

if __name__ == "__main__":
    main()
