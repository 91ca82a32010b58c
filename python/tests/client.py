"""A program of a user, for checkers of types: they find no error in it.

It is not run.
"""

import numpy as np

import bigmkl
from bigmkl import BigMKLClassifier, BigMKLOneClass, BigMKLRegressor, BigMKLSurvival, MultiView


def classify(X: np.ndarray, y: np.ndarray) -> float:
    """Return the accuracy on the rows of the training."""
    model = BigMKLClassifier(kernels="gauss:2^-4..2^0", norm=1, C=10.0).fit(X, y)
    labels: np.ndarray = model.predict(X)
    values: np.ndarray = model.decision_function(X)
    model.save("m.model")
    again = BigMKLClassifier.from_model("m.model")
    faults: dict[str, object] = again.verify(X, y)
    print(labels, values, faults, model.view_names_, bigmkl.__version__)
    bigmkl.plot_weights(model)
    found: dict[str, object] = model.importance(X, y, folds=3)
    print(found)
    best, table = BigMKLClassifier().select(X, y, norms=[1, 2], costs=[1.0])
    print(best, table)
    return model.score(X, y)


def others(X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Return predictions of numbers, of times and of one class, and handle an error."""
    views = MultiView({"a": [0, 1], "b": [2, 3]}).fit(X).transform(X)
    print(views.shape, list(views))
    try:
        numbers = BigMKLRegressor(C=-1).fit(X, y).predict(X)
    except bigmkl.BigMKLError as error:
        print(error)
        numbers = np.zeros(len(y))
    times = BigMKLSurvival().fit(X, y).predict(X)
    return [numbers, times, BigMKLOneClass().fit(X).predict(X)]
