"""Views of lists, tables and annotated data, the plots and selections of what is learned from them, and the examples in docstrings."""

import doctest
import importlib
import pkgutil
import types
import unittest

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import bigmkl
from bigmkl import BigMKLClassifier, BigMKLInputError, BigMKLRegressor, MultiView, Views

from .helpers import Case


def annotated(rows, rng):
    """Return what an AnnData shows of itself."""
    X = sp.random(rows, 12, density=0.4, format="csr", random_state=3)
    return types.SimpleNamespace(X=X, layers={"raw": X.toarray() * 2}, obsm={"X pca": rng.normal(size=(rows, 3))}, shape=X.shape,
                                 obs=pd.DataFrame({"age": rng.normal(size=rows), "sex": np.arange(rows) % 2}), obs_names=[f"cell{i}" for i in range(rows)])


class Forms(Case):

    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(0)
        self.y = np.arange(60) % 2
        self.a = self.rng.normal(size=(60, 4)) + 1.5 * self.y[:, None]
        self.b = sp.random(60, 9, density=0.3, format="csr", random_state=1)

    def test_same_model(self):
        """The same numbers give the same bytes of a model, whatever they come in."""
        plain = BigMKLClassifier(kernels="gauss:auto@each-view").fit({"a": self.a, "b": self.b}, self.y)
        mv = MultiView().fit({"a": self.a, "b": self.b})
        for X in ({"a": self.a, "b": self.b}, {"b": self.b, "a": self.a}, Views({"a": self.a, "b": self.b})):
            self.assertEqual(clone(plain).fit(mv.transform(X), self.y).model_bytes_, plain.model_bytes_)
        table = pd.DataFrame(np.hstack([self.a, self.b.toarray()]), columns=[f"a.{i}" for i in range(4)] + [f"b.{i}" for i in range(9)])
        dense = BigMKLClassifier(kernels="gauss:auto@each-view").fit({"a": self.a, "b": self.b.toarray()}, self.y)
        for m in (MultiView(), MultiView(views=["a.", "b."]), MultiView(views={"a": "a.", "b": range(4, 13)})):
            self.assertEqual(clone(plain).fit(m.fit_transform(table), self.y).model_bytes_, dense.model_bytes_)

    def test_cross_validation(self):
        """A pipeline that begins with tables, and views themselves, are cut by rows."""
        table = pd.DataFrame(self.a, columns=["a.1", "a.2", "c", "a.3"])
        steps = make_pipeline(MultiView(), BigMKLClassifier(kernels="gauss:auto/2@each-view"))
        views = MultiView().fit_transform(table)
        self.assertEqual(repr(views), "Views(a: 60 x 3, rest: 60 x 1)")
        one, two = cross_val_score(steps, table, self.y, cv=3), cross_val_score(steps[-1], views, self.y, cv=3)
        np.testing.assert_array_equal(one, two)
        self.assertGreater(one.mean(), 0.7)

    def test_annotated(self):
        """Data with the attributes of AnnData and MuData give views by path."""
        cells = annotated(60, self.rng)
        self.assertEqual(repr(MultiView().fit_transform(cells)), "Views(X: 60 x 12, X_pca: 60 x 3)")
        chosen = MultiView(views={"raw": "layers/raw", "clinic": "obs/age,sex"}).fit_transform(cells)
        np.testing.assert_array_equal(chosen["raw"], cells.layers["raw"])
        np.testing.assert_array_equal(chosen["clinic"], cells.obs[["age", "sex"]])
        both = types.SimpleNamespace(mod={"rna": cells, "atac": annotated(60, self.rng)}, shape=(60, 24))
        self.assertEqual(list(MultiView().fit_transform(both)), ["rna", "atac"])
        self.assertEqual(repr(MultiView(views={"p": "atac/obsm/X pca"}).fit_transform(both)), "Views(p: 60 x 3)")
        both.mod["atac"].obs_names.reverse()
        for views, data in ((None, both), ({"x": "none/X"}, both), ({"x": "obsm/none"}, cells), ({"x": "obs/none"}, cells), ({"x": "uns/a"}, cells)):
            with self.assertRaises(BigMKLInputError):
                MultiView(views=views).fit(data)

    def test_real_annotated(self):
        """The real ones, where they are installed."""
        try:
            from anndata import AnnData
            from mudata import MuData
        except ImportError:
            self.skipTest("anndata or mudata is not there")
        X = self.b.copy()
        cells = AnnData(X, obs=pd.DataFrame({"age": self.a[:, 0]}, index=[f"c{i}" for i in range(60)]), obsm={"X_pca": self.a})
        steps = make_pipeline(MultiView(), BigMKLClassifier(kernels="gauss:auto@each-view"))
        same = BigMKLClassifier(kernels="gauss:auto@each-view").fit({"X": X, "X_pca": self.a}, self.y)
        self.assertEqual(steps.fit(cells, self.y)[-1].model_bytes_, same.model_bytes_)
        self.assertEqual(list(MultiView().fit_transform(cells[10:20])), ["X", "X_pca"])
        both = MuData({"rna": cells, "other": AnnData(self.a, obs=pd.DataFrame(index=cells.obs_names))})
        self.assertEqual(repr(MultiView().fit_transform(both)), "Views(rna: 60 x 9, other: 60 x 4)")

    def test_faults(self):
        mv = MultiView().fit({"a": self.a, "b": self.b})
        holes = self.a.copy()
        holes[3, 1] = np.nan
        for act in (lambda: MultiView().fit(self.a), lambda: mv.transform({"a": self.a}), lambda: mv.transform({"a": self.a, "b": self.a}),
                    lambda: MultiView().fit({"a": holes}), lambda: MultiView().fit({"a b": self.a}), lambda: MultiView(views=["z."]).fit(pd.DataFrame({"a.1": [1.]})),
                    lambda: MultiView(views=["c"]).fit({"a": self.a})):
            with self.assertRaises(ValueError):
                act()
        with self.assertRaises(ValueError):
            MultiView().fit({"a": self.a, "b": self.a[:9]})
        model = BigMKLClassifier(kernels="gauss:auto@each-view", impute="median")
        model.fit(MultiView(missing=True).fit_transform({"a": holes, "b": self.a}), self.y)
        self.assertGreater(model.score({"a": holes, "b": self.a}, self.y), 0.7)

    def test_select(self):
        """The best of a grid is trained on all rows, to the bytes of a training with its values."""
        views = Views({"a": self.a, "b": self.b})
        best, table = BigMKLClassifier(kernels="gauss:auto@each-view").select(views, self.y, norms=[1, 2], costs=[0.1, 1], folds=3)
        self.assertEqual(best.model_bytes_, BigMKLClassifier(kernels="gauss:auto@each-view", norm=best.norm, C=best.C).fit(views, self.y).model_bytes_)
        means = [c["figures"]["accuracy"]["mean"] for c in table["cells"] if table["arms"][c["arm"]]["kind"] == "grid"]
        self.assertEqual(len(means), 4)
        chosen = [c["figures"]["accuracy"]["mean"] for c in table["cells"] if table["arms"][c["arm"]]["kind"] == "grid"
                  and table["arms"][c["arm"]]["norm"] == best.norm and c["C"] == best.C]
        self.assertEqual(chosen, [max(means)])
        best, table = BigMKLRegressor().select(self.a, self.a[:, 0], kernels=["linear", "gauss:auto"], norms=[1], costs=[1], folds=3, measure="rmse")
        self.assertEqual(best.kernels, "linear")
        self.assertTrue(table["smaller"])

    def test_plots(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not there")
        matplotlib.use("Agg")
        views = Views({"a": self.a, "b": self.b})
        model = BigMKLClassifier(kernels="gauss:auto@each-view")
        ax = bigmkl.plot_weights(model.fit(views, self.y))
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["a", "b"])
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], model.feature_importances_, rtol=1e-6)
        found = model.importance(views, self.y, folds=3, repeat=1, samples=0)
        for which in ("left_out", "permuted", "alone"):
            ax = bigmkl.plot_importance(found, which)
            self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["a", "b"])
        with self.assertRaises(BigMKLInputError):
            bigmkl.plot_importance(found, "none")


def load_tests(loader, tests, pattern):
    """Add the examples in docstrings."""
    for module in pkgutil.iter_modules(bigmkl.__path__, "bigmkl."):
        if not module.name.endswith("__main__"):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name)))
    return tests


if __name__ == "__main__":
    unittest.main()
