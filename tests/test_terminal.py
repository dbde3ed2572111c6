"""What all commands share, as processes show it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

LOST = """
import ctypes, signal, sys, time
from solver.terminal import Main, ended_by_signals
import click

@click.command(cls=Main, invoke_without_command=True)
def main():
    called = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal({number}))
    with ended_by_signals():
        called()
        time.sleep(20)
        print("never interrupted")

main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="raises signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_falls_into_a_callback_of_native_code_is_not_lost(number: int, code: int) -> None:
    words = [sys.executable, "-c", LOST.format(number=int(number))]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, check=False, cwd=Path(__file__).parent.parent
    )
    assert (done.returncode, done.stdout) == (code, "") and "Traceback" not in done.stderr
