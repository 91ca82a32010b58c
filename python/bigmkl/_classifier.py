"""Classification."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._arguments import flag
from ._base import BigMKLEstimator
from ._errors import BigMKLInputError
from ._importance import ImportanceMixin
from ._inputs import Problem, leave_out
from ._labels import classes_of, names_of, plain


def _has_probability(self) -> bool:
    if self.probability:
        return True
    raise AttributeError("predict_proba is available when probability=True")


class BigMKLClassifier(ClassifierMixin, ImportanceMixin, BigMKLEstimator):
    """Classification by multiple kernel learning with a block norm.

    Parameters
    ----------
    kernels : str or list of str, default=None
        Kernels as ``bigmkl train --kernels`` takes them, such as ``"gauss:auto/10,linear"``. None is
        ten Gaussian kernels around the median distance, for each view if there are views. With
        ``"precomputed"``, X holds kernel matrices: rows x rows in fit, and rows x rows of the
        training in predict; several are a list, or an array of rows x columns x matrices.
    norm : float or str, default=4/3
        Block norm p, from 1 (few kernels) to inf; 2 is the plain sum.
    C : float, default=1.0
        Cost of the loss, above 0.
    scale : {"auto", "none", "minmax", "standard", "global"}, default="auto"
        Scaling of features, which is part of the model. "auto" is "standard" for views whose
        features have very unequal variances, and "none" for others.
    normalize : {"multiplicative", "spherical", "none"}, default="multiplicative"
        Normalisation of kernels.
    gap : float, default=1e-3
        Relative duality gap to reach.
    multiclass : {"ovr", "ovo"}, default="ovr"
        What is trained for more than two classes: a machine for each class against the rest, or for
        each pair.
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    probability : bool, default=False
        Whether sigmoids are fitted for predict_proba, by cross-validation.
    folds : int, default=5
        Folds of that. It has no effect without probability.
    views : dict or list of str, default=None
        Views of the columns of X. A dictionary has names of views, and for each a prefix of names of
        columns, a list of names or numbers, a mask or a slice; a list has prefixes. Columns of no
        view are left out. X may also be a list or a dictionary of matrices, each of them a view.
    max_iter : int, default=None
        Largest number of iterations of all machines together; None is no limit.
    max_time : float or str, default=None
        Largest time in seconds, or as text such as "10m".
    memory, disk : int or str, default=None
        Budgets in bytes, or as text such as "2GiB". None leaves them to the command.
    threads : int, default=None
        Number of threads. None is the number in OMP_NUM_THREADS, which joblib sets in its workers,
        or else that of the processors. It has no effect on the model.
    random_state : int or RandomState, default=None
        Seed of random features and samples.
    warm_start : bool, default=False
        Whether fit begins with the dual variables of the last model, if both have two classes. It
        saves time, and the result is the same to within the gap.
    scratch : str, default=None
        Folder for files of a run. None is the system's temporary folder.
    verbose : bool, default=False
        Whether progress and messages are shown on standard error.
    options : dict, default=None
        Further flags of ``bigmkl train`` with their values, such as ``{"group_norm": 2}``. Paths of
        files in it have to be absolute.
    impute : {"median", "mean", "zero"}, default=None
        What stands for NaN in X, learned from the rows of fit. None refuses NaN.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    weights_, w_norms_ : array of (kernels,) or (machines, kernels)
        theta and ||w_m|| of each kernel.
    kernel_names_ : list of str or None
        The kernels in the order of weights_; None above 10,000 kernels.
    feature_importances_ : array
        Share of each view (or group, or kernel matrix) in the norms of w, and
    view_names_ : list of str
        the names of these. Both are there only if the model has them.
    dual_coef_ : array of (machines, support vectors)
        Signed dual variables.
    support_ : array of int
        Rows of the support vectors.
    intercept_ : array of (machines,)
        Bias of each machine.
    machines_ : list of (class, class or None)
        Positive and negative class of each machine; None is all others.
    gap_, converged_ : float, bool
        Relative duality gap, and whether the one that was asked for was reached.
    n_iter_ : int
        Number of iterations; None for a model of a file.
    report_, model_info_ : dict
        What ``bigmkl train --json`` (None for a model of a file) and ``inspect --json`` say.
    model_bytes_ : bytes
        The model file.
    """

    _tasks = ("class",)

    def __init__(self, kernels=None, norm=4 / 3, C=1.0, scale="auto", normalize="multiplicative",
                 gap=1e-3, multiclass="ovr", class_weight=None, probability=False, folds=5,
                 views=None, max_iter=None, max_time=None, memory=None, disk=None, threads=None,
                 random_state=None, warm_start=False, scratch=None, verbose=False, options=None, impute=None):
        self.kernels = kernels
        self.norm = norm
        self.C = C
        self.scale = scale
        self.normalize = normalize
        self.gap = gap
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.probability = probability
        self.folds = folds
        self.views = views
        self.max_iter = max_iter
        self.max_time = max_time
        self.memory = memory
        self.disk = disk
        self.threads = threads
        self.random_state = random_state
        self.warm_start = warm_start
        self.scratch = scratch
        self.verbose = verbose
        self.options = options
        self.impute = impute

    def fit(self, X, y, sample_weight=None):
        """Train on rows and their classes.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of (rows, features); list or dict of these; kernels
        y : array of (rows,)
            Classes: integers, words, truth values, or a column of pandas with these.
        sample_weight : array of (rows,), default=None
            Factors of C by row. A row of weight 0 is left out.

        Returns
        -------
        self
        """
        problem = self._problem(X, y, sample_weight)
        if self.probability:
            problem.flags += ["--probability", "--folds", str(self.folds)]
        self._train(problem)
        self._set_classes(problem.classes, problem.names)
        return self

    def _problem(self, X, y, sample_weight) -> Problem:
        """Return the problem of rows and their classes."""
        inputs, y = self._inputs_of(X, plain(y), reset=True)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, y, dtype=np.float64)
        inputs, y, weights, kept = leave_out(inputs, y, sample_weight)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            where = "" if kept is None else " in the rows whose sample_weight is not 0"
            raise BigMKLInputError(f"only one class{where}, {classes[0]!r}, where two are needed")
        names = names_of(classes)
        flags = ["-C", repr(float(self.C))]
        if len(classes) > 2:
            flags += ["--multiclass", self.multiclass]
        if self.class_weight is not None:
            factors = compute_class_weight(self.class_weight, classes=classes, y=y)
            flags += ["--class-weight",
                      ",".join(f"{n}={float(f)!r}" for n, f in zip(names, factors))]
        return Problem(inputs, np.array(names)[codes], weights, kept, flags, classes, names)

    def _set_classes(self, classes: np.ndarray, names: list[str]) -> None:
        """Set what depends on classes, given with their names, and order machines by them."""
        info = self.model_info_
        self.classes_, self._names = classes, names
        known = info.get("classes") or [info["negative"], info["positive"]]
        place = {name: i for i, name in enumerate(names)}
        missing = [name for name in known if name not in place]
        if missing or len(known) != len(names):
            raise BigMKLInputError(f"a model of the classes {known}")
        # _machine_order is the number of the machine for each column of decisions, and _sign says
        # whether the only machine decides for the last class.
        self._machine_order, self._sign = None, 1
        kind = info.get("multiclass")
        if kind is None:
            self._sign = 1 if place[info["positive"]] == 1 else -1
            self.machines_ = [(classes[1], classes[0])]
        elif kind == "ovr":
            self._machine_order = np.argsort([place[name] for name in known])
            self.machines_ = [(c, None) for c in classes]
            for name in ("intercept_", "dual_coef_", "weights_", "w_norms_"):
                setattr(self, name, getattr(self, name)[self._machine_order])
        else:
            self.machines_ = [tuple(classes[place[m[side]]] for side in ("positive", "negative"))
                              for m in info["machines"]]
        self.intercept_ = self._sign * self.intercept_
        self.dual_coef_ = self._sign * self.dual_coef_

    @classmethod
    def from_model(cls, path, **parameters):
        """Return an estimator with the model of a file; see BigMKLEstimator.from_model.

        Classes are integers if their names in the model all are, and otherwise words.
        """
        estimator = super().from_model(path, **parameters)
        info = estimator.model_info_
        if info.get("multiclass") == "labels":
            raise BigMKLInputError("a model of sets of labels, which has no classes")
        names = info.get("classes") or [info["negative"], info["positive"]]
        estimator._set_classes(*classes_of(names))
        return estimator

    def _known_parameters(self, info: dict) -> dict:
        known = super()._known_parameters(info)
        known["probability"] = "folds" in info
        if info.get("multiclass") in ("ovr", "ovo"):
            known["multiclass"] = info["multiclass"]
        return known

    def _codes(self, words: np.ndarray) -> np.ndarray:
        """Return the places of names in classes_."""
        unique, inverse = np.unique(words, return_inverse=True)
        return np.array([self._names.index(word) for word in unique])[inverse]

    def predict(self, X):
        """Return the class of each row."""
        check_is_fitted(self)
        return self.classes_[self._codes(self._predict_words(X, 1)[:, 0])]

    def score(self, X, y, sample_weight=None) -> float:
        """Return the share of the rows whose class is predicted; y as in fit."""
        return super().score(X, plain(y), sample_weight)

    def decision_function(self, X):
        """Return f(x) of each row.

        Returns
        -------
        array of (rows,) or (rows, machines)
            With two classes, above 0 for the second. Otherwise a column for each class, or for each
            pair in the order of machines_.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return self._sign * self._predict_words(X, 1)[:, 1].astype(float)
        decisions = self._predict_words(X, len(self.machines_), "--decisions")[:, 1:].astype(float)
        return decisions if self._machine_order is None else decisions[:, self._machine_order]

    @available_if(_has_probability)
    def predict_proba(self, X):
        """Return the probability of each class, rows x classes.

        The class that predict chooses is that of the decision. It may differ from the one of the
        largest probability.
        """
        check_is_fitted(self)
        words = self._predict_words(X, 1 + len(self._names), "--probability")
        # The columns are in the order of the model: by value if all names are integers, else as text.
        known = self.model_info_.get("classes") or sorted(self._names, key=_model_order(self._names))
        columns = words[:, 2:].astype(float)
        return columns[:, [known.index(name) for name in self._names]]

    def predict_set(self, X, coverage=0.9):
        """Return the set of classes that holds the class of a share of the rows, for a model with calibration scores.

        The model has them if it was trained with ``options={"conformal": "split:0.2"}``, ``"by-class"`` or
        ``"folds:10"``, whose coverage is not proven.

        Returns
        -------
        array of bool, rows x classes
            In the order of classes_. A row may have no class: then it is like none.
        """
        lines = self._predict_lines(X, *flag("coverage", float(coverage)))
        found = np.zeros((len(lines), len(self.classes_)), bool)
        # Names may have blanks in them, and have no commas: label, decision and set.
        labels = sorted(self._names, key=len, reverse=True)
        for i, line in enumerate(lines):
            label = next(name for name in labels if line.startswith(name + " "))
            text = line[len(label) + 1:].split(" ", 1)[1]
            if text != "-":
                found[i, [self._names.index(name) for name in text.split(",")]] = True
        return found

    def verify(self, X, y, sample_weight=None) -> dict:
        """Recompute the gap on the data of the training, by code that shares nothing with it.

        Returns
        -------
        dict
            What ``bigmkl verify --json`` says.

        Raises
        ------
        BigMKLError
            If the model is not what it claims, or if the data are not those of the training.
        """
        check_is_fitted(self)
        inputs, y = self._inputs_of(X, plain(y))
        inputs, y, weights, _ = leave_out(inputs, np.asarray(y), sample_weight if
                                          sample_weight is None else np.asarray(sample_weight))
        place = {c: name for c, name in zip(self.classes_.tolist(), self._names)}
        try:
            labels = np.array([place[c] for c in y.tolist()])
        except KeyError as error:
            raise BigMKLInputError(f"a class {error} that the model does not know") from error
        return self._verify(inputs, labels, weights)

    def _more_tags(self) -> dict:
        reason = "the order of the rows differs, and so the model within its gap"
        return {**super()._more_tags(), "_xfail_checks": {"check_sample_weights_invariance": reason}}


def _model_order(names: list[str]):
    """Return the key by which a model orders classes: by value if all are integers, else as text."""
    try:
        [int(name) for name in names]
    except ValueError:
        return str
    return int
