"""Rows that name objects in place of features, such as the drug and the target of a pair."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.utils import check_array

from ._doubts import explained
from ._errors import BigMKLInputError
from ._inputs import Inputs

# The file of a matrix between objects in the specification of a kernel.
MATRIX = re.compile(r"\bprecomputed:([^@,()\s]+)@")

# A name of printable characters without blanks at its ends.
NAME = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?")
NAMES = "names have no control characters, and no blanks at their ends"

# The command separates names by blanks, tabs or commas, and takes # for a comment.
PLAIN = re.compile(r"[^\s,#\"]+")


def quoted(name: str) -> str:
    """Return a name as the command reads it: in quotes unless it is plain."""
    return name if PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


@dataclass
class Kind:
    """The objects of one or several columns.

    Attributes
    ----------
    columns : list of str
        Names of the columns.
    features : array of float
        Objects x features.
    names : list of str or None
        Names of the objects; None if a row has their numbers, from 0.
    """

    columns: list
    features: np.ndarray
    names: list | None

    def write(self, path: Path) -> str:
        """Write the objects into a file and return its name."""
        if self.names is None:
            np.save(path.with_suffix(".npy"), self.features)
            return path.name + ".npy"
        # Without features, a line of names would be taken for an object.
        lines = [",".join(["name", *(f"x{j + 1}" for j in range(self.features.shape[1]))])] if self.features.size else []
        lines += [",".join([quoted(name), *map(repr, row)]) for name, row in zip(self.names, self.features.tolist())]
        path.with_suffix(".csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path.name + ".csv"


@dataclass
class NamedRows(Inputs):
    """Rows that name objects. matrices has one array of words, rows x columns.

    Attributes
    ----------
    kinds : list of Kind
        The objects, none if the model alone has them.
    """

    kinds: list = field(default_factory=list)

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Return some of the rows as names."""
        return self.matrices[0][rows]

    def beyond(self, features: int) -> tuple[Inputs, int]:
        """Return the rows as they are: the command rejects unknown objects."""
        return self, 0

    def write(self, folder: Path) -> list[str]:
        """Write rows and objects into a folder and return the arguments that name them."""
        (folder / "rows.txt").write_text("".join(" ".join(map(quoted, row)) + "\n" for row in self.matrices[0].tolist()), encoding="utf-8")
        arguments = ["rows.txt"]
        for i, kind in enumerate(self.kinds):
            arguments += ["--objects", f"{','.join(kind.columns)}={kind.write(folder / f'objects{i + 1}')}"]
        return arguments


def kinds_of(objects: Mapping) -> list[Kind]:
    """Check the parameter objects, and return the kinds in their order."""
    if not isinstance(objects, Mapping) or not objects:
        raise BigMKLInputError("objects is not a dictionary", 'objects={"drug": features of drugs, "target": ..}')
    kinds = []
    for key, values in objects.items():
        columns = [key] if isinstance(key, str) else list(key)
        called = " and ".join(map(str, columns))
        with explained(values, f"objects of {called}"):
            features = check_array(values, dtype=np.float64, ensure_min_features=0, input_name=f"objects of {called}")
        # A DataFrame names its rows. Those of an array have numbers.
        names = [str(name) for name in values.index] if hasattr(values, "index") and hasattr(values, "columns") else None
        wrong = [name for name in names or [] if not NAME.fullmatch(name)]
        if wrong:
            raise BigMKLInputError(f"{wrong[0]!r} as the name of an object", NAMES)
        kinds.append(Kind(columns, features, names))
    return kinds


def matrix_flags(kernels) -> list[str]:
    """Return the flags by which verify takes the matrices between objects that kernels name, each once."""
    specs = kernels if isinstance(kernels, str) else ",".join(kernels or [])
    return [word for file in dict.fromkeys(MATRIX.findall(specs)) for word in ("--gram", file)]


def columns_of_model(info: dict) -> list[str]:
    """Return the names of the columns of the rows of a model."""
    return [column for kind in info["objects"] for column in kind["columns"]]


def rows_of(X, columns: Sequence[str], kinds: list[Kind]) -> NamedRows:
    """Return rows that name an object for each column.

    Parameters
    ----------
    X : array or DataFrame of (rows, columns)
        Names or numbers of objects. Of a DataFrame, the columns are found by their names.
    columns : sequence of str
        Names of the columns.
    kinds : list of Kind
    """
    if hasattr(X, "columns"):
        lost = [column for column in columns if column not in set(X.columns)]
        if lost:
            raise BigMKLInputError(f"X has no column {lost[0]!r}", f"its rows name objects in the columns {', '.join(columns)}")
        X = X[list(columns)]
    values = np.asarray(X)
    if values.ndim != 2 or values.shape[1] != len(columns):
        raise BigMKLInputError(f"X of shape {values.shape}, and rows that name {len(columns)} objects",
                               f"a column each: {', '.join(columns)}")
    if values.dtype.kind == "f":  # Numbers of objects may come as floats, from a DataFrame with gaps or from a stacked array.
        wrong = values[values != np.floor(values)]
        if wrong.size:
            raise BigMKLInputError(f"{wrong[0]} as the number of an object")
        values = values.astype(np.int64)
    words = values.astype(str)
    wrong = next((word for word in np.unique(words) if not NAME.fullmatch(word)), None)
    if wrong is not None:
        raise BigMKLInputError(f"{wrong!r} as the name of an object in X", NAMES)
    return NamedRows([words], kinds=kinds)
