"""What each source of data is worth."""

from __future__ import annotations

import os

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from ._arguments import flag, write_rows
from ._command import private_folder, run_json


class ImportanceMixin:
    """The method importance of estimators that have a figure on held-out rows."""

    def importance(self, X, y, sample_weight=None, *, choose=False, each=None, measure=None, folds=5,
                   repeat=None, groups=None, samples=50, rope=None) -> dict:
        """Measure what each source of data is worth: each view, group of kernels or kernel matrix.

        The source is left out, taken alone, and permuted, on rows that were held out of everything. The
        parameters of the estimator are those of every training; a fitted model has no part in it.

        Parameters
        ----------
        X, y, sample_weight
            As in fit.
        choose : bool, default=False
            Whether each fold chooses the norm and C without its rows. They are those of the
            estimator otherwise.
        each : {"kernel", "feature"}, default=None
            A source is every kernel, or every column of X.
        measure : str, default=None
            Figure on held-out rows: "auc", "accuracy", "mcc", "r2", "rmse", ..
        folds, repeat : int
            Number of folds, and how often they are drawn. None draws small data more often.
        groups : array of (rows,), default=None
            Rows of a group are held out together.
        samples : int, default=50
            Samples of half of the rows on which shares of ||w|| are measured.
        rope : float, default=None
            Differences of the measure up to this are of no importance; None is 0.01.

        Returns
        -------
        dict
            What ``bigmkl importance --json`` says: "sources" has a dictionary for each source, with its
            "finding", and "pairs" one for each two.
        """
        return clone(self)._importance(X, y, sample_weight, groups, choose, [
            *flag("each", each), *flag("measure", measure), *flag("folds", folds), *flag("repeat", repeat),
            *flag("samples", samples), *flag("rope", rope)])

    def _importance(self, X, y, sample_weight, groups, choose, flags) -> dict:
        """Measure importance, on an estimator that has no model."""
        problem = self._problem(X, y, sample_weight)
        inputs, kept, task, cost = problem.inputs, problem.kept, problem.flags, None
        if "-C" in task:
            at = task.index("-C")
            cost = task[at + 1]
            del task[at:at + 2]
        without = ["gap", "max-time"]
        if choose:
            without.append("norm")
        elif cost is not None:
            task += ["--grid-C", cost]
        with private_folder(self.scratch) as folder:
            arguments = ["importance", *inputs.write(folder), "-o", "found"]
            if "--each=feature" not in flags:
                arguments += self._kernel_flags(inputs)
            arguments += [*self._common_flags(train=True, without=without), *task, *flags]
            arguments += write_rows(folder, problem.labels, problem.weights)
            if groups is not None:
                names = np.asarray(groups)
                check_consistent_length(names, np.arange(inputs.rows if kept is None else len(y)))
                names = names if kept is None else names[kept]
                (folder / "groups.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
                arguments += ["--groups-file", "groups.txt"]
            if inputs.ranges:
                arguments += ["--views", "views.txt"]
            if self.scratch is not None:
                arguments += ["--scratch", os.path.abspath(self.scratch)]
            found = run_json(folder, arguments, self.verbose)
        return found
