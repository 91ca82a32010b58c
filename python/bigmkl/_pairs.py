"""One classifier for each pair of classes: their order, their dual variables, and their vote."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """Return the pairs of classes in the order of scikit-learn: (0, 1), (0, 2), .., (1, 2), .."""
    return list(combinations(range(classes), 2))


def dual_of_pairs(dual: np.ndarray, codes: np.ndarray, classes: int) -> np.ndarray:
    """Return dual variables in the layout of scikit-learn.

    Parameters
    ----------
    dual : array of (pairs, support vectors)
        Above 0 for the first class of a pair.
    codes : array of int
        The class of each support vector.
    classes : int
        The number of classes.

    Returns
    -------
    array of (classes - 1, support vectors)
        A support vector of class i has those of its pairs with the other classes, in their order.
    """
    out = np.zeros((classes - 1, dual.shape[1]))
    for number, (i, j) in enumerate(pairs_of(classes)):
        out[j - 1, codes == i] = dual[number, codes == i]
        out[i, codes == j] = dual[number, codes == j]
    return out


def first_of_most(decisions: np.ndarray, classes: int) -> np.ndarray:
    """Return the class that wins most pairs of each row, and of several the first."""
    votes = np.zeros((len(decisions), classes), int)
    for number, (i, j) in enumerate(pairs_of(classes)):
        won = decisions[:, number] > 0
        votes[won, i] += 1
        votes[~won, j] += 1
    return votes.argmax(axis=1)


def classes_of_dual(dual: np.ndarray, classes: int) -> np.ndarray:
    """Return the class of each support vector by the signs of its dual variables."""
    codes = np.zeros(dual.shape[1], int)
    for number, (i, j) in enumerate(pairs_of(classes)):
        codes[dual[number] > 0] = i
        codes[dual[number] < 0] = j
    return codes
