"""The build of the wheel: what the command is told of its sources."""

import runpy
import subprocess
import unittest
from pathlib import Path
from unittest import mock

SETUP = Path(__file__).resolve().parent.parent / "setup.py"


@unittest.skipUnless(SETUP.exists(), "the package is installed without its setup")
class TestStamp(unittest.TestCase):
    """The linker's flags of a build."""

    def setUp(self):
        try:
            with mock.patch("setuptools.setup"):
                self.setup = runpy.run_path(str(SETUP))
        except ImportError as error:
            self.skipTest(f"no wheel can be built: {error}")

    def test_commit(self):
        """A build in a clone tells the commit, whether Go finds it or not."""
        run = subprocess.run(["git", "rev-parse", "HEAD"], cwd=SETUP.parent, capture_output=True, text=True)
        if run.returncode != 0:
            self.skipTest("these sources have no history")
        flags = self.setup["stamp"]("1.2.3")
        self.assertIn("/cmd/bigmkl/command.builtCommit=" + run.stdout.strip(), flags)
        self.assertIn(".builtVersion=1.2.3", flags)
        self.assertIn(".builtModified=", flags)

    def test_no_history(self):
        """Sources without a history, or without git, tell the version alone."""
        with mock.patch.dict(self.setup["stamp"].__globals__,
                             output_of=lambda *command: "bigmkl" if command[0] == "go" else None):
            self.assertEqual(self.setup["stamp"]("1.2.3"), "-s -w -X bigmkl/cmd/bigmkl/command.builtVersion=1.2.3")
        # A folder of another repository has a prefix there.
        with mock.patch.dict(self.setup["stamp"].__globals__, output_of=lambda *command: "sources/"):
            self.assertNotIn("builtCommit", self.setup["stamp"]("1.2.3"))


if __name__ == "__main__":
    unittest.main()
