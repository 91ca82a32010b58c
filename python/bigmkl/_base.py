"""What the estimators share: parameters, training, prediction, and the model that they carry."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _columns, _grams, _inputs, _objects
from ._arguments import flag, gram_flags, write_rows
from ._command import private_folder, run, run_json, write_atomically
from ._compat import finite, validate_data
from ._doubts import explained
from ._errors import BigMKLError, BigMKLInputError, BigMKLWarning
from ._inputs import PRECOMPUTED, Inputs, Problem
from ._losses import NUMBERS
from ._model import ModelArrays
from ._options import option_flags
from ._support import SupportMixin

# The exit code of a training that has written a model without reaching its gap.
STOPPED = 4

# Beyond this number of kernels a model is described without a list of them.
MOST_LISTED = 10_000


class BigMKLEstimator(SupportMixin, BaseEstimator):
    """Base of the estimators, which set the parameters named in _common_flags."""

    # The tasks of models that the estimator can have.
    _tasks: tuple[str, ...] = ()

    # Whether y is a number above 0, or at least 0, for each row.
    _positive = False

    # Checks of scikit-learn that fail, and why.
    _failing: dict[str, str] = {}

    # Names of the columns of each view that fit was given as a DataFrame of its own.
    _names_of_views: dict[str, list[str]] = {}

    # What is trained on.

    def _precomputed(self) -> bool:
        return isinstance(self.kernels, str) and self.kernels == PRECOMPUTED

    def _kernel_functions(self) -> list:
        """Return the kernels that are functions, of which all have to be if one is."""
        listed = self.kernels if isinstance(self.kernels, (list, tuple)) else [self.kernels]
        functions = [kernel for kernel in listed if callable(kernel)]
        if functions and len(functions) < len(listed):
            raise BigMKLInputError("kernels that are functions, and others besides",
                                   "a function can compute any kernel")
        return functions

    def _inputs_of(self, X, y="no_validation", reset=False, **checks) -> tuple[Inputs, object]:
        """Validate X and y, and return the data and y.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame, or several of these
        y : array, None if it is missing, or "no_validation" where none is needed
        reset : bool
            Whether the number and names of features are set, or compared with those of fit.
        **checks
            Further options of scikit-learn's validation of a single matrix.
        """
        needs_y = not (isinstance(y, str) and y == "no_validation")
        functions = self._kernel_functions()
        if self._names_objects(reset):
            kinds = _objects.kinds_of(self.objects) if self.objects is not None else []
            columns = [c for kind in kinds for c in kind.columns] if reset else _objects.columns_of_model(self.model_info_)
            inputs = _objects.rows_of(X, columns, kinds)
        elif functions:
            if reset:
                self._rows = X
            inputs = _grams.evaluate_kernels(functions, X, self._rows)
        elif self._precomputed():
            inputs, first = _grams.join_grams(X, reset, getattr(self, "_grams_first", False))
            if reset:
                self._grams_first = first
        elif _inputs.is_several(X):
            inputs = _inputs.join_several(X, self._imputes(reset), not reset)
            if reset:
                self._names_of_views = _inputs.names_within(X)
            else:
                _inputs.check_names_within(X, self._names_of_views)
        else:
            table = self._table_of(X, reset)
            if table is not None:
                return table, y
            # The model of a file has no names of columns, and takes those that it is given.
            names = getattr(self, "feature_names_in_", getattr(X, "columns", None))
            imputes = self._imputes(reset)
            with explained(X, imputes=imputes, trained=not reset):
                found = validate_data(self, _inputs.as_rows(X), **({"y": y} if needs_y else {}), reset=reset,
                                      accept_sparse="csr", dtype=_inputs.FLOATS, **{**finite(imputes), **checks})
            X, y = found if needs_y and y is not None else (found, y)
            if self.views is None:
                return Inputs([X]), y
            if not reset:
                return _inputs.split_views(X, names, self.views), y
            names = getattr(self, "feature_names_in_", None)
            inputs = _inputs.split_views(X, names, self.views)
            left = inputs.left_out(names)
            if left:
                warnings.warn(f"views leave out {left}", BigMKLWarning, stacklevel=4)
            return inputs, y
        if needs_y and y is not None:
            y = column_or_1d(y, warn=True)
            check_consistent_length((inputs.grams or inputs.matrices)[0], y)
        if reset:
            self.n_features_in_ = inputs.features
            vars(self).pop("feature_names_in_", None)
            if functions:
                del self.n_features_in_  # What the functions take need not have any.
        elif not functions and inputs.features != getattr(self, "n_features_in_", inputs.features):
            raise BigMKLInputError(f"X has {inputs.features} columns, but {type(self).__name__} is "
                                   f"expecting {self.n_features_in_} columns as input")
        return inputs, y

    def _names_objects(self, reset: bool) -> bool:
        """Report whether rows name objects: in a training by the parameter, and else by the model."""
        if not reset:
            return "objects" in self.model_info_
        if self.objects is not None and (self.views is not None or self._precomputed() or self._kernel_functions()):
            raise BigMKLInputError("objects beside views, kernel matrices or functions",
                                   'a matrix of objects is a kernel such as "precomputed:/a/K.npy@drug"')
        return self.objects is not None

    def _imputes(self, reset: bool) -> bool:
        """Report whether values may be missing: in a training by the parameter, and else by the model."""
        if reset:
            return self.impute not in (None, "none")
        return "impute" in self.model_info_

    def _table_of(self, X, reset: bool) -> Inputs | None:
        """Return a DataFrame as it is, if the model knows columns by their names, as of a CSV."""
        if reset or "columns" not in self.model_info_ or not hasattr(X, "to_csv"):
            return None
        return _inputs.Table([X])

    # Training.

    def _restarts(self) -> bool:
        """Report whether a training can start from the dual variables of another one."""
        return True

    def _common_flags(self, train: bool, without: Sequence[str] = ()) -> list[str]:
        """Return the flags of the parameters that do not depend on the data, but for some names."""
        flags = [] if self.verbose else ["--quiet"]
        flags += flag("memory", self.memory)
        threads = self.threads
        if threads is None:
            # joblib sets this variable in its workers, so that they share the processors.
            threads = os.environ.get("OMP_NUM_THREADS", "")
            threads = threads if threads.isdecimal() and int(threads) > 0 else None
        flags += flag("threads", threads)
        if not train:
            return flags
        for name, value in [("norm", self.norm), ("gap", self.gap), ("scale", self.scale),
                            ("impute", self.impute),
                            ("normalize", self.normalize), ("max-iter", self.max_iter),
                            ("max-time", self.max_time), ("disk", self.disk)]:
            flags += [] if name in without else flag(name, value)
        if self.random_state is not None:
            seed = self.random_state
            if not isinstance(seed, (int, np.integer)):
                seed = check_random_state(seed).randint(2**31)
            flags += flag("seed", seed)
        return flags + option_flags(self.options, self.get_params(deep=False))

    def _kernel_flags(self, inputs: Inputs) -> list[str]:
        if inputs.grams:
            files = range(len(inputs.grams))
            return ["--kernels", ",".join(f"precomputed:{_inputs.gram_file(i)}" for i in files)]
        if self.kernels is None:
            return []
        specs = self.kernels if isinstance(self.kernels, str) else ",".join(self.kernels)
        if specs.startswith("@"):
            # The command runs in a folder of its own.
            specs = "@" + os.path.abspath(specs[1:])
        return ["--kernels", specs]

    def _train(self, problem: Problem) -> None:
        """Train on a problem and set the attributes of the model."""
        inputs, flags, kept = problem.inputs, problem.flags, problem.kept
        with private_folder(self.scratch) as folder:
            arguments = ["train", *inputs.write(folder), "-o", "model"]
            arguments += self._kernel_flags(inputs) + self._common_flags(train=True) + list(flags)
            arguments += write_rows(folder, problem.labels, problem.weights)
            if inputs.ranges:
                arguments += ["--views", "views.txt"]
            # What a command leaves that is killed goes with the folder.
            arguments += ["--scratch", str(folder)]
            # The command starts from models of one classifier only.
            if self.warm_start and self._restarts() and hasattr(self, "model_bytes_") and "--multiclass" not in flags \
                    and "multiclass" not in self.model_info_:
                (folder / "start.model").write_bytes(self.model_bytes_)
                arguments += ["--init", "start.model"]
            report = run_json(folder, arguments, self.verbose, fine=(0, STOPPED))
            self._adopt((folder / "model").read_bytes(), folder)
        self.report_ = report
        self.n_iter_ = max(1, report["iterations"])
        self._kept, self._columns, self._ranges = kept, inputs.columns, inputs.ranges
        self._describe(problem)
        if report["status"] != "converged":
            warnings.warn(f"{report['status']}: the relative duality gap is {self.gap_:.3g}, and "
                          f"{self.gap} was asked for", ConvergenceWarning, stacklevel=3)

    # The model.

    def _adopt(self, content: bytes, folder: Path) -> None:
        """Set the attributes of a model, given as the bytes of its file, which lies in a folder."""
        arrays = ModelArrays(content)
        several = arrays.classifiers()
        theta = arrays.weights("theta")
        arguments = ["inspect", "model"] + (["--all"] if theta.size <= MOST_LISTED else [])
        info = run_json(folder, arguments)
        if info["task"] not in self._tasks:
            raise BigMKLInputError(f"the model is of task {info['task']}, and "
                                   f"{type(self).__name__} is for {' and '.join(self._tasks)}")
        self.model_bytes_, self.model_info_ = content, info
        self.weights_, self.w_norms_ = theta, arrays.weights("w_norms")
        self.kernel_names_ = None
        if theta.size <= MOST_LISTED:
            listed = sorted(info["heaviest"], key=lambda kernel: kernel["index"])
            self.kernel_names_ = [kernel["spec"] for kernel in listed]
        self._bias = np.array([info["bias"]]) if several is None else \
            arrays.get("machine_numbers").reshape(several, -1)[:, 0]
        self.gap_, self.converged_ = info["relative_gap"], info["converged"]
        self.report_, self.n_iter_, self._kept = None, None, None
        self._signs, self._order, self._columns, self._ranges = None, None, None, []

    def _describe(self, problem: Problem | None) -> None:
        """Set the attributes that depend on the rows of the training, None for a model of a file."""
        dual, rows = ModelArrays(self.model_bytes_).dual()
        self._set_support(dual, rows, problem and problem.inputs, np.array([len(rows)]))

    @classmethod
    def from_model(cls, path: str | os.PathLike, **parameters):
        """Return an estimator with the model of a file, as ``bigmkl train`` writes it.

        Parameters
        ----------
        path : str or path
            The file.
        **parameters
            Parameters of the estimator, such as threads. Those that the model knows are set from
            it, unless they are given.

        Raises
        ------
        BigMKLError
            If the file is no model, is damaged, or is one of another task.
        """
        estimator = cls(**parameters)
        with private_folder(estimator.scratch) as folder:
            content, columns = _columns.take(Path(path).read_bytes())
            (folder / "model").write_bytes(content)
            estimator._adopt(content, folder)
        estimator._describe(None)
        known = estimator._known_parameters(estimator.model_info_)
        known |= estimator._know_columns(columns)
        return estimator.set_params(**{k: v for k, v in known.items() if k not in parameters})

    def _know_columns(self, known: dict) -> dict:
        """Set what a model file has of the columns of X, and return the parameter views of that."""
        table = self.model_info_.get("columns")
        if table:
            self.feature_names_in_ = np.array([feature["name"] for feature in table["features"]], object)
        if not known:
            return {}
        self.n_features_in_, self._names_of_views = known["columns"], known.get("within", {})
        if known.get("names") is not None:
            self.feature_names_in_ = np.array(known["names"], object)
        views = known.get("views")
        if views is None:
            return {}
        inputs = _inputs.split_views(np.empty((0, known["columns"])), None, views)
        self._columns, self._ranges = inputs.columns, inputs.ranges
        return {"views": views}

    def _known_parameters(self, info: dict) -> dict:
        """Return the parameters that a model was trained with."""
        precomputed = "objects" not in info and all(spec.startswith("precomputed:") for spec in info["specs"])
        known = {"kernels": PRECOMPUTED if precomputed else list(info["specs"]),
                 "scale": "auto" if "scaling_choice" in info else info["scaling"],
                 "impute": info.get("impute"), "normalize": info["normalization"]}
        known |= {name: info[name] for name in NUMBERS if name in info and name in self.get_params()}
        known |= {name: info[key] for name, key in [("norm", "p"), ("gap", "gap"), ("C", "C")]
                  if info[key] is not None and name in self.get_params()}
        return known

    def save(self, path: str | os.PathLike) -> None:
        """Write the model to a file, which ``bigmkl predict`` and from_model read.

        The names of the columns of X and the columns of views are kept in the header of the file, where they fit: it has
        a MiB. from_model restores them.
        """
        check_is_fitted(self)
        content = _columns.put(self.model_bytes_, self._known_columns())
        if content is None:
            warnings.warn("the names of the columns are too long for the file of a model: from_model knows the columns by their "
                          "order alone", BigMKLWarning, stacklevel=2)
            content = self.model_bytes_
        write_atomically(path, content)

    def _known_columns(self) -> dict:
        """Return what the command does not know of the columns of X."""
        if "columns" in self.model_info_:
            return {}
        return _columns.describe(getattr(self, "feature_names_in_", None), getattr(self, "n_features_in_", None), self._columns,
                                 self._ranges, self._names_of_views)

    @property
    def view_names_(self) -> list[str]:
        """Names of the views, groups or kernel matrices that feature_importances_ is about."""
        return [part["name"] for part in self._parts()]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each view in the norms of w, from 0 to 1.

        It says how much of the decision function comes from a view, not what would be lost without it:
        noise has a share, too. The method importance measures that.
        """
        return np.array([part["share"] for part in self._parts()])

    def _parts(self) -> list[dict]:
        check_is_fitted(self)
        precomputed = self._precomputed() or self._kernel_functions()
        if self.model_info_["by"] not in ("view", "group") and not precomputed:
            raise AttributeError("the model has no views, whose importance could be told")
        return self.model_info_["weights"]

    # Prediction.

    def _predict_words(self, X, numbers: int, *flags: str) -> np.ndarray:
        """Return the predictions of the command as words.

        Parameters
        ----------
        X
            The rows.
        numbers : int
            How many numbers a line has behind the label, which may have blanks in it.
        *flags : str
            Flags of the command.

        Returns
        -------
        array of str, rows x (1 + numbers)
        """
        lines = self._predict_lines(X, *flags)
        return np.array([line.rsplit(" ", numbers) for line in lines]).reshape(len(lines), -1)

    def _predict_lines(self, X, *flags: str) -> list[str]:
        """Return the lines of the command, one for each row."""
        check_is_fitted(self)
        self._check_support()
        inputs, _ = self._inputs_of(X)
        inputs = self._fitting(inputs)
        with private_folder(self.scratch) as folder:
            (folder / "model").write_bytes(self.model_bytes_)
            arguments = ["predict", "model", *inputs.write(folder)]
            arguments += self._common_flags(train=False) + gram_flags("gram-test", inputs)
            lines = run(folder, [*arguments, *flags], self.verbose).split("\n")[:-1]
        if "--probability" in flags:
            del lines[0]  # It names the classes.
        return lines

    def _fitting(self, inputs: Inputs) -> Inputs:
        """Leave out what the model does not know: columns of weight 0, and features beyond its own."""
        if inputs.grams:
            return inputs if self._kept is None else inputs.take_columns(self._kept)
        inputs, changed = inputs.beyond(self.model_info_["d"])
        if changed:
            warnings.warn(f"{changed} values of features that were zero in all rows of the training "
                          "are taken for 0", BigMKLWarning, stacklevel=4)
        return inputs

    def _verify(self, inputs: Inputs, labels: np.ndarray | None,
                weights: np.ndarray | None) -> dict:
        """Recompute the gap on the data of the training; see verify of the estimators."""
        with private_folder(self.scratch) as folder:
            (folder / "model").write_bytes(self.model_bytes_)
            arguments = ["verify", "model", *inputs.write(folder)]
            arguments += self._common_flags(train=False) + gram_flags("gram", inputs)
            arguments += write_rows(folder, labels, weights)
            if isinstance(inputs, _objects.NamedRows):
                arguments += _objects.matrix_flags(self.kernels)
            found = run_json(folder, arguments, self.verbose, fine=(0, 5))
        if found["faults"]:
            raise BigMKLError("the model is not what it claims: " + "; ".join(found["faults"]))
        return found

    # Tags, which scikit-learn asks for in two ways.

    def _more_tags(self) -> dict:
        return {"pairwise": self._precomputed(), "allow_nan": self._imputes(True), "_xfail_checks": self._failing,
                **({"requires_y": True, "requires_positive_y": True} if self._positive else {})}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed()
        tags.input_tags.allow_nan = self._imputes(True)
        if self._positive:
            tags.target_tags.required = tags.target_tags.positive_only = True
        return tags
