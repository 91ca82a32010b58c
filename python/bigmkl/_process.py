"""Starts and ends processes so that an interrupt loses none of them."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable

# The seconds that a command has to end after SIGTERM. A training needs up to ten for its state.
PATIENCE = 15


def defer_interrupts() -> Callable[[], None]:
    """Let SIGINT wait while a process starts, as nobody could end it before it is known.

    Returns
    -------
    function
        It restores the handler of SIGINT and hands on a signal that has come, which raises
        KeyboardInterrupt. Further calls of it do nothing.
    """
    # Signals reach the main thread alone, and no other may set handlers. A handler that is no
    # function is not one of Python, or ignores the signal.
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        return lambda: None
    came, restored = [], []

    def restore() -> None:
        if not restored:
            restored.append(True)
            signal.signal(signal.SIGINT, handler)
            if came:
                handler(*came[0])

    signal.signal(signal.SIGINT, lambda *arguments: came.append(arguments))
    return restore


def stop(process: subprocess.Popen) -> None:
    """Ask a process to end by SIGTERM, wait, and end it if it does not."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except BaseException:
        process.kill()
        process.wait()
