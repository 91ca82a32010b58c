"""Selection of kernels, norms and costs by the command."""

from __future__ import annotations

import json
import os
import re

from sklearn.base import clone

from ._arguments import flag, write_rows
from ._command import private_folder, run_json


class SelectMixin:
    """The method select of estimators that have a figure on held-out rows."""

    def select(self, X, y, sample_weight=None, *, kernels=None, norms=None, costs=None, measure=None, folds=5, hold_out=None) -> tuple:
        """Train every combination of kernels, norms and costs without each fold in turn.

        Each view and each kernel alone compete as well. Kernels of a fold are prepared without its rows, and
        computed once for all norms and costs. ``GridSearchCV`` does the same by many calls.

        Parameters
        ----------
        X, y, sample_weight
            As in fit.
        kernels : list of str, default=None
            Specifications that compete; the one of the estimator by default.
        norms, costs : list of float, default=None
            Those of the command by default.
        measure : str, default=None
            Figure on held-out rows: "auc", "accuracy", "mcc", "r2", "rmse", ..
        folds : int, default=5
        hold_out : str, default=None
            For rows that name objects: "pairs", the name of a column whose objects are held out with all of their rows, or
            "both".

        Returns
        -------
        best : estimator
            A new one, fitted to all rows with the best combination of the grid.
        table : dict
            What ``bigmkl select --json`` prints: "arms" are the combinations of kernels and norms, and "cells" has the
            figures of each with each cost.
        """
        model = clone(self)
        problem = model._problem(X, y, sample_weight)
        inputs, task = problem.inputs, problem.flags
        if "-C" in task:
            at = task.index("-C")
            del task[at:at + 2]
        with private_folder(model.scratch) as folder:
            arguments = ["select", *inputs.write(folder), "-o", "found"]
            if kernels is None or inputs.grams:
                arguments += model._kernel_flags(inputs)
            else:
                for spec in kernels:
                    arguments += ["--kernels", spec]
            arguments += [*model._common_flags(train=True, without=["norm"]), *task, *flag("folds", folds), *flag("measure", measure), *flag("hold-out", hold_out)]
            for name, values in (("grid-norm", norms), ("grid-C", costs)):
                if values is not None:
                    arguments += [f"--{name}", ",".join(repr(float(v)) for v in values)]
            arguments += write_rows(folder, problem.labels, problem.weights)
            if inputs.ranges:
                arguments += ["--views", "views.txt"]
            if model.scratch is not None:
                arguments += ["--scratch", os.path.abspath(model.scratch)]
            run_json(folder, arguments, model.verbose)
            table = json.loads((folder / "found" / "table.json").read_text(encoding="utf-8"))
        better = min if table["smaller"] else max
        grid = [cell for cell in table["cells"] if table["arms"][cell["arm"]]["kind"] == "grid"]
        cell = better(grid, key=lambda c: c["figures"][table["measure"]]["mean"])
        arm = table["arms"][cell["arm"]]
        model.set_params(norm=arm["norm"], C=cell["C"])
        # Default kernels have no specification.
        if not inputs.grams and arm["kernels"]:
            model.set_params(kernels=arm["kernels"])
        model.fit(X, y, sample_weight)
        if model.kernels is None:
            model.set_params(kernels=",".join(model.model_info_["specs"]))
        model._chosen = ("kernels", "norm", "C")
        return model, table

    # Parameters that select has chosen, of which repr shows the defaults, too.
    _chosen: tuple[str, ...] = ()

    def __repr__(self, N_CHAR_MAX=700):
        text = super().__repr__(N_CHAR_MAX)
        name, bracket, rest = text.partition("(")
        hidden = [f"{key}={getattr(self, key)!r}" for key in self._chosen if not re.search(rf"\b{key}=", rest)]
        if not hidden:
            return text
        return f"{name}({', '.join(hidden)}{'' if rest == ')' else ', '}{rest}"
