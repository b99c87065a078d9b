"""The command ``dampen``."""

__all__ = ["main"]


def main() -> None:
    """Run the command; what dampen refuses, and a signal, is one line on standard error, never a traceback."""
    import sys

    try:
        from dampen.cli import interrupts

        interrupts.leave_at_once()
        from dampen.cli.app import app
        from dampen.errors import DampenError

        try:
            with interrupts.unwound():
                app()
        except DampenError as error:
            print(f"dampen: {error}", file=sys.stderr)
            sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
