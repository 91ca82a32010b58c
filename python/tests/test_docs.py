"""Every Python example of docs/PYTHON.md, and what it says that it prints."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import types

import numpy as np
import pandas as pd
import scipy.sparse as sp

from bigmkl._command import find_binary

from .helpers import ROOT, Case

PAGE = ROOT / "docs" / "PYTHON.md"

# An example, and the text that it prints.
EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:```text\n(.*?)```\n)?", re.DOTALL)


class Page(Case):

    def test_examples(self):
        page = PAGE.read_text(encoding="utf-8")
        examples = EXAMPLE.findall(page)
        self.assertEqual(len(examples), page.count("```python"))
        self.assertGreater(len(examples), 5)
        names = {"adata": self.cells()}
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            for code, text in examples:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(code, str(PAGE), "exec"), names)
                self.assertEqual(printed.getvalue(), text, code)
        finally:
            os.chdir(before)

    def test_examples_of_r(self):
        page = (ROOT / "docs" / "R.md").read_text(encoding="utf-8")
        if shutil.which("Rscript") is None or subprocess.run(
                ["Rscript", "-e", "library(jsonlite)"], capture_output=True, check=False).returncode:
            self.skipTest("there is no R with jsonlite")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "bigmkl").symlink_to(find_binary())
        (self.folder / "site").mkdir()
        done = subprocess.run(["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", f"--library={self.folder / 'site'}", str(ROOT / "r")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "page.R").write_text("\n".join(re.findall(r"```r\n(.*?)```", page, re.DOTALL)))
        done = subprocess.run(["Rscript", "page.R"], cwd=self.folder, capture_output=True, text=True,
                              check=False, env={**os.environ, "R_LIBS": f"{self.folder}/site",
                                                "PATH": f"{self.folder}/bin:" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([done.stdout.split()], [t.split() for t in
                                                 re.findall(r"```text\n(.*?)```", page, re.DOTALL)])

    def cells(self):
        """Write a file of pathways, and return what an AnnData has: two types of cells that differ
        in the genes of one pathway."""
        genes = [f"G{i}" for i in range(40)]
        lines = [f"PATHWAY_{k}\tnone\t" + "\t".join(genes[8 * k:8 * k + 10]) for k in range(5)]
        lines.append("UNMEASURED\tnone\tH1\tH2\tH3\tG1")
        (self.folder / "hallmark.gmt").write_text("\n".join(lines) + "\n")
        counts = self.random.poisson(1.0, size=(200, 40)).astype(float)
        kind = np.where(np.arange(200) % 2 == 0, "B", "T")
        counts[kind == "T", 18:24] += self.random.poisson(1.5, size=(100, 6))
        X = np.log1p(counts)
        return types.SimpleNamespace(X=sp.csr_matrix(X), var_names=pd.Index(genes), layers={}, obsm={"X_pca": X @ np.eye(40, 3)},
                                     obs=pd.DataFrame({"type": kind}))
