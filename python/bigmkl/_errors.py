"""Errors and warnings of the package."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from ._terms import in_python

# The exit codes of the command that mean a fault of what it was given: wrong options, and data that
# cannot be used. README.md lists all of them.
USAGE, INPUT = 2, 3


class BigMKLError(Exception):
    """The command could not be run, or it ended with an error.

    Attributes
    ----------
    message : str
        What is wrong: the words of the command, with the parameters in place of its flags.
    hint : str
        What can be done about it, or "" if nothing is known.
    exit_code : int or None
        Exit code of the command, or None if it did not end by itself.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int | None = None):
        # All arguments are those of the base class, so that errors of worker processes can be
        # pickled.
        super().__init__(message, hint, exit_code)
        self.message, self.hint, self.exit_code = message, hint, exit_code

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class BigMKLInputError(BigMKLError, ValueError):
    """Data or parameters that cannot be used; it is a ValueError, as scikit-learn expects."""


class BigMKLWarning(UserWarning):
    """A warning of the command, such as one of features that are not scaled."""


# How the command begins an error, and a warning.
ERROR, WARNING = "bigmkl: ", "bigmkl: warning: "


def warn_of(stderr: str) -> None:
    """Pass the warnings that the command has printed on as BigMKLWarning, at the line of the user's program."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and Path(frame.f_code.co_filename).parent == Path(__file__).parent:
        level, frame = level + 1, frame.f_back
    for line in stderr.splitlines():
        if line.startswith(WARNING):
            warnings.warn(in_python(line[len(WARNING):]), BigMKLWarning, stacklevel=level)


def error_of(stderr: str, exit_code: int) -> BigMKLError:
    """Return the error that the command has printed.

    Parameters
    ----------
    stderr : str
        What the command wrote to standard error.
    exit_code : int
        Its exit code.
    """
    lines = [line[len(ERROR):] for line in stderr.splitlines()
             if line.startswith(ERROR) and not line.startswith(WARNING)]
    if not lines:
        # A crash has a first line that names it, and a trace. Its exit code may be that of wrong usage.
        first = stderr.strip().split("\n", 1)[0]
        return BigMKLError(first or "the command gave no reason", "", exit_code)
    lines = [in_python(line) for line in lines]
    message, hint = split_hint(lines[0]) if len(lines) == 1 else ("\n".join(lines), "")
    kind = BigMKLInputError if exit_code in (USAGE, INPUT) else BigMKLError
    return kind(message, hint, exit_code)


def split_hint(text: str) -> tuple[str, str]:
    """Split "message (hint)" at the bracket that belongs to the last one."""
    if not text.endswith(")"):
        return text, ""
    depth = 0
    for at in range(len(text) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            if text[at - 1] == " ":
                return text[:at - 1], text[at + 1:-1]
            break
    return text, ""
