"""Classes of scikit-learn, which may be any values, and names of classes in a model."""

from __future__ import annotations

import re

import numpy as np

from ._errors import BigMKLInputError

# A word that a model may have as the name of a class, that parts of a file of predictions cannot be
# mistaken for, and that --class-weight can name. It begins with a letter.
WORD = re.compile(r"[^\W\d_](?:[\w.\- ]*[\w.\-])?")


def names_of(classes: np.ndarray) -> list[str]:
    """Return a name for each class: its own where the command can have it.

    Integers keep their value, and words are their own names. If any class is neither, all are
    called by their numbers from 0.
    """
    kind = classes.dtype.kind
    if kind in "iub":
        return [str(int(c)) for c in classes]
    if kind == "f" and np.all(classes == np.round(classes)) and np.all(np.abs(classes) < 2**53):
        return [str(int(c)) for c in classes]
    names = classes.tolist()
    if all(isinstance(name, str) and _is_word(name) for name in names):
        return names
    return [str(i) for i in range(len(classes))]


def plain(y):
    """Return labels that are objects, as pandas gives them, as values of one type.

    Parameters
    ----------
    y : array, list, Series, Categorical or None

    Raises
    ------
    BigMKLInputError
        If a label is missing, or if labels are of several types, which have no order.
    """
    if y is None:
        return y
    values = np.asarray(y)
    if values.dtype != object:
        # pandas has integers and truth values of its own, whose arrays are NumPy's.
        return values if hasattr(y, "dtype") else y
    kinds = {}
    for row, label in enumerate(values.ravel()):
        if _is_missing(label):
            raise BigMKLInputError(f"the label of row {row}, counted from 0, is missing",
                                   "leave out rows without a label")
        kinds.setdefault(_kind(label), label)
    if set(kinds) <= {"str"}:
        return values
    for known, to in [({"bool"}, bool), ({"int"}, np.int64), ({"int", "float"}, float)]:
        if set(kinds) <= known:
            try:
                return values.astype(to)
            except OverflowError:
                break
    names = " and ".join(sorted(type(label).__name__ for label in kinds.values()))
    raise BigMKLInputError(f"labels of type {names}",
                           "y.astype(str) makes words of them; integers have 64 bits")


def _is_missing(label) -> bool:
    """Report whether a label is None, NaN, or what pandas has for a missing value."""
    if isinstance(label, (float, np.floating)):
        return bool(np.isnan(label))
    return label is None or type(label).__name__ in ("NAType", "NaTType")


def _kind(label) -> str:
    """Return the type of a label: that of Python for what NumPy has of the same."""
    for name, types in [("bool", (bool, np.bool_)), ("int", (int, np.integer)),
                        ("float", (float, np.floating)), ("str", str)]:
        if isinstance(label, types):
            return name
    return type(label).__name__


def _is_word(name: str) -> bool:
    """Report whether a name can be that of a class, and no program reads it as a number."""
    if not WORD.fullmatch(name) or len(name.encode()) > 1024:
        return False
    try:
        float(name.replace("_", ""))  # "nan" and "infinity" are numbers.
    except ValueError:
        return True
    return False


def classes_of(names: list[str]) -> tuple[np.ndarray, list[str]]:
    """Return classes for the names of a model, sorted, and the name of each.

    The classes are integers if all names are, and otherwise the names themselves.
    """
    try:
        names = sorted(names, key=int)
        return np.array([int(name) for name in names]), names
    except ValueError:
        return np.array(sorted(names)), sorted(names)
