"""The command as a process: which one it is, how it fails, and how it is stopped."""

import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
import unittest
from unittest import mock

import numpy as np

from bigmkl import BigMKLClassifier, BigMKLError, BigMKLInputError, _command
from bigmkl._errors import error_of, split_hint

from .helpers import ROOT, Case


class Command(Case):

    def program(self, script):
        """Write a program that stands for the command, and let the variable BIGMKL name it."""
        path = self.folder / "bigmkl"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        patch = mock.patch.dict(os.environ, {"BIGMKL": str(path)})
        patch.start()
        self.addCleanup(patch.stop)
        return path

    def test_wrong_programs(self):
        X, y = self.two_classes(20)
        for script, words in [
                ("exit 0\n", "is not bigmkl"),
                ("echo not json\n", "is not bigmkl"),
                ("echo '{\"command\":\"align\"}'\n", "is not bigmkl"),
                ("echo '{\"contract\":2,\"command\":\"align\"}'\n", "version 2 of the contract"),
                ("echo '{\"contract\":0}'\n", "version 0 of the contract")]:
            self.program(script)
            with self.assertRaisesRegex(BigMKLError, words):
                BigMKLClassifier().fit(X, y)

    def test_no_program(self):
        for value in (str(self.folder / "none"), str(self.folder)):
            with mock.patch.dict(os.environ, {"BIGMKL": value}):
                with self.assertRaisesRegex(BigMKLError, "variable BIGMKL"):
                    _command.find_binary()

    def script(self):
        """Write the script that pip makes of the package, and return the environment in which it runs."""
        path = self.folder / "scripts" / "bigmkl"
        path.parent.mkdir()
        path.write_text(f"#!{sys.executable}\nimport sys\nfrom bigmkl.__main__ import main\nsys.exit(main())\n")
        path.chmod(0o755)
        return path, {**os.environ, "PYTHONPATH": str(ROOT / "python")}

    @unittest.skipIf(os.name == "nt", "Windows has no signals")
    def test_script(self):
        """The script becomes the command: output, exit codes and signals are those of the command."""
        script, environment = self.script()
        self.program("echo \"$@\"\ntrap 'exit 7' TERM\necho ready\nwhile read line; do echo $line; done\nexit 5\n")
        for start in ([str(script)], [sys.executable, "-m", "bigmkl"]):
            def begin():
                return subprocess.Popen([*start, "train", "a b"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**environment, "BIGMKL": os.environ["BIGMKL"]})
            with begin() as process:
                self.assertEqual(process.communicate("one\n")[0], "train a b\nready\none\n")
                self.assertEqual(process.returncode, 5)
            for signum, code in ((signal.SIGTERM, 7), (signal.SIGKILL, -signal.SIGKILL)):
                with begin() as process:
                    self.assertEqual([process.stdout.readline(), process.stdout.readline()], ["train a b\n", "ready\n"])
                    process.send_signal(signum)
                    process.communicate()  # A shell may look at a signal only at the end of its input.
                    self.assertEqual(process.returncode, code)

    def test_script_is_not_the_command(self):
        """The script on PATH, or in the variable, does not run itself."""
        real, (script, environment) = _command.find_binary(), self.script()
        (self.folder / "command").mkdir()
        (self.folder / "command" / "bigmkl").symlink_to(real)
        for path, named, fine in ((["scripts"], "", False), (["scripts"], str(script), False), (["scripts", "command"], "", True),
                                  (["scripts", "command"], str(script), True)):
            folders = os.pathsep.join(str(self.folder / folder) for folder in path)
            done = subprocess.run([sys.executable, "-m", "bigmkl", "version"], capture_output=True, text=True, check=False,
                                  env={**environment, "PATH": folders, "BIGMKL": named})
            if fine:
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, "^bigmkl ")
            else:
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, "^bigmkl: there is no command bigmkl")

    def test_order_of_search(self):
        real = _command.find_binary()
        package = self.folder / "package"
        (package / "bin").mkdir(parents=True)
        inside, outside = package / "bin" / "bigmkl", self.folder / "bigmkl"
        outside.symlink_to(real)
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}), \
                mock.patch.object(_command, "__file__", str(package / "_command.py")):
            del os.environ["BIGMKL"]
            self.assertEqual(_command.find_binary(), str(outside))
            inside.symlink_to(real)
            self.assertEqual(_command.find_binary(), str(inside))
            os.environ["BIGMKL"] = real
            self.assertEqual(_command.find_binary(), real)
            del os.environ["BIGMKL"]
            inside.unlink()
            outside.unlink()
            with self.assertRaisesRegex(BigMKLError, "no command bigmkl"):
                _command.find_binary()

    def test_errors_of_the_command(self):
        X, y = self.two_classes(40)
        with self.assertRaises(BigMKLInputError) as caught:
            BigMKLClassifier(kernels="gausss:1").fit(X, y)
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual(error.exit_code, 2)
        self.assertIn("gausss", error.message)
        self.assertIn("there are gauss", error.hint)
        self.assertEqual(str(error), f"{error.message} ({error.hint})")
        with self.assertRaises(BigMKLError) as caught:
            BigMKLClassifier(memory=1000).fit(X, y)
        self.assertEqual(caught.exception.exit_code, 6)
        self.assertNotIsInstance(caught.exception, ValueError)

    def test_message_and_hint(self):
        for text, message, hint in [
                ("what (hint)", "what", "hint"), ("what (a) is (b (c) d)", "what (a) is", "b (c) d"),
                ("f(x)", "f(x)", ""), ("no hint", "no hint", ""), ("(all)", "(all)", ""),
                ("odd)", "odd)", "")]:
            self.assertEqual(split_hint(text), (message, hint))
        error = error_of("3 rows\nbigmkl: warning: w\nbigmkl: a (h)\nbigmkl: b\n", 3)
        self.assertEqual((error.message, error.hint), ("a (h)\nb", ""))
        self.assertEqual(error_of("panic: x\n", 1).message, "panic: x")
        crash = error_of("SIGABRT: abort\nPC=0x4938e1\n\ngoroutine 0:\n", 2)
        self.assertEqual(crash.message, "SIGABRT: abort")
        self.assertNotIsInstance(crash, ValueError)

    def test_folder_is_private(self):
        with _command.private_folder() as path:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700)
        self.assertFalse(path.exists())
        with self.assertRaises(ZeroDivisionError):
            with _command.private_folder(str(self.folder)) as path:
                self.assertEqual(path.parent, self.folder)
                (path / "file").write_text("x")
                raise ZeroDivisionError
        self.assertFalse(path.exists())

    def test_interrupt(self):
        """Ctrl-C during a training ends the command and leaves no folder.

        The training has no end of its own: its gap is beyond reach. It is interrupted once the
        command has written to standard error that it reads rows or trains.
        """
        script = textwrap.dedent("""
            import signal
            import numpy as np
            from bigmkl import BigMKLClassifier
            # A shell may have started the tests with the signal ignored.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            random = np.random.default_rng(1)
            X = random.normal(size=(3000, 20))
            try:
                BigMKLClassifier(kernels="gauss:auto/40", gap=1e-14, C=100, verbose=True).fit(
                    X, random.random(3000) > 0.5)
            except KeyboardInterrupt:
                print("interrupted")
            else:
                print("ended")
        """)
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                                   start_new_session=True)
        until = time.monotonic() + 60
        while not (children := self.trainings(process.pid)) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(len(children), 1)
        # Only Python gets the signal, so that the command ends by what Python does.
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(out, "interrupted\n")
        self.assertFalse(os.path.exists(f"/proc/{children[0]}"), "the command goes on")
        # tearDown looks for folders that were left.

    def trainings(self, parent):
        """Return the processes of a parent that train. It reads /proc, which Linux has."""
        if not os.path.isdir("/proc/self/task"):
            self.skipTest("there is no /proc")
        found = []
        for child in subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], text=True,
                                    capture_output=True, check=False).stdout.split():
            try:
                with open(f"/proc/{child}/cmdline", "rb") as line:
                    if b"\0train\0" in line.read():
                        found.append(int(child))
            except OSError:
                pass
        return found

    def test_threads_and_forks(self):
        """Estimators in threads and in forked processes do not meet."""
        X, y = self.two_classes(60)
        want = BigMKLClassifier().fit(X, y)
        want.verify(X, y)
        models = [BigMKLClassifier() for _ in range(4)]
        threads = [threading.Thread(target=m.fit, args=(X, y)) for m in models]
        [t.start() for t in threads]
        [t.join() for t in threads]
        for m in models:
            self.assertEqual(m.model_bytes_, want.model_bytes_)
        if not hasattr(os, "fork"):
            return
        child = os.fork()
        if child == 0:
            same = BigMKLClassifier().fit(X, y).model_bytes_ == want.model_bytes_
            os._exit(0 if same else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_threads_of_workers(self):
        with mock.patch.dict(os.environ, {"OMP_NUM_THREADS": "3"}):
            self.assertIn("--threads=3", BigMKLClassifier()._common_flags(train=True))
            self.assertIn("--threads=1", BigMKLClassifier(threads=1)._common_flags(train=True))
        with mock.patch.dict(os.environ, {"OMP_NUM_THREADS": "0,4"}):
            self.assertNotIn("threads", " ".join(BigMKLClassifier()._common_flags(train=True)))

    def test_verbose(self):
        X, y = self.two_classes(40)
        script = ("import numpy as np; from bigmkl import BigMKLClassifier; "
                  "X = np.random.default_rng(0).normal(size=(40, 3)); "
                  "BigMKLClassifier(verbose={}, kernels='gauss:auto/3').fit(X, X[:, 0] > 0)")
        for verbose in (True, False):
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", script.format(verbose)],
                                  capture_output=True, text=True, check=True,
                                  env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
            self.assertEqual("gap 0." in done.stderr, verbose, done.stderr)
        model = BigMKLClassifier().fit(X, y)
        model.verify(X, y)
        np.testing.assert_array_equal(model.predict(X), model.predict(X))
