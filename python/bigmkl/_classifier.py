"""Classification."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._arguments import cost_flag
from ._base import BigMKLEstimator
from ._decisions import DecisionsMixin
from ._compat import check_weights
from ._errors import BigMKLInputError
from ._importance import ImportanceMixin
from ._inputs import Problem, leave_out
from ._labels import classes_of, names_of, plain
from ._model import ModelArrays
from ._pairs import classes_of_dual, dual_of_pairs, pairs_of
from ._selection import SelectMixin


class BigMKLClassifier(DecisionsMixin, ClassifierMixin, ImportanceMixin, SelectMixin, BigMKLEstimator):
    """Classification by multiple kernel learning with a block norm.

    Parameters
    ----------
    kernels : str, function, or list of these, default=None
        Kernels as ``bigmkl train --kernels`` takes them, such as ``"gauss:auto/10,linear"``. None is
        ten Gaussian kernels around the median distance, for each view if there are views. With
        ``"precomputed"``, X holds kernel matrices: rows x rows in fit, and rows x rows of the
        training in predict; several are a list, or an array of rows x columns x matrices or of
        matrices x rows x columns. A function takes two lists of rows, A and B, and returns the
        len(A) x len(B) values of a kernel; rows may then be anything, and the estimator keeps those of fit.
    norm : float, str or None, default=4/3
        Block norm p, from 1 (few kernels) to inf; 2 is the plain sum. None leaves the norm to options:
        ``{"elastic_net": 0.5}``, or weights by a rule, ``{"weights": "rule:alignf"}``.
    C : float, default=1.0
        Cost of the loss, above 0. inf stands for 1e10.
    scale : {"auto", "none", "minmax", "standard", "global"}, default="auto"
        Scaling of features, which is part of the model. "auto" is "standard" for views whose
        features have very unequal variances, and "none" for others.
    normalize : {"multiplicative", "spherical", "none"}, default="multiplicative"
        Normalisation of kernels.
    gap : float, default=1e-3
        Relative duality gap to reach.
    multiclass : {"ovr", "ovo"}, default="ovr"
        What is trained for more than two classes: a classifier for each class against the rest, or for
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
        Largest number of iterations of all classifiers together; None is no limit.
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
        files in it have to be absolute. Flags that are parameters here, or that name what fit takes
        and gives, are rejected.
    impute : {"median", "mean", "zero"}, default=None
        What stands for NaN in X, learned from the rows of fit. None rejects NaN.
    decision_function_shape : {"ovr", "ovo"}, default=None
        What decision_function has a column for with more than two classes: each class, or each pair.
        None is what multiclass says. "ovr" of pairs counts the pairs that a class wins, as
        scikit-learn does.
    break_ties : bool, default=None
        What predict chooses of several classes that win as many pairs. None is the one of the larger
        sum of decisions, False the first, and True the one of the largest value of decision_function,
        which has to be of shape "ovr".
    loss : {"hinge", "logistic"}, default="hinge"
        The hinge, or the log loss, whose decisions are the logarithms of odds: predict_proba then needs no
        probability, and nothing is fitted for it.
    objects : dict, default=None
        Objects that the rows of X name in place of features: for each column of X, such as "drug", an array with a row
        of features for each object, or a DataFrame whose index has the names of the objects. Without names, X has the
        numbers of the objects, from 0. A tuple of columns, such as ``("a", "b")``, has the same objects in both. Kernels then name a
        column, as in ``"gauss:auto@drug"``. predict takes new objects from this parameter, and the model has all others.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    weights_, w_norms_ : array of (kernels,) or (classifiers, kernels)
        theta and ||w_m|| of each kernel.
    kernel_names_ : list of str or None
        The kernels in the order of weights_; None above 10,000 kernels.
    feature_importances_ : array
        Share of each view (or group, or kernel matrix) in the norms of w, and
    view_names_ : list of str
        the names of these. Both are there only if the model has them.
    support_ : array of (support vectors,)
        Rows of the support vectors, class by class.
    support_vectors_ : array or sparse matrix of (support vectors, columns)
        These rows, as X has them and in double precision; empty of kernel matrices and functions. A model of a file
        has none.
    n_support_ : array of (classes,)
        The number of support vectors of each class. A model of a file has none if multiclass is "ovr".
    dual_coef_ : array of (1, support vectors), or (classes - 1 or classes, support vectors)
        Signed dual variables, as a sparse matrix if X is one. With multiclass="ovo" a support vector has a
        row for each other class, in the layout of scikit-learn. With "ovr" there is a row for each class,
        against all others.
    intercept_ : array of (functions,)
        Constants of the decision functions, which are one, or one for each class or pair.
    coef_ : array of (functions, columns)
        Coefficients of the columns of X: X @ coef_.T + intercept_ is what the classifiers decide by. It is
        there if all kernels are linear.
    machines_ : list of (class, class or None)
        Positive and negative class of each classifier; None is all others.
    gap_, converged_ : float, bool
        Relative duality gap, and whether the one that was asked for was reached.
    n_iter_ : array of int
        Number of iterations of each classifier; None for a model of a file.
    report_, model_info_ : dict
        What ``bigmkl train --json`` (None for a model of a file) and ``inspect --json`` say.
    model_bytes_ : bytes
        The model file.
    """

    _tasks = ("class", "logistic")
    _failing = {"check_sample_weights_invariance":
                "the order of the rows differs, and so the model within its gap"}

    def __init__(self, kernels=None, norm=4 / 3, C=1.0, scale="auto", normalize="multiplicative",
                 gap=1e-3, multiclass="ovr", class_weight=None, probability=False, folds=5,
                 views=None, max_iter=None, max_time=None, memory=None, disk=None, threads=None,
                 random_state=None, warm_start=False, scratch=None, verbose=False, options=None, impute=None,
                 decision_function_shape=None, break_ties=None, loss="hinge", objects=None) -> None:
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
        self.objects = objects
        self.impute = impute
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.loss = loss

    def fit(self, X, y, sample_weight=None) -> BigMKLClassifier:
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
        if self.probability and self.loss == "hinge":
            problem.flags += ["--probability", "--folds", str(self.folds)]
        self._train(problem)
        return self

    def _problem(self, X, y, sample_weight) -> Problem:
        """Return the problem of rows and their classes."""
        inputs, y = self._inputs_of(X, plain(y), reset=True)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, y)
        inputs, y, weights, kept = leave_out(inputs, y, sample_weight)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            one = f"only one class, {classes[0]!r}, where two are needed"
            if kept is None:
                raise BigMKLInputError(one)
            raise BigMKLInputError("Invalid input - all samples with positive weights belong to the same class", one)
        names = names_of(classes)
        flags = cost_flag(self.C)
        if self.loss not in ("hinge", "logistic"):
            raise BigMKLInputError(f"loss={self.loss!r}", "it is 'hinge' or 'logistic'")
        if self.loss == "logistic":
            flags += ["--task", "logistic"]
        if len(classes) > 2:
            flags += ["--multiclass", self.multiclass]
        if self.class_weight is not None:
            factors = compute_class_weight(self.class_weight, classes=classes, y=y)
            flags += ["--class-weight",
                      ",".join(f"{n}={float(f)!r}" for n, f in zip(names, factors))]
        return Problem(inputs, np.array(names)[codes], weights, kept, flags, classes, codes)

    def _describe(self, problem: Problem | None) -> None:
        """Set what depends on classes and the rows of the training; see BigMKLEstimator._describe."""
        info, codes, inputs = self.model_info_, None, None
        known = info.get("classes") or [info["negative"], info["positive"]]
        if problem is not None:
            inputs, codes = problem.inputs, problem.codes
            self.classes_, self._names = problem.classes, names_of(problem.classes)
        elif info.get("multiclass") == "labels":
            raise BigMKLInputError("a model of sets of labels, which has no classes")
        else:
            self.classes_, self._names = classes_of(known)
        if sorted(known) != sorted(self._names):
            raise BigMKLInputError(f"a model of the classes {known}")
        self._arrange_classifiers(known)
        dual, rows = ModelArrays(self.model_bytes_).dual()
        dual, k = self._arrange_functions(dual), len(self.classes_)
        pairs = info.get("multiclass") == "ovo"
        if codes is not None:
            codes = codes[rows]
        elif k == 2:
            codes = (dual[0] > 0).astype(int)
        elif pairs:
            codes = classes_of_dual(dual, k)
        else:  # A row may be a support vector of classifiers of other classes alone.
            codes = np.zeros(len(rows), int)
        if pairs:
            dual = dual_of_pairs(dual, codes, k)
        order = np.argsort(codes, kind="stable")
        self._set_support(dual[:, order], rows[order], inputs, np.bincount(codes, minlength=k))
        if self.n_iter_ is not None:
            each = [m.get("iterations") for m in self.report_.get("machines", [])]
            # Classifiers with one set of weights are trained together.
            each = [self.n_iter_] if not each or None in each else np.take(each, self._order)
            self.n_iter_ = np.maximum(each, 1).astype(np.int32)
        if problem is None and k > 2 and not pairs:
            del self._n_support

    def _arrange_classifiers(self, known: list[str]) -> None:
        """Set which classifier each decision function is of, given the classes of the model by name."""
        info, names = self.model_info_, self._names
        kind = info.get("multiclass")
        if kind is None:
            self._signs = np.array([1.0 if names.index(info["positive"]) == 1 else -1.0])
            self.machines_ = [(self.classes_[1], self.classes_[0])]
            return
        if kind == "ovo":
            found = {(m["positive"], m["negative"]): i for i, m in enumerate(info["machines"])}
            pairs = [(names[i], names[j]) for i, j in pairs_of(len(names))]
            self._order = np.array([found.get(p, found.get(p[::-1])) for p in pairs])
            self._signs = np.array([1.0 if p in found else -1.0 for p in pairs])
            self.machines_ = [(self.classes_[i], self.classes_[j]) for i, j in pairs_of(len(names))]
        else:
            self._order = np.argsort([names.index(name) for name in known])
            self.machines_ = [(c, None) for c in self.classes_]
        self.weights_, self.w_norms_ = self.weights_[self._order], self.w_norms_[self._order]

    def _known_parameters(self, info: dict) -> dict:
        known = super()._known_parameters(info)
        known["probability"] = "folds" in info
        known["loss"] = "logistic" if info["task"] == "logistic" else "hinge"
        if info.get("multiclass") in ("ovr", "ovo"):
            known["multiclass"] = info["multiclass"]
        return known

    def score(self, X, y, sample_weight=None) -> float:
        """Return the share of the rows whose class is predicted; y as in fit."""
        return super().score(X, plain(y), sample_weight)

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
