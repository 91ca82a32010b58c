"""Regression of times of events, of which some are censored."""

from __future__ import annotations

import numpy as np

from ._arguments import cost_flag, flag, loss_flags
from ._base import BigMKLEstimator
from ._errors import BigMKLInputError
from ._importance import ImportanceMixin
from ._inputs import Problem
from ._selection import SelectMixin
from ._targets import TargetsMixin

# The flags of each loss.
LOSSES = {"regression": ["--task", "survival"], "ranking": ["--task", "survival", "--survival", "ranking"], "cox": ["--task", "cox"]}

# The way out where events are the numbers 0 and 1.
TRUTH = "events are truth values: event.astype(bool)"


def _are_flags(column) -> bool:
    """Report whether a column has the numbers 0 and 1, and nothing else."""
    return set(np.unique(column).tolist()) == {0, 1}


def events_and_times(y):
    """Return events and times that are two arrays, or two columns of a DataFrame, as one structured array. Anything else is returned as it is."""
    if isinstance(y, (tuple, list)) and len(y) == 2:
        columns = [np.asarray(column) for column in y]
    elif hasattr(y, "iloc") and getattr(y, "ndim", 1) == 2 and y.shape[1] == 2:
        columns = [y.iloc[:, k] for k in range(2)]
        columns = [column.to_numpy(bool if column.dtype.kind == "b" else None) for column in columns]
    else:
        return y
    if [column.ndim for column in columns] != [1, 1] or sum(column.dtype.kind == "b" for column in columns) != 1:
        if isinstance(y, tuple):
            raise BigMKLInputError("y is a pair, and not of truth values and of times", TRUTH)
        return y
    if len(columns[0]) != len(columns[1]):
        raise BigMKLInputError(f"y has {len(columns[0])} and {len(columns[1])} elements, and not an event and a time for each row")
    both = np.empty(len(columns[0]), dtype=[("first", columns[0].dtype), ("second", columns[1].dtype)])
    both["first"], both["second"] = columns
    return both


def bounds_of(y) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper bound of the time of each row, which are equal if the row has an event.

    y is one of

    - a structured array with one field of truth values, whether there was an event, and one of numbers, as scikit-survival makes
      them (``sksurv.util.Surv``), in either order;
    - a pair of two such arrays, ``(event, time)``, or a DataFrame of two such columns, in either order;
    - an array of numbers that are negative in rows without an event until then;
    - an array or a DataFrame of two columns with both bounds. A lower bound of 0 or NaN excludes nothing, and so does an upper bound of
      infinity or NaN.

    A row without a lower bound has 0, and one without an upper bound has infinity.
    """
    y = np.asarray(events_and_times(y))
    if y.dtype.names is None and y.ndim == 2 and y.shape[1] == 2:
        lower, upper = y[:, 0].astype(float), y[:, 1].astype(float)
        # As bounds, events 0 and 1 beside times would give a model of something else without a word.
        if _are_flags(lower) or _are_flags(upper):
            raise BigMKLInputError("y has a column of 0 and 1 only, which is not one of bounds of times",
                                   TRUTH + "; NaN in place of a lower bound 0 excludes nothing")
        lower, upper = np.where(np.isnan(lower), 0, lower), np.where(np.isnan(upper), np.inf, upper)
        for wrong, why in [(lower < 0, "a lower bound below 0"), (~(upper > 0), "an upper bound that is not above 0"),
                           (lower > upper, "a lower bound above its upper bound"), (np.isinf(upper) & (lower == 0), "no bound"),
                           (np.isinf(lower), "an infinite lower bound")]:
            if np.any(wrong):
                raise BigMKLInputError(f"row {np.flatnonzero(wrong)[0]} of y, counted from 0, has {why}")
        return lower, upper
    if y.ndim == 0:
        raise BigMKLInputError("y is one value, and not a time for each row")
    if y.dtype.names is None:
        y = y.astype(float)
        return np.abs(y), np.where(y < 0, np.inf, y)
    kinds = [y.dtype[name].kind for name in y.dtype.names]
    if sorted(kinds)[0] != "b" or len(kinds) != 2 or sorted(kinds)[1] not in "fiu":
        raise BigMKLInputError("y has the fields " + ", ".join(f"{name} ({y.dtype[name]})" for name in y.dtype.names)
                               + ", and not one of truth values and one of numbers")
    event, time = (y[y.dtype.names[kinds.index(kind)]] for kind in sorted(kinds))
    if not np.all(time > 0):
        raise BigMKLInputError("a time of y is not above 0")
    time = time.astype(float)
    return time, np.where(event, time, np.inf)


def labels_of(y) -> np.ndarray:
    """Return the times as the command takes them: numbers that are negative without an event, or words if some have an upper bound alone."""
    if y is None:
        return None  # It is an error, which scikit-learn words.
    y = np.asarray(events_and_times(y))
    if y.dtype.names is None and y.ndim == 1:
        return y.astype(float)
    lower, upper = bounds_of(y)
    event = lower == upper
    if np.all(event | np.isinf(upper)):
        return np.where(event, lower, -lower)
    return np.array([repr(float(u)) if l == u else f"{float(l)!r}+" if np.isinf(u) else f"{float(l)!r}..{float(u)!r}" for l, u in zip(lower, upper)])


def concordance(lower, upper, predicted) -> float:
    """Return Harrell's C of predicted times, NaN without a comparable pair. Rows are comparable if their bounds do not overlap."""
    right, pairs = 0.0, 0
    for i in np.flatnonzero(np.isfinite(upper)):
        later = (lower > upper[i]) | (lower == upper[i]) & (upper > lower)
        pairs += np.count_nonzero(later)
        right += np.count_nonzero(predicted[later] > predicted[i]) + np.count_nonzero(predicted[later] == predicted[i]) / 2
    return right / pairs if pairs else float("nan")


