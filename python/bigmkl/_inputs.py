"""Data of an estimator, and the files in which the command reads them.

There are three kinds. A matrix has all features, and ranges of its columns may be views. Several
matrices have the same rows, and each is a view. Kernel matrices stand for features that nobody
gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

from ._compat import finite
from ._doubts import explained
from ._errors import BigMKLInputError

PRECOMPUTED = "precomputed"

# What the name of a view may consist of, so that files and kernels can name it.
VIEW_NAME = re.compile(r"[A-Za-z0-9_.-]+")

# Types that the command reads as they are. All others become float64.
FLOATS = [np.float64, np.float32]


@dataclass
class Inputs:
    """Data of one call.

    Attributes
    ----------
    matrices : list of array or sparse matrix
        Features, rows x columns. Several are views of the same rows.
    names : list of str
        Names of several matrices; empty for a single one.
    ranges : list of (str, int, int)
        Views of a single matrix: name, first and last column, counted from 1.
    grams : list of array
        Kernel matrices: rows x rows of the training.
    whole : array, sparse matrix or None
        The matrix that columns were chosen from, if they were.
    columns : array of int or None
        The columns that were chosen.
    """

    matrices: list = field(default_factory=list)
    names: list = field(default_factory=list)
    ranges: list = field(default_factory=list)
    grams: list = field(default_factory=list)
    whole: object = None
    columns: np.ndarray | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return (self.grams or self.matrices)[0].shape[0]

    @property
    def features(self) -> int:
        """Number of columns of all matrices together, or of a kernel matrix."""
        return self.grams[0].shape[1] if self.grams else sum(x.shape[1] for x in self.matrices)

    def left_out(self, names: Sequence[str] | None) -> str:
        """Return in words how many columns are in no view, and some of their names; "" if all are in one."""
        if self.whole is None:
            return ""
        total = self.whole.shape[1]
        left = np.setdiff1d(np.arange(total), self.columns)
        shown = [repr(str(names[i])) if names is not None else str(i) for i in left[:3]]
        return f"{len(left)} of {total} columns: {', '.join(shown)}{', ..' * (len(left) > 3)}" if len(left) else ""

    def take(self, rows: np.ndarray) -> Inputs:
        """Return some of the rows. Columns of kernel matrices stay, see take_columns."""
        return replace(self, matrices=[x[rows] for x in self.matrices],
                       grams=[k[rows] for k in self.grams],
                       whole=None if self.whole is None else self.whole[rows])

    def take_columns(self, columns: np.ndarray) -> Inputs:
        """Return some of the columns of the kernel matrices, which are rows of the training."""
        return replace(self, grams=[k[:, columns] for k in self.grams])

    def vectors(self, rows: np.ndarray):
        """Return some of the rows with all columns of X in double precision; of kernel matrices nothing."""
        if self.grams:
            return np.empty((0, 0))
        parts = [x[rows] for x in ([self.whole] if self.whole is not None else self.matrices)]
        if len(parts) == 1:
            return parts[0].astype(np.float64)
        sparse = any(map(sp.issparse, parts))
        return (sp.hstack(parts, format="csr") if sparse else np.hstack(parts)).astype(np.float64)

    def beyond(self, features: int) -> tuple[Inputs, int]:
        """Set features beyond the given number to zero.

        The command does not know features that were zero in every row of the training and stand
        behind all others, and rejects rows that have them.

        Returns
        -------
        inputs : Inputs
        changed : int
            Number of values that were not zero.
        """
        matrices, changed, at = [], 0, 0
        for x in self.matrices:
            known = min(max(features - at, 0), x.shape[1])
            at += x.shape[1]
            rest = x[:, known:]
            count = rest.nnz if sp.issparse(x) else np.count_nonzero(rest)
            if count and sp.issparse(x):
                x = sp.hstack([x[:, :known], sp.csr_matrix(rest.shape)], format="csr")
            elif count:
                x = x.copy()
                x[:, known:] = 0
            matrices.append(x)
            changed += count
        return replace(self, matrices=matrices), changed

    def write(self, folder: Path) -> list[str]:
        """Write the data into a folder and return the arguments of the command that name them."""
        if self.grams:
            for i, k in enumerate(self.grams):
                np.save(folder / gram_file(i), k)
            # Rows without a feature, so that the command knows how many there are.
            np.save(folder / "rows.npy", np.zeros((self.rows, 1), np.float32))
            return ["rows.npy"]
        if self.ranges:
            lines = [f"{name} {first} {last}\n" for name, first, last in self.ranges]
            (folder / "views.txt").write_text("".join(lines), encoding="utf-8")
        arguments = []
        for i, x in enumerate(self.matrices):
            file = write_matrix(folder / f"X{i + 1}", x)
            arguments.append(f"{self.names[i]}={file}" if self.names else file)
        return arguments


@dataclass
class Problem:
    """What is trained: data, what is known of the rows, and the flags of the task.

    Attributes
    ----------
    inputs, labels, weights
        The rows, without those of weight 0.
    kept : array of int or None
        The numbers of these rows in X, or None if all are there.
    flags : list of str
        Flags of the task.
    classes, codes
        The classes, sorted, and the number of the class of each row; None where there are none.
    """

    inputs: Inputs
    labels: np.ndarray | None
    weights: np.ndarray | None
    kept: np.ndarray | None
    flags: list
    classes: np.ndarray | None = None
    codes: np.ndarray | None = None


def gram_file(i: int) -> str:
    """Return the name of the file of the kernel matrix of index i."""
    return f"K{i + 1}.npy"


def write_matrix(path: Path, x) -> str:
    """Write a matrix as .npz if it is sparse and as .npy if not, and return the name of the file."""
    if sp.issparse(x):
        # The command rejects rows whose columns do not ascend or repeat. The matrix may be the
        # caller's, and is not changed.
        if not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        sp.save_npz(path.with_suffix(".npz"), x, compressed=False)
        return path.name + ".npz"
    np.save(path.with_suffix(".npy"), x)
    return path.name + ".npy"


def as_rows(x):
    """Return a sparse matrix or array of any format in compressed rows, and anything else as it is.

    scikit-learn converts most formats, but not all that a release of SciPy has.
    """
    return sp.csr_matrix(x) if sp.issparse(x) and x.ndim == 2 else x


def is_several(X) -> bool:
    """Report whether X is a list or a dictionary of matrices, and not rows of one."""
    if sp.issparse(X):  # A dok_matrix is a dictionary in many releases of SciPy.
        return False
    if isinstance(X, Mapping):
        return True
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(
        getattr(x, "ndim", 0) == 2 for x in X)


def join_several(X, missing: bool = False, trained: bool = False) -> Inputs:
    """Check views that are matrices of their own, given as a list or as a dictionary by name."""
    names = list(X) if isinstance(X, Mapping) else [f"view{i + 1}" for i in range(len(X))]
    check_names(names)
    values = X.values() if isinstance(X, Mapping) else X
    matrices = []
    for name, x in zip(names, values):
        with explained(x, name, missing, trained):
            matrices.append(check_array(as_rows(x), accept_sparse="csr", dtype=FLOATS, input_name=name, **finite(missing)))
    check_consistent_length(*matrices)
    return Inputs(matrices, names)


def names_within(X) -> dict[str, list[str]]:
    """Return the names of the columns of each view that is a DataFrame with names."""
    several = X if isinstance(X, Mapping) else {f"view{i + 1}": x for i, x in enumerate(X)}
    found = {name: list(getattr(x, "columns", [])) for name, x in several.items()}
    return {name: columns for name, columns in found.items() if columns and all(isinstance(c, str) for c in columns)}


def check_names_within(X, known: Mapping[str, list[str]]) -> None:
    """Raise BigMKLInputError if a view has other names of columns than in fit, or in another order."""
    for name, columns in names_within(X).items():
        want = known.get(name, columns)
        if columns != want:
            lost = [c for c in want if c not in set(columns)]
            how = f"no column {lost[0]!r}" if lost else "its columns in another order than in fit" if len(columns) == len(want) \
                else f"{len(columns)} columns, and fit had {len(want)}"
            raise BigMKLInputError(f"view {name} has {how}", "X[view][names] chooses the columns of fit")


def check_names(names: Sequence[str]) -> None:
    """Raise BigMKLInputError if a view has no name that files and kernels can use."""
    for name in names:
        if not isinstance(name, str) or not VIEW_NAME.fullmatch(name):
            raise BigMKLInputError(f"{name!r} as the name of a view",
                                   "names consist of letters, digits, _, . and -")
    if len(set(names)) < len(names):
        raise BigMKLInputError("two views of one name")


def leave_out(inputs: Inputs, y: np.ndarray | None, weights: np.ndarray | None):
    """Leave out rows of weight 0 or below 0, as scikit-learn does.

    Returns
    -------
    inputs, y, weights
        Without these rows. The weights are None if all of them are 1.
    kept : array of int or None
        The numbers of the rows that are left, or None if all are.
    """
    kept = None
    if weights is not None:
        if not np.all(weights > 0):
            kept = np.flatnonzero(weights > 0)
            if len(kept) == 0:
                raise BigMKLInputError("Invalid input - all samples have zero or negative weights.",
                                       "a row whose sample_weight is 0 or below 0 is left out")
            inputs, weights = inputs.take(kept), weights[kept]
            inputs = inputs.take_columns(kept)
            y = y if y is None else y[kept]
        if np.all(weights == 1):
            weights = None
    return inputs, y, weights, kept


def split_views(X, names_in: Sequence[str] | None, views) -> Inputs:
    """Choose the columns of views.

    Parameters
    ----------
    X : array or sparse matrix
        The features, validated.
    names_in : sequence of str or None
        Names of the columns.
    views : dict or list of str
        Columns of each view by its name, or prefixes of names of columns.

    Returns
    -------
    Inputs
        One matrix with the columns of the views one after the other. A column of several views is
        in it several times, and one of none is left out.
    """
    columns, ranges, at = [], [], 0
    for name, chosen in _selectors(views):
        found = _columns_of(chosen, names_in, X.shape[1])
        if len(found) == 0:
            raise BigMKLInputError(f"view {name} has no columns")
        columns.append(found)
        ranges.append((name, at + 1, at + len(found)))
        at += len(found)
    check_names([name for name, _, _ in ranges])
    order = np.concatenate(columns)
    # A copy is not needed where the views are all columns in their order.
    if np.array_equal(order, np.arange(X.shape[1])):
        return Inputs([X], ranges=ranges)
    return Inputs([X[:, order]], ranges=ranges, whole=X, columns=order)


def _selectors(views) -> Iterator[tuple[str, object]]:
    """Yield the name of each view and what chooses its columns."""
    if isinstance(views, Mapping):
        yield from views.items()
        return
    if isinstance(views, str):
        views = [views]
    for prefix in views:
        # The view of the columns "expr.a" and "expr.b" is called expr.
        yield prefix.rstrip("._-:/ ") if isinstance(prefix, str) else prefix, prefix


def _columns_of(chosen, names_in: Sequence[str] | None, total: int) -> np.ndarray:
    """Return the numbers of the columns that a prefix, names, numbers, a mask or a slice choose."""
    if isinstance(chosen, slice):
        return np.arange(total)[chosen]
    if isinstance(chosen, str):
        _need_names(names_in)
        return np.array([i for i, name in enumerate(names_in)
                         if str(name).startswith(chosen)], int)
    chosen = list(chosen)
    if chosen and all(isinstance(c, str) for c in chosen):
        _need_names(names_in)
        place = {name: i for i, name in enumerate(names_in)}
        missing = [c for c in chosen if c not in place]
        if missing:
            raise BigMKLInputError(f"no column is called {missing[0]!r}")
        return np.array([place[c] for c in chosen], int)
    if chosen and all(isinstance(c, (bool, np.bool_)) for c in chosen):
        if len(chosen) != total:
            raise BigMKLInputError(f"a mask of {len(chosen)} for {total} columns")
        return np.flatnonzero(chosen)
    try:
        return np.arange(total)[np.array(chosen, dtype=int)]
    except (IndexError, TypeError, ValueError) as error:
        raise BigMKLInputError(f"columns {chosen!r} of {total}") from error


def _need_names(names_in: Sequence[str] | None) -> None:
    if names_in is None:
        raise BigMKLInputError("columns by name or prefix, where X has no names",
                               "X has to be a DataFrame")


class Table(Inputs):
    """A DataFrame for a model whose columns have names. The command finds and checks them."""

    def write(self, folder: Path) -> list[str]:
        """Write the table into a folder and return its name."""
        self.matrices[0].to_csv(folder / "table.csv", index=False)
        return ["table.csv"]

    def beyond(self, features: int) -> tuple[Inputs, int]:
        """Return the table as it is: a model of a table has as many features as that."""
        return self, 0
