"""Views from lists, dictionaries, tables and annotated data, in a form that scikit-learn can cut by rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _inputs
from ._errors import BigMKLInputError


class Views(Mapping):
    """Matrices of the same rows by name, as the estimators take them.

    A name chooses a view, and anything else rows of all of them, so that cross-validation can cut it:

    >>> import numpy as np
    >>> views = Views({"a": np.ones((4, 2)), "b": np.zeros((4, 3))})
    >>> views.shape
    (4, 5)
    >>> views["b"].shape, views[[0, 2]].shape
    ((4, 3), (2, 5))
    """

    def __init__(self, matrices: Mapping) -> None:
        inputs = _inputs.join_several(dict(matrices), missing=True)
        self._matrices = dict(zip(inputs.names, inputs.matrices))

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._matrices[key]
        if isinstance(key, (int, np.integer)):
            key = [key]
        return Views({name: x[key] for name, x in self._matrices.items()})

    def __iter__(self) -> Iterator[str]:
        return iter(self._matrices)

    def __len__(self) -> int:
        return len(self._matrices)

    def __repr__(self) -> str:
        return "Views(" + ", ".join(f"{n}: {x.shape[0]} x {x.shape[1]}" for n, x in self._matrices.items()) + ")"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and columns of all views together."""
        parts = list(self._matrices.values())
        return parts[0].shape[0], sum(x.shape[1] for x in parts)

    @property
    def ndim(self) -> int:
        """2, as of a matrix."""
        return 2


class MultiView(TransformerMixin, BaseEstimator):
    """Make views of whatever holds several kinds of measurements of the same rows.

    Parameters
    ----------
    views : dict or list, default=None
        What the views are. Of a matrix or DataFrame, as the parameter ``views`` of the estimators: prefixes of
        columns, their names or numbers, by the name of the view. Of an AnnData, ``"X"``, ``"layers/NAME"``, ``"obsm/NAME"`` or ``"obs"`` with
        columns of numbers, as ``"obs/age,bmi"``. Of a MuData, the same behind the name of the modality, as ``"rna/X"``. Of a list or a
        dictionary of matrices, the names that are kept.

        None takes all: each matrix of a list or dictionary; the columns of a DataFrame by what stands before their first point, those without one
        as the view ``rest``; ``X`` and every ``obsm`` of an AnnData; ``X`` of every modality of a MuData.
    missing : bool, default=False
        Whether NaN may be in the data, for estimators that impute.

    Attributes
    ----------
    view_names_ : list of str
    widths_ : dict of int
        Number of columns of each view.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> table = pd.DataFrame({"gene.a": [1., 2.], "gene.b": [0., 1.], "clinic.age": [40., 50.], "weight": [60., 70.]})
    >>> MultiView().fit_transform(table)
    Views(gene: 2 x 2, clinic: 2 x 1, rest: 2 x 1)
    >>> MultiView(views=["gene."]).fit_transform(table)
    Views(gene: 2 x 2)
    >>> MultiView().fit_transform([np.ones((3, 2)), np.zeros((3, 4))])
    Views(view1: 3 x 2, view2: 3 x 4)
    """

    def __init__(self, views=None, missing=False) -> None:
        self.views = views
        self.missing = missing

    def fit(self, X, y=None) -> MultiView:
        """Learn the names and widths of the views."""
        found = self._split(X)
        self.view_names_ = list(found._matrices)
        self.widths_ = {name: x.shape[1] for name, x in found._matrices.items()}
        return self

    def transform(self, X) -> Views:
        """Return the views of rows, which have to be those of fit."""
        check_is_fitted(self)
        found = self._split(X)
        widths = {name: x.shape[1] for name, x in found._matrices.items()}
        if set(widths) != set(self.widths_):
            raise BigMKLInputError(f"the views {sorted(widths)}, and fit had {sorted(self.widths_)}")
        for name, width in self.widths_.items():
            if widths[name] != width:
                raise BigMKLInputError(f"view {name} has {widths[name]} columns, and had {width} in fit")
        return Views({name: found[name] for name in self.view_names_})

    def _split(self, X) -> Views:
        matrices = dict(self._matrices_of(X))
        if not matrices:
            raise BigMKLInputError("no views")
        views = Views(matrices)
        if not self.missing:
            for name, x in views._matrices.items():
                if not np.isfinite(x.data if sp.issparse(x) else x).all():
                    raise BigMKLInputError(f"view {name} has NaN", "missing=True lets it through to an estimator that imputes")
        return views

    def _matrices_of(self, X):
        """Yield the name and the matrix of each view."""
        if isinstance(getattr(X, "mod", None), Mapping):  # MuData; a DataFrame has a method of that name.
            check_observations(X)
            chosen = self.views or {name: f"{name}/X" for name in X.mod}
            for name, path in chosen.items():
                modality, _, rest = path.partition("/")
                if modality not in X.mod:
                    raise BigMKLInputError(f"no modality is called {modality!r}")
                yield name, annotated(X.mod[modality], rest or "X")
        elif hasattr(X, "obsm") and hasattr(X, "layers"):  # AnnData
            chosen = self.views or {"X": "X", **{view_name(name): f"obsm/{name}" for name in X.obsm}}
            for name, path in chosen.items():
                yield name, annotated(X, path)
        elif _inputs.is_several(X):
            several = X if isinstance(X, Mapping) else {f"view{i + 1}": x for i, x in enumerate(X)}
            for name in self.views or several:
                if name not in several:
                    raise BigMKLInputError(f"no view is called {name!r}")
                yield name, several[name]
        else:
            yield from self._columns_of(X)

    def _columns_of(self, X):
        """Yield the views of a matrix or table."""
        names = list(map(str, X.columns)) if hasattr(X, "columns") else None
        views = self.views
        if views is None:
            if names is None:
                raise BigMKLInputError("views of a matrix without names", "MultiView(views=..) chooses columns")
            views = {}
            for name in names:
                prefix = name.partition(".")[0] if "." in name else "rest"
                views.setdefault(prefix, []).append(name)
        values = X.iloc if hasattr(X, "iloc") else _inputs.as_rows(X if hasattr(X, "shape") else np.asarray(X))
        for name, chosen in _inputs._selectors(views):
            found = _inputs._columns_of(chosen, names, X.shape[1] if hasattr(X, "shape") else values.shape[1])
            if len(found) == 0:
                raise BigMKLInputError(f"view {name} has no columns")
            yield name, values[:, found]


def view_name(name: str) -> str:
    """Return a name that a view may have: ``X_pca`` of obsm stays, and other letters become _."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in name)


def annotated(adata, path: str):
    """Return a matrix of an AnnData by its path."""
    slot, _, name = path.partition("/")
    if slot == "X":
        return adata.X
    if slot == "obs" and name:
        columns = name.split(",")
        missing = [c for c in columns if c not in adata.obs]
        if missing:
            raise BigMKLInputError(f"obs has no column {missing[0]!r}")
        return adata.obs[columns]
    held = {"layers": adata.layers, "obsm": adata.obsm}.get(slot)
    if held is None or name not in held:
        raise BigMKLInputError(f"no {path!r} in the data", "X, layers/NAME, obsm/NAME or obs/COLUMN,..")
    return held[name]


def check_observations(mdata) -> None:
    """Raise BigMKLInputError unless all modalities have the same rows in one order."""
    first = None
    for name, modality in mdata.mod.items():
        rows = list(modality.obs_names)
        if first is not None and rows != first:
            raise BigMKLInputError(f"modality {name} has other rows than the first", "muon.pp.intersect_obs cuts them to those of all")
        first = rows
