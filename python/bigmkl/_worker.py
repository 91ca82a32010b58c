"""Workers: processes of the command that run one call after the other.

The start of a process takes longer than a small training. A Python process therefore keeps the
command running as ``bigmkl worker`` and sends it the arguments of each call. Data and models pass
through files, as they do for a process of its own. A worker serves one call at a time, so that each
thread in a call has a worker of its own. A child of fork starts new workers.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import struct
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

from ._errors import BigMKLError
from ._process import PATIENCE, defer_interrupts, stop

# Calls whose files have more bytes together go to a process of their own: its start counts for
# nothing there, and its memory is free once it ends.
MOST_BYTES = 4 << 20

# The number of workers that wait for a call. Further ones end after theirs.
MOST_IDLE = 4

# The largest length of a frame, above that of any answer of the command.
MOST_OF_FRAME = 1 << 30


class Worker:
    """A process of the command that takes calls.

    Parameters
    ----------
    key : tuple
        The path of the command, the state of its file, and the environment of Python.
    """

    def __init__(self, key: tuple):
        self.key = key
        # A crash leaves its reason there. A pipe would have to be read all the time.
        self._stderr = tempfile.TemporaryFile()
        self._process = None
        restore = defer_interrupts()
        try:
            # Ctrl-C reaches all processes of a terminal's session, and is Python's to handle.
            self._process = subprocess.Popen(
                [key[0], "worker"], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self._stderr, cwd=tempfile.gettempdir(), start_new_session=True)
            _started.add(self)
            restore()
            self.serves = self._read("ready") is not None
        except BaseException:
            restore()
            self.end()
            raise

    def call(self, folder: Path, arguments: Sequence[str]) -> tuple[int, str, str] | None:
        """Run the command in a folder.

        Returns
        -------
        (int, str, str) or None
            The exit code, standard output and standard error; None if the worker had ended before.

        Raises
        ------
        BigMKLError
            If the worker ends within the call and has no exit code.
        """
        text = json.dumps({"folder": str(folder), "arguments": list(arguments)}).encode()
        try:
            self._write(struct.pack(">I", len(text)) + text)
            if self._read("taken") is None:
                return None
            answer = self._read("ended")
        except OSError:
            return None
        if answer is not None:
            return answer["code"], answer.get("stdout", ""), answer.get("stderr", "")
        self.close()  # Another program, with other answers, ends by that as well.
        code = self._process.wait()
        if code == 0:
            raise BigMKLError("the worker ended without an answer")
        self._stderr.seek(0)
        return code, "", self._stderr.read().decode(errors="replace")

    def alive(self) -> bool:
        """Report whether the process still runs."""
        return self._process.poll() is None

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self.close()
            stop(self._process)
        self._stderr.close()

    def leave(self) -> None:
        """Let a process end that waits for a call."""
        self.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            stop(self._process)
        self._stderr.close()

    def close(self) -> None:
        """Close the pipes of this Python process."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()

    def forget(self) -> None:
        """Give up the process to the parent that has forked this one."""
        self.close()
        self._process.returncode = 0  # It is no child of this process, which cannot wait for it.

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._process.stdin.write(data):]

    def _read(self, state: str) -> dict | None:
        """Read a frame that has to be of this state; None if there is none, or if it is another."""
        head = self._read_bytes(4)
        if head is None:
            return None
        length, = struct.unpack(">I", head)
        text = self._read_bytes(length) if length <= MOST_OF_FRAME else None
        try:
            frame = json.loads(text or "null")
            return frame if frame["command"] == "worker" and frame["state"] == state else None
        except (ValueError, KeyError, TypeError):
            return None

    def _read_bytes(self, count: int) -> bytes | None:
        parts = []
        while count:
            part = self._process.stdout.read(min(count, 1 << 20))
            if not part:
                return None
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


class Pool:
    """The workers of this Python process."""

    def __init__(self):
        self._lock = threading.Lock()
        self._idle, self._without = [], set()

    def call(self, program: tuple, folder: Path,
             arguments: Sequence[str]) -> tuple[int, str, str] | None:
        """Run the command in a worker; see Worker.call.

        Parameters
        ----------
        program : tuple
            The path of the command, and when and how its file was changed.
        folder : Path
        arguments : sequence of str

        Returns
        -------
        (int, str, str) or None
            None if this command has no workers.
        """
        # A process takes its environment from the time of its start.
        key = (*program, dict(os.environ))
        while program not in self._without:
            worker = self._take(key)
            fresh = worker is None
            if fresh:
                worker = Worker(key)
                if not worker.serves:
                    worker.end()
                    self._without.add(program)
                    return None
            try:
                answer = worker.call(folder, arguments)
            except BaseException:
                # KeyboardInterrupt among others: the command must not go on, nor write into a
                # folder that is being removed.
                worker.end()
                raise
            if answer is None:  # It has ended while it waited.
                worker.end()
                if fresh:
                    raise BigMKLError("the worker ended before it took the call")
                continue
            self._give(worker)
            return answer
        return None

    def close(self) -> None:
        """Let all workers end that wait for a call."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.leave()

    def _take(self, key: tuple) -> Worker | None:
        """Return a worker that waits for a call, and let those end that were started otherwise."""
        with self._lock:
            others = [w for w in self._idle if w.key != key or not w.alive()]
            self._idle = [w for w in self._idle if w not in others]
            found = self._idle.pop() if self._idle else None
        for worker in others:
            worker.leave()
        return found

    def _give(self, worker: Worker) -> None:
        with self._lock:
            room = len(self._idle) < MOST_IDLE
            if room:
                self._idle.append(worker)
        if not room:
            worker.leave()


def is_small(folder: Path) -> bool:
    """Report whether a call on the files of a folder goes to a worker."""
    with os.scandir(folder) as files:
        return sum(file.stat().st_size for file in files) <= MOST_BYTES


_started: weakref.WeakSet = weakref.WeakSet()
pool = Pool()


def _forget_parent() -> None:
    """Close the pipes that a child of fork has of its parent's workers, which end with the pipes."""
    global pool
    for worker in list(_started):
        worker.forget()
    _started.clear()
    pool = Pool()


atexit.register(lambda: pool.close())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)