class BigMKLSurvival(TargetsMixin, ImportanceMixin, SelectMixin, BigMKLEstimator):
    """Censored times of events by multiple kernel learning with a block norm.

    Parameters
    ----------
    loss : {"regression", "cox", "ranking"}, default="regression"
        What is learned, and predicted:

        - "regression": the logarithm of the time, by the epsilon-insensitive loss. A row of which bounds are known costs nothing where a
          time between them is predicted (Shivaswamy, Chu and Jansche 2007). predict returns times.
        - "cox": the relative hazard, by the partial likelihood with ties after Efron. predict returns its logarithm: the larger it is,
          the earlier is the event.
        - "ranking": a score, by pairs of rows (Van Belle et al. 2011). The larger it is, the later is the event.
    C : float, default=None
        Cost of the loss. None stands for the standard deviation of the logarithms of the times with "regression", and for the default of
        the command with the others. inf stands for 1e10.
    epsilon : float, default=None
        Half-width of the tube around the logarithms, with "regression". None stands for a tenth of their standard deviation.
    tau : float, default=None
        The quantile of the times that is predicted, in (0, 1), with "regression". None stands for 0.5, or for the share of the rows with an
        event if that is less.
    kernels, norm, scale, normalize, gap, views, max_iter, max_time, memory, disk, threads, \
random_state, warm_start, scratch, verbose, options, impute, objects
        As of BigMKLClassifier.

    Attributes
    ----------
    weights_, w_norms_, kernel_names_, feature_importances_, view_names_, support_, \
support_vectors_, n_support_, dual_coef_, intercept_, coef_, gap_, converged_, n_iter_, report_, \
model_info_, model_bytes_
        As of BigMKLClassifier, for one classifier.
    """

    _tasks = ("survival", "cox", "survival-ranking")
    _positive = True
    _targets_of = staticmethod(labels_of)

    def __init__(self, kernels=None, norm=4 / 3, C=None, epsilon=None, scale="auto",
                 normalize="multiplicative", gap=1e-3, views=None, max_iter=None, max_time=None,
                 memory=None, disk=None, threads=None, random_state=None, warm_start=False,
                 scratch=None, verbose=False, options=None, impute=None, tau=None, loss="regression", objects=None) -> None:
        self.kernels = kernels
        self.norm = norm
        self.C = C
        self.epsilon = epsilon
        self.scale = scale
        self.normalize = normalize
        self.gap = gap
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
        self.tau = tau
        self.loss = loss

    def fit(self, X, y, sample_weight=None) -> BigMKLSurvival:
        """Train on rows and their times; see bounds_of for y and BigMKLClassifier.fit for the rest."""
        self._train(self._problem(X, y, sample_weight))
        return self

    def _problem(self, X, y, sample_weight) -> Problem:
        """Return the problem of rows and their times."""
        inputs, y, weights, kept = self._rows_of(X, y, sample_weight, ensure_min_samples=2 if self.loss == "ranking" else 1)
        if self.loss not in LOSSES:
            raise BigMKLInputError(f"loss={self.loss!r}", "one of " + ", ".join(map(repr, LOSSES)))
        flags = [*LOSSES[self.loss], *(loss_flags(self, "survival") if self.loss == "regression" else [])]
        if self.C is not None:
            flags += cost_flag(self.C)
        return Problem(inputs, y, weights, kept, flags)

    def _restarts(self) -> bool:
        return self.loss == "regression"

    def _known_parameters(self, info: dict) -> dict:
        loss = {"survival": "regression", "survival-ranking": "ranking"}.get(info["task"], info["task"])
        return {**super()._known_parameters(info), "loss": loss}

    def predict(self, X) -> np.ndarray:
        """Return what is predicted for each row: a time, the logarithm of a relative hazard, or a score; see loss."""
        return self._predict_words(X, 0)[:, 0].astype(float)

    def predict_survival(self, X, times) -> np.ndarray:
        """Return the share of rows like each that have no event until some times: the survival curve of each row.

        It is for loss "cox", and for loss "regression" with residuals of held-out rows. A model has these if it was trained with
        ``options={"conformal": "folds:5"}``, or ``"split:0.2"``.

        Parameters
        ----------
        X
            The rows.
        times : array of float
            The times, ascending and above 0.

        Returns
        -------
        array of (rows, times)
        """
        times = [float(t) for t in np.ravel(times)]
        words = self._predict_words(X, len(times), *flag("survival-at", ",".join(map(repr, times))))
        return words[:, 1:].astype(float)

    def score(self, X, y) -> float:
        """Return the share of the comparable pairs of rows whose events are predicted in the right order (Harrell's C)."""
        predicted = self.predict(X)
        return concordance(*bounds_of(y), -predicted if self.model_info_["task"] == "cox" else predicted)
