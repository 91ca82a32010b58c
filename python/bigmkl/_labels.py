"""Classes of scikit-learn, which may be any values, and names of classes in a model."""

from __future__ import annotations

import re

import numpy as np

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
