"""Rows that name objects in place of features."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from bigmkl import BigMKLClassifier, BigMKLError, BigMKLRegressor

from .helpers import Case


class Objects(Case):
    """Pairs of a drug and a target."""

    KERNELS = "gauss:0.1@drug,linear@target,prod(gauss:0.1@drug,gauss:0.2@target)"

    def setUp(self):
        super().setUp()
        r = np.random.default_rng(3)
        self.drugs = pd.DataFrame(r.normal(size=(12, 4)), index=[f"d{i}" if i % 4 else f'd {i}, "new" #' for i in range(12)])
        self.targets = r.normal(size=(9, 3))
        self.d, self.t = r.integers(0, 12, 150), r.integers(0, 9, 150)
        self.score = self.drugs.to_numpy()[self.d, 0] * self.targets[self.t, 1] + 0.1 * r.normal(size=150)
        self.y = np.where(self.score > 0, "binds", "not")
        self.X = pd.DataFrame({"target": self.t, "drug": self.drugs.index[self.d]})
        self.objects = {"drug": self.drugs, "target": self.targets}

    def model(self, **parameters):
        return BigMKLClassifier(kernels=self.KERNELS, scale="none", gap=1e-5, objects=self.objects, **parameters)

    def test_features(self):
        """A model of pairs predicts what a model of the features of the pairs predicts."""
        model = self.model().fit(self.X, self.y)
        self.assertEqual(model.verify(self.X, self.y)["faults"], [])
        features = np.hstack([self.drugs.to_numpy()[self.d], self.targets[self.t]])
        same = BigMKLClassifier(kernels=self.KERNELS, scale="none", gap=1e-5, views={"drug": [0, 1, 2, 3], "target": [4, 5, 6]})
        same.fit(features, self.y)
        np.testing.assert_allclose(model.decision_function(self.X), same.decision_function(features), atol=0.02)
        np.testing.assert_allclose(model.weights_, same.weights_, atol=0.02)
        self.assertEqual(model.view_names_, ["drug", "target", "(products)"])
        self.assertEqual([(o["columns"], o["count"], o["named"]) for o in model.model_info_["objects"]],
                         [(["drug"], 12, True), (["target"], 9, False)])
        # Names in the order of the columns need no DataFrame.
        rows = self.X[["drug", "target"]].to_numpy()
        np.testing.assert_array_equal(model.decision_function(rows), model.decision_function(self.X))
        np.testing.assert_array_equal(model.support_vectors_, rows.astype(str)[model.support_])
        with self.assertRaises(AttributeError):
            BigMKLClassifier(kernels="linear@drug", objects=self.objects).fit(self.X, self.y).coef_

    def test_new_objects(self):
        """predict takes new objects from the parameter, and a saved model has those of the training."""
        model = self.model().fit(self.X, self.y)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m"
            model.save(path)
            read = BigMKLClassifier.from_model(path)
        np.testing.assert_array_equal(read.decision_function(self.X), model.decision_function(self.X))
        new = pd.DataFrame({"drug": ["new", "d3"], "target": [0, 1]})
        with self.assertRaisesRegex(BigMKLError, 'there is no drug "new"'):
            model.predict(new)
        model.set_params(objects={**self.objects, "drug": pd.concat([self.drugs, self.drugs.iloc[[3]].rename({"d3": "new"})])})
        found = model.decision_function(pd.DataFrame({"drug": ["new", "d3"], "target": [1, 1]}))
        self.assertEqual(found[0], found[1])

    def test_selection(self):
        """Estimators of pairs are cloned, chosen and cross-validated; select holds objects out."""
        self.assertGreater(cross_val_score(clone(self.model()), self.X, self.y).mean(), 0.7)
        best, table = self.model().select(self.X, self.y, norms=[2], costs=[1, 10], folds=3, hold_out="drug")
        self.assertEqual(len(best.predict(self.X)), 150)
        self.assertIn("drug", str(table["arms"]))
        found = self.model().importance(self.X, self.y, folds=3, repeat=1, samples=2)
        self.assertEqual([s["name"] for s in found["sources"]][:2], ["drug", "target"])

    def test_one_kind(self):
        """Two columns may have the same objects, and a kernel may be a matrix."""
        r = np.random.default_rng(4)
        with tempfile.TemporaryDirectory() as folder:
            K = os.path.join(folder, "K.npy")
            np.save(K, np.exp(-np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))))
            X = r.integers(0, 9, (120, 2))
            y = self.targets[X[:, 0], 0] - self.targets[X[:, 1], 0]
            for kernels, least in (("antipair(gauss:0.2,a,b)", 0.8), (f"precomputed:{K}@a,gauss:0.2@b", 0.5)):
                model = BigMKLRegressor(kernels=kernels, objects={("a", "b"): self.targets}).fit(X, y, sample_weight=X[:, 0] + 0.0)
                self.assertGreater(model.score(X, y), least)
                self.assertEqual(model.verify(X, y, X[:, 0] + 0.0)["faults"], [])

    def test_faults(self):
        """What is wrong with rows or objects is named."""
        for objects, X, want in (
                ({}, self.X, "objects is not a dictionary"),
                ({"drug": self.drugs}, self.t[:, None], "there is no drug"),
                ({"drug": self.drugs.rename({"d1": "d\n1"})}, self.X, r"'d\\n1' as the name of an object"),
                ({"drug": self.drugs.rename({"d1": " d1"})}, self.X, "' d1' as the name of an object"),
                (self.objects, self.X.rename(columns={"drug": "pill"}), "X has no column 'drug'"),
                (self.objects, self.t[:, None], "rows that name 2 objects"),
                ({"drug": self.targets}, self.t[:, None] + 0.5, "as the number of an object"),
                ({"drug": [["x"]]}, self.X, "has words")):
            with self.assertRaisesRegex(BigMKLError, want):
                BigMKLClassifier(kernels="linear@drug", objects=objects).fit(X, self.y)
        with self.assertRaisesRegex(BigMKLError, "objects beside views"):
            self.model(views={"a": [0]}).fit(self.X, self.y)

