"""The command ``dampen``."""

__all__ = ["main"]


def main() -> None:
    """Run the command; what dampen refuses is one line on standard error, never a traceback."""
    import sys

    from dampen.cli.app import app
    from dampen.errors import DampenError

    try:
        app()
    except DampenError as error:
        print(f"dampen: {error}", file=sys.stderr)
        sys.exit(1)
