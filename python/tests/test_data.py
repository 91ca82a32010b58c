"""Data in all the forms that fit takes, and the same numbers in each."""

import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV

from bigmkl import BigMKLClassifier, BigMKLInputError, BigMKLRegressor, BigMKLWarning

from .helpers import Case


class Data(Case):

    def same(self, a, b):
        """Compare two models to the byte."""
        self.assertEqual(a.model_bytes_, b.model_bytes_)

    def test_layouts(self):
        X, y = self.two_classes()
        X[self.random.random(X.shape) < 0.6] = 0
        X[:, 2] = 0
        want = BigMKLClassifier().fit(X, y)
        want.verify(X, y)
        for other in (np.asfortranarray(X), sp.csr_matrix(X), sp.csc_matrix(X), sp.coo_matrix(X),
                      pd.DataFrame(X), X.tolist()):
            # The layout of the points is chosen by the data and not by their form.
            self.same(BigMKLClassifier().fit(other, y), want)
            np.testing.assert_array_equal(want.predict(other), want.predict(X))

    def test_sparse_that_is_not_canonical(self):
        X, y = self.two_classes(40)
        whole = sp.csr_matrix(X)
        # Each value in two halves, and each row from its last column to its first.
        halves = sp.csr_matrix((np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2),
                                whole.indptr * 2), whole.shape)
        backward = sp.csr_matrix((X[:, ::-1].ravel(), np.tile(np.arange(6)[::-1], 40),
                                  whole.indptr), whole.shape)
        before = halves.nnz
        model = BigMKLClassifier().fit(halves, y)
        self.assertEqual(halves.nnz, before, "the caller's matrix was changed")
        model.verify(X, y)
        self.same(model, BigMKLClassifier().fit(X, y))
        self.same(model, BigMKLClassifier().fit(backward, y))

    def test_missing_values(self):
        X, y = self.two_classes(80)
        X[self.random.random(X.shape) < 0.2] = np.nan
        with self.assertRaisesRegex(ValueError, "NaN"):
            BigMKLClassifier().fit(X, y)
        median = BigMKLClassifier(impute="median").fit(X, y)
        median.verify(X, y)
        filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        np.testing.assert_array_equal(median.decision_function(X), median.decision_function(filled))
        np.testing.assert_array_equal(median.predict(sp.csr_matrix(X)), median.predict(X))
        views = BigMKLClassifier(impute="mean", kernels="linear").fit([X[:, :2], X[:, 2:]], y)
        views.verify([X[:, :2], X[:, 2:]], y)
        self.assertTrue(np.isfinite(views.decision_function([X[:, :2], X[:, 2:]])).all())
        X[0, 0] = np.inf
        with self.assertRaisesRegex(ValueError, "infinity"):
            median.predict(X)

    def test_formats_of_sparse_matrices(self):
        X, y = self.two_classes(60)
        X[self.random.random(X.shape) < 0.6] = 0
        want = BigMKLClassifier(kernels="linear,gauss:1").fit(X, y)
        want.verify(X, y)
        left, right = X[:, :2], X[:, 2:]
        both = BigMKLClassifier(kernels="linear").fit({"left": left, "right": right}, y)
        both.verify({"left": left, "right": right}, y)
        for name in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
            for kind in ("matrix", "array"):
                form = getattr(sp, f"{name}_{kind}", None)
                if form is None:
                    self.assertEqual(kind, "array")  # SciPy has arrays from 1.8 on.
                    continue
                # A dok_matrix is a dictionary, which is no dictionary of views.
                model = BigMKLClassifier(kernels="linear,gauss:1").fit(form(X), y)
                self.same(model, want)
                model.verify(form(X), y)
                np.testing.assert_array_equal(model.predict(form(X)), want.predict(X))
                views = {"left": form(left), "right": form(right)}
                self.same(BigMKLClassifier(kernels="linear").fit(views, y), both)
                listed = BigMKLClassifier().fit(list(views.values()), y)
                listed.verify(list(views.values()), y)
                self.assertEqual(listed.view_names_, ["view1", "view2"])
                chosen = BigMKLClassifier(views={"a": [0, 3], "b": [1]}).fit(form(X), y)
                chosen.verify(form(X), y)
                # The command reads what SciPy saves, and not only what the package writes.
                if name not in ("lil", "dok"):
                    sp.save_npz(self.folder / "X.npz", form(X))
                    np.save(self.folder / "y.npy", y)
                    self.command("train", "--quiet", "--kernels", "linear,gauss:1", "--labels",
                                 "y.npy", "-o", "m", "X.npz")
                    self.assertEqual((self.folder / "m").read_bytes(), want.model_bytes_)
        with self.assertRaisesRegex(TypeError, "dense data is required"):
            BigMKLClassifier(kernels="precomputed").fit(sp.dok_matrix(X @ X.T), y)

    def test_float16(self):
        X, y = self.two_classes()
        half = X.astype(np.float16)
        model = BigMKLClassifier().fit(half, y)
        model.verify(half, y)
        self.same(model, BigMKLClassifier().fit(half.astype(float), y))
        self.same(model, BigMKLClassifier().fit(pd.DataFrame(half), y))
        np.testing.assert_array_equal(model.predict(half), model.predict(half.astype(float)))
        BigMKLClassifier().fit([half, half], y).verify([half, half], y)
        np.save(self.folder / "X.npy", half)
        np.save(self.folder / "y.npy", y)
        self.command("train", "--quiet", "--labels", "y.npy", "-o", "m", "X.npy")
        self.assertEqual((self.folder / "m").read_bytes(), model.model_bytes_)

    def test_float32(self):
        X, y = self.two_classes()
        narrow = X.astype(np.float32)
        model = BigMKLClassifier().fit(narrow, y)
        model.verify(narrow, y)
        self.same(model, BigMKLClassifier().fit(narrow.astype(float), y))

    def test_list_of_views(self):
        X, y = self.two_classes()
        views = {"left": X[:, :2], "right": sp.csr_matrix(X[:, 2:])}
        model = BigMKLClassifier(kernels="gauss:auto/3@each-view,linear@right").fit(views, y)
        model.verify(views, y)
        self.assertEqual(model.view_names_, ["left", "right"])
        self.assertAlmostEqual(model.feature_importances_.sum(), 1)
        # A dictionary names its views, whatever their order.
        turned = {"right": X[:, 2:], "left": X[:, :2]}
        np.testing.assert_array_equal(model.decision_function(turned),
                                      model.decision_function(views))
        listed = BigMKLClassifier().fit([X[:, :2], X[:, 2:]], y)
        listed.verify([X[:, :2], X[:, 2:]], y)
        self.assertEqual(listed.view_names_, ["view1", "view2"])
        with self.assertRaisesRegex(ValueError, "5 columns"):
            listed.predict([X[:, :2], X[:, 3:]])
        with self.assertRaisesRegex(ValueError, "name of a view"):
            BigMKLClassifier().fit({"a b": X, "c": X}, y)
        with self.assertRaisesRegex(ValueError, "inconsistent"):
            BigMKLClassifier().fit([X, X[1:]], y)

    def test_columns_as_views(self):
        X, y = self.two_classes()
        frame = pd.DataFrame(X, columns=["mut.b", "expr.a", "mut.a", "expr.b", "age", "site"])
        model = BigMKLClassifier(views=["expr.", "mut."], kernels="gauss:auto/3@each-view,linear@mut")
        model.fit(frame, y)
        model.verify(frame, y)
        self.assertEqual(model.view_names_, ["expr", "mut"])
        # The same by names of columns, by numbers, as a mask, and as matrices. Age and site are out.
        numbers = {"expr": [1, 3], "mut": np.array([0, 2])}
        for views in ({"expr": ["expr.a", "expr.b"], "mut": "mut."}, numbers,
                      {"expr": [False, True, False, True, False, False], "mut": slice(0, 3, 2)}):
            self.same(model, BigMKLClassifier(views=views, kernels=model.kernels).fit(frame, y))
        self.same(model, BigMKLClassifier(views=numbers, kernels=model.kernels).fit(X, y))
        several = BigMKLClassifier(kernels=model.kernels).fit({"expr": X[:, [1, 3]],
                                                               "mut": X[:, [0, 2]]}, y)
        self.close(several.decision_function({"expr": X[:, [1, 3]], "mut": X[:, [0, 2]]}),
                   model.decision_function(frame))
        # Views go through cross-validation, where a list of matrices cannot.
        search = GridSearchCV(model, {"C": [0.1, 1]}, cv=2).fit(frame, y)
        self.assertEqual(search.best_estimator_.view_names_, ["expr", "mut"])
        # A column may be of several views.
        both = BigMKLClassifier(views={"a": [0, 1, 2], "b": [2, 3]}).fit(X, y)
        both.verify(X, y)
        self.assertEqual(both.model_info_["d"], 5)
        for bad, words in [({"a": ["age", "sex"]}, "'sex'"), ({"a": "none."}, "no columns"),
                           ({"a": [9]}, "9"), ({"a b": [0]}, "name of a view")]:
            with self.assertRaisesRegex(BigMKLInputError, words):
                BigMKLClassifier(views=bad).fit(frame, y)
        with self.assertRaisesRegex(ValueError, "DataFrame"):
            BigMKLClassifier(views=["expr."]).fit(X, y)

    def test_no_views_no_importances(self):
        X, y = self.two_classes(40)
        model = BigMKLClassifier().fit(X, y)
        model.verify(X, y)
        self.assertFalse(hasattr(model, "feature_importances_"))

    def test_precomputed(self):
        X, y = self.two_classes()
        linear, gauss = X @ X.T, np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
        train, test = np.arange(80), np.arange(80, 120)
        cut = [k[np.ix_(train, train)] for k in (linear, gauss)]
        rest = [k[np.ix_(test, train)] for k in (linear, gauss)]
        model = BigMKLClassifier(kernels="precomputed").fit(cut, y[train])
        model.verify(cut, y[train])
        self.assertEqual(len(model.feature_importances_), 2)
        decided = model.decision_function(rest)
        # The kernels that the command computes of the features are the same.
        computed = BigMKLClassifier(kernels="linear,gauss:1").fit(X[train], y[train])
        self.close(model.weights_, computed.weights_)
        np.testing.assert_allclose(decided, computed.decision_function(X[test]), rtol=1e-4, atol=1e-4)
        # An array of three dimensions can be cut in cross-validation.
        stacked = np.stack([linear, gauss], axis=2)
        search = GridSearchCV(BigMKLClassifier(kernels="precomputed"), {"C": [0.1, 1]}, cv=3)
        self.assertGreater(search.fit(stacked, y).best_score_, 0.8)
        self.same(BigMKLClassifier(kernels="precomputed").fit(stacked[:80, :80], y[train]), model)
        with self.assertRaisesRegex(ValueError, "square"):
            BigMKLClassifier(kernels="precomputed").fit(linear[:, :80], y)
        with self.assertRaisesRegex(ValueError, "expecting 80"):
            model.predict([k[:3] for k in (linear, gauss)])

    def test_weights_of_zero(self):
        X, y = self.two_classes()
        t = X[:, 0] + X[:, 1] ** 2
        zero = self.random.random(len(y)) < 0.3
        for weights in (np.where(zero, 0, 1.0), np.where(zero, 0, self.random.random(len(y)) + 0.5)):
            left, some = ~zero, weights[~zero]
            for model, target in [(BigMKLClassifier(), y), (BigMKLRegressor(), t),
                                  (BigMKLRegressor(loss="square"), t)]:
                model.fit(X, target, weights)
                model.verify(X, target, weights)
                model.verify(X[left], target[left], some)
                self.assertFalse(zero[model.support_].any())
                bytes_ = model.model_bytes_
                self.assertEqual(model.fit(X[left], target[left], some).model_bytes_, bytes_)
            kernel = X @ X.T
            model = BigMKLClassifier(kernels="precomputed").fit(kernel, y, weights)
            model.verify(kernel, y, weights)
            decided = model.decision_function(kernel)
            model.fit(kernel[np.ix_(left, left)], y[left], some)
            np.testing.assert_array_equal(model.decision_function(kernel[:, left]), decided)
            # The command leaves out the same rows.
            np.save(self.folder / "X.npy", X)
            np.save(self.folder / "y.npy", y)
            np.savetxt(self.folder / "w.txt", weights, "%.17g")
            self.command("train", "--quiet", "--labels", "y.npy", "--row-weights", "w.txt",
                         "-o", "m", "X.npy")
            self.assertEqual((self.folder / "m").read_bytes(),
                             BigMKLClassifier().fit(X, y, weights).model_bytes_)
            self.command("verify", "--labels", "y.npy", "--row-weights", "w.txt", "m", "X.npy")
        with self.assertRaisesRegex(ValueError, "one class"):
            BigMKLClassifier().fit(X, y, (y == "yes").astype(float))
        with self.assertRaisesRegex(ValueError, "below 0"):
            BigMKLClassifier().fit(X, y, np.full(len(y), -1.0))

    def test_features_that_were_zero(self):
        X, y = self.two_classes()
        cut = X.copy()
        cut[:, 4:] = 0
        for form in (np.asarray, sp.csr_matrix):
            model = BigMKLClassifier(kernels="linear").fit(form(cut), y)
            model.verify(form(cut), y)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                decided = model.decision_function(form(X))
            self.assertIn(BigMKLWarning, [w.category for w in caught])
            np.testing.assert_array_equal(decided, model.decision_function(form(cut)))
