"""Run the command line with ``python -m solver``."""

from solver.cli import main

if __name__ == "__main__":
    main(prog_name="capsa")
