"""Runs the command bigmkl on files of a private folder.

A call goes to a worker if its data are small, and else to a process of its own. Neither holds state
between calls, so that estimators may be used in threads, in forked processes and in those of joblib,
and a crash, a signal or a memory limit of the command leaves Python alone.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import _worker
from ._errors import BigMKLError, error_of, warn_of
from ._process import defer_interrupts, stop

# The version of docs/JSON.md that this package reads. Keys may be added within a version.
CONTRACT = 1

# A problem of two rows, which the command solves in a few milliseconds.
PROBE = b"1 1:1\n-1 1:-1\n"


def find_binary() -> str:
    """Return the path of the command, and make sure that it speaks this version of the contract.

    Raises
    ------
    BigMKLError
        If there is none, or if it is another program or of another version of the contract.
    """
    path = locate()
    state = os.stat(path)
    _check_contract(path, state.st_mtime_ns, state.st_size)
    return path


def locate() -> str:
    """Return the path of the command.

    The variable BIGMKL names it; otherwise it is the one inside of the package, which a wheel has,
    or else the first one on PATH.

    Raises
    ------
    BigMKLError
        If there is none.
    """
    name = "bigmkl.exe" if os.name == "nt" else "bigmkl"
    inside = Path(__file__).parent / "bin" / name
    path = os.environ.get("BIGMKL")
    if path and (not os.access(path, os.X_OK) or os.path.isdir(path)):
        raise BigMKLError(f"the variable BIGMKL names {path}, which cannot be run")
    if path and not is_script(path):
        return os.path.abspath(path)
    if inside.exists():
        return str(inside)
    for folder in os.get_exec_path():
        path = shutil.which("bigmkl", path=folder)
        if path is not None and not is_script(path):
            return os.path.abspath(path)
    raise BigMKLError("there is no command bigmkl", "set the variable BIGMKL to its path, or put it into a folder of PATH")


def is_script(path: str) -> bool:
    """Report whether a file is the script that pip makes of this package: it would run itself."""
    try:
        with open(path, "rb") as file:
            start = file.read(4096)
            # On Windows a small program runs a script that follows it.
            file.seek(max(0, os.path.getsize(path) - 4096))
            return any(b"bigmkl.__main__" in part for part in (start, file.read()))
    except OSError:  # A command may be one to run and not to read.
        return False


@functools.lru_cache(maxsize=16)
def _check_contract(path: str, changed: int, size: int) -> None:
    """Run the command once on a small problem and look at the contract of its answer.

    It is found out before a training, which may be long. The time and the size of the file are
    arguments so that a command which was replaced is asked again.
    """
    try:
        done = subprocess.run([path, "align", "--json", "--quiet", "--kernels", "linear", "-"],
                              input=PROBE, capture_output=True, timeout=60, check=False)
        read_object(done.stdout.decode(errors="replace"), path)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BigMKLError(f"{path} cannot be run as bigmkl: {error}") from error


def read_object(text: str, path: str) -> dict:
    """Parse what --json prints, and reject another version of the contract."""
    try:
        value = json.loads(text)
        contract = value["contract"]
    except (ValueError, KeyError, TypeError) as error:
        raise BigMKLError(f"{path} is not bigmkl, or too old: it printed no object with a contract",
                          "set the variable BIGMKL to the path of another") from error
    if contract != CONTRACT:
        raise BigMKLError(
            f"{path} has version {contract} of the contract of --json, this package reads "
            f"version {CONTRACT}", "install a package and a command that belong together")
    return value


@contextlib.contextmanager
def private_folder(scratch: str | None = None) -> Iterator[Path]:
    """Make a folder that nobody else may enter, and remove it whatever happens.

    Parameters
    ----------
    scratch : str, optional
        The folder in which it is made. By default it is the system's temporary folder.
    """
    path = tempfile.mkdtemp(prefix="bigmkl-py-", dir=scratch)  # Its mode is 0700.
    try:
        yield Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def run(folder: Path, arguments: Sequence[str], verbose: bool = False,
        fine: Sequence[int] = (0,)) -> str:
    """Run the command in a folder, pass its warnings on, and return its standard output.

    Parameters
    ----------
    folder : Path
        The folder in which it runs, and which the names of files refer to.
    arguments : sequence of str
        Its arguments.
    verbose : bool
        Whether standard error, which has the progress, is shown while the command runs.
    fine : sequence of int
        The exit codes that are no errors.

    Raises
    ------
    BigMKLError
        If it ends with another exit code.
    """
    binary, done = find_binary(), None
    # A worker keeps messages until the end of a call.
    if not verbose and _worker.is_small(folder):
        state = os.stat(binary)
        done = _worker.pool.call((binary, state.st_mtime_ns, state.st_size), folder, arguments)
    code, text, messages = done or _run_process(binary, folder, arguments, verbose)
    # A training that is stopped before it has a model prints nothing, whatever its exit code.
    if code not in fine or code != 0 and not text:
        raise error_of(messages, code)
    warn_of(messages)
    return text


def _run_process(binary: str, folder: Path, arguments: Sequence[str],
                 verbose: bool) -> tuple[int, str, str]:
    """Run the command as a process of its own; see run.

    Returns
    -------
    (int, str, str)
        The exit code, standard output and standard error.
    """
    output, lines, process = folder / "stdout", [], None
    with open(output, "wb") as out:
        restore = defer_interrupts()
        try:
            process = subprocess.Popen([binary, *arguments], cwd=folder, stdout=out,
                                       stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            restore()
            for raw in process.stderr:
                line = raw.decode(errors="replace")
                lines.append(line)
                if verbose:
                    print(line, end="", file=sys.stderr, flush=True)
            code = process.wait()
        except BaseException:
            # KeyboardInterrupt among others: the command must not go on alone, nor write into a
            # folder that is being removed.
            restore()
            if process is not None:
                stop(process)
            raise
        finally:
            if process is not None:
                process.stderr.close()
    return code, output.read_text(encoding="utf-8"), "".join(lines)


def run_json(folder: Path, arguments: Sequence[str], verbose: bool = False,
             fine: Sequence[int] = (0,)) -> dict:
    """Run the command with --json and return its object. The parameters are those of run."""
    return read_object(run(folder, [*arguments, "--json"], verbose, fine), find_binary())


def write_atomically(path: str | os.PathLike, content: bytes) -> None:
    """Write a file so that its name has either the old content or all of the new one."""
    path = os.path.abspath(os.fspath(path))
    part = f"{path}.{os.getpid()}-{threading.get_ident()}.part"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
