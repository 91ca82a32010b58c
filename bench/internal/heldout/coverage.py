# Makes the intervals and sets of MAPIE for predictions that are handed to it, and prints what bench compares, as one line of JSON.
# usage: coverage.py                              prints the versions
#        coverage.py predictions.json coverage
import json
import sys

import mapie
import numpy as np
import sklearn
from mapie.classification import SplitConformalClassifier
from mapie.regression import SplitConformalRegressor
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

if len(sys.argv) == 1:
    print(f"MAPIE {mapie.__version__}, scikit-learn {sklearn.__version__}")
    sys.exit()


class Values(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are the decision values of the classes. Its probabilities are their softmax."""

    def __init__(self, classes=2):
        self.classes = classes
        self.classes_ = np.arange(classes)
        self.n_features_in_ = classes

    def fit(self, x, y):
        return self

    def predict_proba(self, x):
        p = np.exp(x - x.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)

    def predict(self, x):
        return self.classes_[np.argmax(x, axis=1)]


class Targets(RegressorMixin, BaseEstimator):
    """A regressor whose rows are its predictions."""

    def __init__(self):
        self.n_features_in_ = 1
        self.fitted_ = True

    def fit(self, x, y):
        return self

    def predict(self, x):
        return np.asarray(x)[:, 0]


with open(sys.argv[1]) as f:
    given = json.load(f)
coverage, classes = float(sys.argv[2]), given["classes"]
found = {}
for split in given["splits"]:
    calibration, rows = np.array(split["calibration"]), np.array(split["rows"])
    known, truth = np.array(split["known"]), np.array(split["truth"])
    if classes == 0:
        m = SplitConformalRegressor(Targets(), confidence_level=coverage, prefit=True).conformalize(calibration, known)
        low, high = m.predict_interval(rows)[1][:, :, 0].T
        figures = {"absolute": ((low <= truth) & (truth <= high), high - low)}
    else:
        figures = {}
        for score in ("lac", "aps")[:1 if classes == 2 else 2]:  # of two classes MAPIE has the first alone
            m = SplitConformalClassifier(
                Values(classes), confidence_level=coverage, conformity_score=score, prefit=True, random_state=0).conformalize(calibration, known)
            sets = m.predict_set(rows)[1][:, :, 0]
            figures[score] = (sets[np.arange(len(truth)), truth], sets.sum(axis=1))
    for score, (held, sizes) in figures.items():
        to = found.setdefault(score, {"met": [], "size": [], "median": []})
        to["met"].append(float(held.mean()))
        to["size"].append(float(sizes.mean()))
        to["median"].append(float(np.median(sizes)))
print(json.dumps(found))
