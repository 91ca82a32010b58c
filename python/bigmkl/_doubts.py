"""Names the column for which scikit-learn rejects data, and the way out."""

from __future__ import annotations

import contextlib

import numpy as np
import scipy.sparse as sp

from ._errors import BigMKLInputError

ENCODE = 'encode it: pandas.get_dummies(X), or OneHotEncoder in a pipeline'


@contextlib.contextmanager
def explained(X, view: str = "", imputes: bool = False, trained: bool = False):
    """Raise an error that names the column, where a validation within rejects X for words or missing values.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame
        What is validated.
    view : str
        The name of the view that X is, or "".
    imputes : bool
        Whether NaN may be in the data.
    trained : bool
        Whether a model is there, in which it is settled whether values may be missing.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if isinstance(error, BigMKLInputError):
            raise
        found = _words(X) or (None if imputes else _missing(X, trained))
        if found is None:
            raise
        message, hint = found
        raise BigMKLInputError(f"view {view}: {message}" if view else message, hint) from None


def _columns(X):
    """Yield the columns of dense data with what they are called."""
    if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
        for i, name in enumerate(X.columns):
            yield f"column {name}", X.iloc[:, i]
    elif not sp.issparse(X):
        try:
            values = np.asarray(X)
        except ValueError:  # Rows of different lengths.
            return
        if values.ndim == 2:
            for i in range(values.shape[1]):
                yield f"column {i}", values[:, i]


def _lacking(column) -> np.ndarray:
    """Report which values of a column are missing."""
    if hasattr(column, "isna"):
        return np.asarray(column.isna())
    if column.dtype.kind == "O":
        return np.array([v is None or isinstance(v, float) and v != v for v in column], bool)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), bool)


def _is_word(value) -> bool:
    """Report whether a value is text that is no number: NumPy takes "1.5" for one."""
    try:
        float(value)
    except (TypeError, ValueError):
        return isinstance(value, str)
    return False


def _words(X) -> tuple[str, str] | None:
    """Describe the first column with words or times."""
    for called, column in _columns(X):
        kind = str(column.dtype)
        if kind.startswith(("datetime", "timedelta", "period")):
            return f"{called} has times", "make numbers of them, such as days since the first"
        if not kind.startswith(("int", "uint", "float", "bool")):
            held = np.asarray(column, dtype=object)[~_lacking(column)]
            word = next(filter(_is_word, held), None)
            if word is not None:
                return f"{called} has words, such as {word[:32]!r}", ENCODE
    return None


def _missing(X, trained: bool) -> tuple[str, str] | None:
    """Describe the first column with missing values."""
    if sp.issparse(X):
        held = sp.coo_matrix(X)
        columns, counts = np.unique(held.col[_lacking(held.data)], return_counts=True)
        lacking = [(f"column {c}", int(n)) for c, n in zip(columns, counts)]
    else:
        counts = [(called, int(_lacking(column).sum())) for called, column in _columns(X)]
        lacking = [(called, n) for called, n in counts if n > 0]
    if not lacking:
        return None
    called, count = lacking[0]
    more = len(lacking) - 1
    rest = f", and {more} other column{'s have' if more > 1 else ' has'} some" if more else ""
    fills = 'impute="median" fills in missing values'
    return (f"Input X contains NaN: {called} has {count} missing value{'s' * (count > 1)}{rest}",
            f"train with impute: {fills}" if trained else fills)
