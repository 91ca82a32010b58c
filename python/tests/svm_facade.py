"""Support vector machines of scikit-learn by name, which are estimators of bigmkl by other parameters.

A plugin of pytest (``-p tests.svm_facade``) puts them in the place of scikit-learn's own, and writes
the outcome of each test that has used one to the file that BIGMKL_FACADE_OUTCOMES names.
"""

import json
import os

import numpy as np
import scipy.sparse as sp
import sklearn.svm

from bigmkl import BigMKLClassifier, BigMKLOneClass, BigMKLRegressor

# Whether the test that is running has used one of the classifiers.
used = [False]


class Renamed:
    """What the classifiers have in common: one kernel of raw features, for which scikit-learn has its names."""

    norm, normalize, scale = 2, "none", "none"
    views = objects = memory = disk = threads = scratch = impute = max_time = None
    options = {"precision": 64}
    warm_start = False
    # scikit-learn's tests compare with six digits, and stop at a violation of tol.
    gap = property(lambda self: 1e-9 * self.tol)

    def __new__(cls, *arguments, **parameters):
        used[0] = True
        return super().__new__(cls)

    @property
    def kernels(self):
        """The kernel in the words of the command."""
        if callable(self.kernel) or self.kernel == "precomputed":
            return self.kernel
        gamma = getattr(self, "_gamma", self.gamma)
        return {"linear": "linear", "rbf": f"gauss:{gamma}"}[self.kernel]

    def _common_flags(self, train, without=()):
        flags = super()._common_flags(train, (*without, "max-iter"))
        return flags + ([f"--max-iter={self.max_iter}"] if train and self.max_iter >= 0 else [])

    def fit(self, X, y=None, sample_weight=None):
        """Resolve gamma, which depends on the data in scikit-learn, and train."""
        used[0] = True
        self._gamma = self.gamma
        if isinstance(self.gamma, str) and self.kernel != "linear" and not callable(self.kernel):
            rows = X if sp.issparse(X) else np.asarray(X, float)
            variance = rows.multiply(rows).mean() - rows.mean() ** 2 if sp.issparse(rows) else rows.var()
            self._gamma = 1 / (rows.shape[1] * (variance or 1) if self.gamma == "scale" else rows.shape[1])
        return super().fit(X, y, sample_weight=sample_weight)


class SVC(Renamed, BigMKLClassifier):
    """sklearn.svm.SVC."""

    loss, multiclass, folds = "hinge", "ovo", 5

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True,
                 probability=False, tol=1e-3, cache_size=200, class_weight=None, verbose=False,
                 max_iter=-1, decision_function_shape="ovr", break_ties=False, random_state=None):
        vars(self).update({k: v for k, v in locals().items() if k not in ("self", "__class__")})


class SVR(Renamed, BigMKLRegressor):
    """sklearn.svm.SVR."""

    loss, random_state = "svr", None

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0,
                 epsilon=0.1, shrinking=True, cache_size=200, verbose=False, max_iter=-1):
        vars(self).update({k: v for k, v in locals().items() if k not in ("self", "__class__")})


class OneClassSVM(Renamed, BigMKLOneClass):
    """sklearn.svm.OneClassSVM."""

    random_state = None

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, nu=0.5,
                 shrinking=True, cache_size=200, verbose=False, max_iter=-1):
        vars(self).update({k: v for k, v in locals().items() if k not in ("self", "__class__")})


for classifier in (SVC, SVR, OneClassSVM):
    setattr(sklearn.svm, classifier.__name__, classifier)

outcomes = {}


def pytest_runtest_setup(item):
    """Begin a test."""
    used[0] = any(isinstance(value, Renamed) or isinstance(value, type) and issubclass(value, Renamed)
                  for value in getattr(getattr(item, "callspec", None), "params", {}).values())


def pytest_runtest_logreport(report):
    """Keep the outcome of a test that has used one of the classifiers."""
    if report.when == "call" and used[0]:
        outcomes[report.nodeid.split("::", 1)[1]] = report.outcome


def pytest_sessionfinish():
    """Write the outcomes."""
    with open(os.environ["BIGMKL_FACADE_OUTCOMES"], "w", encoding="utf-8") as out:
        json.dump(outcomes, out)
