"""Workers: which calls they take, how they end, and what becomes of a call whose worker ends."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from unittest import mock

import numpy as np

from bigmkl import BigMKLClassifier, BigMKLError, _command, _worker

from .helpers import ROOT, Case

# A training that has no end of its own, as its gap is beyond reach.
ENDLESS = dict(kernels="gauss:auto/40", gap=1e-14, C=100)


def workers(parent):
    """Return the workers of a process by /proc, and None where there is none."""
    if not os.path.isdir("/proc/self/task"):
        return None
    found = []
    for child in subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], text=True,
                                capture_output=True, check=False).stdout.split():
        try:
            with open(f"/proc/{child}/cmdline", "rb") as line:
                if line.read().endswith(b"\0worker\0"):
                    found.append(int(child))
        except OSError:
            pass
    return found


def until(true, seconds=60):
    """Wait until a condition holds, and return its value."""
    end = time.monotonic() + seconds
    while not (value := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return value


def gone(pid):
    """Report whether a process has ended, also if nobody has waited for it."""
    try:
        with open(f"/proc/{pid}/stat") as state:
            return state.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


class Workers(Case):

    def setUp(self):
        super().setUp()
        if workers(os.getpid()) is None:
            self.skipTest("there is no /proc")
        _worker.pool.close()

    def one(self):
        """Return the process of the only worker."""
        found = workers(os.getpid())
        self.assertEqual(len(found), 1)
        return found[0]

    def endless(self):
        """Return rows of a training without an end: 60 kB, and classes that nothing tells apart."""
        X = self.random.normal(size=(1500, 5))
        return X, self.random.random(1500) > 0.5

    def script(self, text, **options):
        """Start a Python process with a script."""
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", textwrap.dedent(text)], text=True,
            stdout=subprocess.PIPE, start_new_session=True, **options,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")})

    def test_one_for_all_calls(self):
        X, y = self.two_classes(40)
        with mock.patch.object(_command, "_run_process", side_effect=AssertionError):
            model = BigMKLClassifier().fit(X, y)
            first = self.one()
            model.verify(X, y)
            model.predict(X)
            with self.assertRaises(ValueError):
                BigMKLClassifier(kernels="gausss:1").fit(X, y)
            self.assertEqual(self.one(), first)

    def test_calls_of_their_own(self):
        X, y = self.two_classes(40)
        want = BigMKLClassifier().fit(X, y)
        with mock.patch.object(_worker.pool, "call", side_effect=AssertionError), \
                mock.patch.object(_worker, "MOST_BYTES", 1000):
            large = BigMKLClassifier().fit(X, y)
        with mock.patch.object(_command, "_run_process", wraps=_command._run_process) as run:
            shown = BigMKLClassifier(verbose=True).fit(X, y)
            np.testing.assert_array_equal(shown.predict(X), want.predict(X))
            self.assertEqual([c.args[2][0] for c in run.call_args_list], ["train", "predict"])
        for model in (large, shown):
            model.verify(X, y)
            self.assertEqual(model.model_bytes_, want.model_bytes_)

    def test_command_without_workers(self):
        program = self.folder / "bigmkl"
        program.write_text(f'#!/bin/sh\n[ "$1" = worker ] && exit 2\nexec "{_command.find_binary()}" "$@"\n')
        program.chmod(0o755)
        X, y = self.two_classes(40)
        want = BigMKLClassifier().fit(X, y).model_bytes_
        with mock.patch.dict(os.environ, {"BIGMKL": str(program)}):
            model = BigMKLClassifier().fit(X, y)
            model.verify(X, y)
            self.assertEqual(model.model_bytes_, want)
            self.assertEqual(workers(os.getpid()), [])

    def test_answers_that_are_none(self):
        """A program that says that it is a worker and then says something else does not hold up Python."""
        X, y = self.two_classes(20)
        real = _command.find_binary()

        def frame(state):
            text = f'{{"contract":1,"command":"worker","state":"{state}"}}'
            return f"printf '\\000\\000\\000\\{len(text):03o}{text}'; "
        for number, answer in enumerate((r"printf '\000\000\000\002{}'; ", "printf x; exit 0; ",
                                         frame("taken") + r"printf '\377\377\377\377'; ", frame("taken"))):
            program = self.folder / f"bigmkl{number}"
            program.write_text(f'#!/bin/sh\n[ "$1" != worker ] && exec "{real}" "$@"\n'
                               + frame("ready") + "head -c 1 >/dev/null; " + answer
                               + ("exit 0\n" if answer == frame("taken") else "exec cat >/dev/null\n"))
            program.chmod(0o755)
            with mock.patch.dict(os.environ, {"BIGMKL": str(program)}), \
                    self.assertRaisesRegex(BigMKLError, "the worker ended") as caught:
                BigMKLClassifier().fit(X, y)
            self.assertIsNone(caught.exception.exit_code)

    def test_killed_between_calls(self):
        X, y = self.two_classes(40)
        model = BigMKLClassifier().fit(X, y)
        for number in (signal.SIGKILL, signal.SIGTERM):
            before = self.one()
            os.kill(before, number)
            self.assertTrue(until(lambda: gone(before)))
            model.predict(X)
            self.assertNotEqual(self.one(), before)
        # It is dead by the time at which it has been sent a call.
        before, write = self.one(), _worker.Worker._write

        def write_to_the_dead(worker, data):
            os.kill(before, signal.SIGSTOP)
            write(worker, data)
            os.kill(before, signal.SIGKILL)
            patch.stop()
        patch = mock.patch.object(_worker.Worker, "_write", write_to_the_dead)
        patch.start()
        np.testing.assert_array_equal(model.predict(X), model.predict(X))
        self.assertNotEqual(self.one(), before)
        model.verify(X, y)

    def test_killed_within_a_call(self):
        X, y = self.endless()
        small, classes = self.two_classes(40)
        for number, code in [(signal.SIGKILL, -9), (signal.SIGTERM, 130), (signal.SIGABRT, 2)]:
            _worker.pool.close()
            BigMKLClassifier().fit(small, classes).verify(small, classes)
            busy = self.one()
            killer = threading.Thread(target=self.kill_training, args=(busy, number))
            killer.start()
            # A training that gets SIGTERM writes the model that it then has.
            with self.assertRaises((BigMKLError, Warning)) as caught:
                BigMKLClassifier(**ENDLESS).fit(X, y)
            if isinstance(caught.exception, BigMKLError):
                self.assertEqual(caught.exception.exit_code, code)
                self.assertNotIsInstance(caught.exception, ValueError)
            if number == signal.SIGABRT:
                self.assertIn("SIGABRT", caught.exception.message)
            killer.join()
            self.assertTrue(until(lambda: gone(busy)))
            BigMKLClassifier().fit(small, classes).verify(small, classes)

    def kill_training(self, worker, number):
        """Send a signal to a worker that is in a call."""
        until(lambda: "bigmkl-py-" in os.path.realpath(f"/proc/{worker}/cwd"))
        os.kill(worker, number)

    def test_threads(self):
        X, y = self.two_classes(60)
        want = BigMKLClassifier().fit(X, y)
        want.verify(X, y)
        models = [BigMKLClassifier() for _ in range(8)]
        threads = [threading.Thread(target=m.fit, args=(X, y)) for m in models]
        [t.start() for t in threads]
        [t.join() for t in threads]
        for m in models:
            self.assertEqual(m.model_bytes_, want.model_bytes_)
        self.assertLessEqual(len(workers(os.getpid())), _worker.MOST_IDLE)

    def test_environment(self):
        X, y = self.two_classes(40)
        model = BigMKLClassifier().fit(X, y)
        model.verify(X, y)
        before = self.one()
        with mock.patch.dict(os.environ, {"BIGMKL_SIMD": "go"}):
            model.predict(X)
            self.assertNotEqual(self.one(), before)

    def test_forks(self):
        X, y = self.two_classes(60)
        want = BigMKLClassifier().fit(X, y)
        want.verify(X, y)
        before = self.one()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                same = BigMKLClassifier().fit(X, y).model_bytes_ == want.model_bytes_
                code = 0 if same and before not in workers(os.getpid()) else 2
            finally:
                os._exit(code)
        self.assertEqual(BigMKLClassifier().fit(X, y).model_bytes_, want.model_bytes_)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(self.one(), before)

    def test_fork_within_a_call(self):
        """A child that is forked while a thread is in a call leaves the call alone."""
        X, y = self.endless()
        small, classes = self.two_classes(60)
        BigMKLClassifier().fit(small, classes).verify(small, classes)
        busy = self.one()
        model = BigMKLClassifier(**{**ENDLESS, "max_iter": 60})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            thread = threading.Thread(target=model.fit, args=(X, y))
            thread.start()
            self.assertTrue(until(lambda: "bigmkl-py-" in os.path.realpath(f"/proc/{busy}/cwd")))
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    code = 0 if BigMKLClassifier().fit(small, classes).score(small, classes) > 0.5 else 2
                finally:
                    os._exit(code)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            thread.join()
        model.verify(X, y)

    def test_end_of_python(self):
        """A worker ends with its Python process, also if a child that was forked goes on."""
        start = """
            import os, sys, time
            import numpy as np
            from bigmkl import BigMKLClassifier
            X = np.random.default_rng(0).normal(size=(40, 3))
            BigMKLClassifier().fit(X, X[:, 0] > 0)
            """
        for end in ("pass", "os._exit(0)", "os.kill(os.getpid(), 9)",
                    "os.fork() or time.sleep(60); os._exit(0)"):
            read, write = os.pipe()
            done = self.script(start + f"""
            found = os.popen(f'ps -o pid=,args= --ppid {{os.getpid()}}').read()
            worker = next(w.split()[0] for w in found.splitlines() if w.endswith(' worker'))
            os.write({write}, worker.encode())
            {end}
            """, pass_fds=[write])
            os.close(write)
            pid = int(os.read(read, 20))
            self.assertTrue(until(lambda: gone(pid), 20), end)
            os.close(read)
            self.kill(done)

    def kill(self, process):
        """End a process and those of its session."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.stdout.close()
        process.wait()

    def test_interrupt(self):
        """Ctrl-C ends the training of a worker, leaves no folder, and the next call has another worker."""
        process = self.script("""
            import signal
            import numpy as np
            from bigmkl import BigMKLClassifier
            signal.signal(signal.SIGINT, signal.default_int_handler)
            random = np.random.default_rng(1)
            X = random.normal(size=(1500, 5))
            y = random.random(1500) > 0.5
            BigMKLClassifier().fit(X[:40], y[:40])
            print("ready", flush=True)
            try:
                BigMKLClassifier(kernels="gauss:auto/40", gap=1e-14, C=100).fit(X, y)
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            model = BigMKLClassifier().fit(X[:40], y[:40])
            print(model.score(X[:40], y[:40]) > 0.5)
        """)
        self.assertEqual(process.stdout.readline(), "ready\n")
        before, = workers(process.pid)
        # A worker that has taken a call is in its folder.
        self.assertTrue(until(lambda: "bigmkl-py-" in os.path.realpath(f"/proc/{before}/cwd")))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(out, "interrupted\nTrue\n")
        self.assertTrue(gone(before), "the worker goes on")
