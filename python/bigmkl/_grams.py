"""Kernel matrices, which are given or which functions compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.validation import _num_samples

from ._errors import BigMKLInputError
from ._inputs import FLOATS, Inputs, is_several


def join_grams(X, square: bool, first: bool = False) -> tuple[Inputs, bool]:
    """Check kernel matrices: one, a list of them, or an array of three dimensions.

    Parameters
    ----------
    X : array, list of array
        An array of three dimensions is rows x columns x matrices, or matrices x rows x columns where
        only that makes square matrices of a training.
    square : bool
        Whether they are those of a training, with as many columns as rows.
    first : bool
        Whether matrices of a prediction came first in the training.

    Returns
    -------
    inputs : Inputs
    first : bool
        Whether matrices come first in X.
    """
    # Lists of lists of numbers are an array as much as the array is.
    if isinstance(X, (list, tuple)) and not any(map(sp.issparse, X)) and np.ndim(X) == 3:
        X = np.asarray(X)
        first = True
    if is_several(X):
        matrices = list(X.values()) if isinstance(X, Mapping) else list(X)
    elif getattr(X, "ndim", 0) == 3:
        if square:
            first = X.shape[0] != X.shape[1] == X.shape[2]
        matrices = list(X) if first else [X[:, :, i] for i in range(X.shape[2])]
    else:
        matrices = [X]
    if any(map(sp.issparse, matrices)):
        raise TypeError("Sparse precomputed kernels are not supported: dense data is required")
    grams = [check_array(k, dtype=FLOATS) for k in matrices]
    for k in grams:
        if k.shape != grams[0].shape:
            raise BigMKLInputError(f"kernel matrices of {grams[0].shape} and of {k.shape}")
        if square and k.shape[0] != k.shape[1]:
            raise BigMKLInputError(f"a kernel matrix of {k.shape[0]} x {k.shape[1]} where a square "
                                   "one of the rows of the training is needed")
    return Inputs(grams=grams), first


def evaluate_kernels(functions: Sequence, X, rows) -> Inputs:
    """Return the matrices of kernels that are functions.

    Parameters
    ----------
    functions : sequence of function
        Each takes X and the rows of the training, and returns len(X) x len(rows) values.
    X, rows
        Rows in any form that the functions take.
    """
    shape = _num_samples(X), _num_samples(rows)
    grams = []
    for function in functions:
        values = function(X, rows)
        values = values.toarray() if sp.issparse(values) else values
        grams.append(check_array(values, dtype=FLOATS, input_name="a kernel"))
        if grams[-1].shape != shape:
            raise BigMKLInputError(f"a kernel returned an array of {grams[-1].shape} where one of "
                                   f"{shape} is needed")
    return Inputs(grams=grams)
