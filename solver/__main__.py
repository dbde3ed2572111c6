"""The process of the command line, ``capsa`` or ``python -m solver``: how Python starts and ends it quickly."""

import atexit
import gc
import sys


def run() -> None:
    """Run the command line as a program that ends with it."""
    # Numba, imported and called once, makes 180,000 objects that stay: looking for garbage among them finds none, nor
    # when Python ends, which takes all of them down with the process.
    gc.set_threshold(250_000)
    atexit.register(gc.freeze)
    # Numba imports SciPy, where that is installed, for linear algebra that no kernel here does.
    sys.modules.setdefault("scipy", None)  # type: ignore[arg-type]

    try:
        from solver.cli import main
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    main(prog_name="capsa")


if __name__ == "__main__":
    run()
