"""Problems and folders for the tests."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402

from bigmkl import BigMKLWarning  # noqa: E402
from bigmkl._command import find_binary  # noqa: E402

# All problems are drawn from this seed.
SEED = 7

# The digits that a file of predictions has.
DIGITS = 1e-8


# The temporary folder of all tests, and of their processes. Workers of joblib go on from one test to
# the next, so that it is one for all.
SCRATCH = Path(tempfile.mkdtemp(prefix="bigmkl-tests-"))
os.environ["TMPDIR"] = tempfile.tempdir = str(SCRATCH)
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)


class Case(unittest.TestCase):
    """A test with a folder of its own, at whose end no folder of a run may be left."""

    def setUp(self):
        print(f"{self.id()}: seed {SEED}")
        self.random = np.random.default_rng(SEED)
        self.folder = Path(tempfile.mkdtemp(prefix="test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        # Warnings of the command about small problems are not what is tested, except where a test
        # asks for them. A training that ends early is a failure.
        self._filters = warnings.catch_warnings()
        self._filters.__enter__()
        warnings.simplefilter("ignore", BigMKLWarning)
        warnings.simplefilter("error", ConvergenceWarning)

    def tearDown(self):
        self._filters.__exit__(None, None, None)
        left = [path.name for path in SCRATCH.iterdir() if path.name.startswith("bigmkl-")]
        self.assertEqual(left, [], "folders of runs were left")

    def two_classes(self, rows=120, features=6):
        """Return features and two classes, of which one is less frequent."""
        X = self.random.normal(size=(rows, features))
        noise = 0.3 * self.random.normal(size=rows)
        return X, np.where(X[:, 0] - X[:, -1] + noise > 0.4, "yes", "no")

    def three_classes(self, rows=150):
        """Return features and three classes, which are integers."""
        X = self.random.normal(size=(rows, 5))
        return X, np.digitize(X[:, 0] + 0.2 * self.random.normal(size=rows), [-0.5, 0.5]) * 5

    def command(self, *arguments):
        """Run the command as a user does, and return its standard output."""
        done = subprocess.run([find_binary(), *map(str, arguments)], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def close(self, a, b):
        """Compare decisions, which have the digits of a file of predictions."""
        np.testing.assert_allclose(a, b, rtol=DIGITS, atol=DIGITS)
