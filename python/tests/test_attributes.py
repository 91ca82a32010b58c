"""The attributes and methods that scikit-learn's support vector machines have, beside these."""

import pickle
import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC, SVR, OneClassSVM

from bigmkl import BigMKLClassifier, BigMKLInputError, BigMKLOneClass, BigMKLRegressor

from .helpers import Case

# One kernel of raw features in both packages, trained until they agree.
PLAIN = dict(normalize="none", scale="none", gap=1e-10)


class Attributes(Case):

    def four_classes(self):
        """Return features, and four classes whose names sort otherwise as words than as numbers."""
        X = self.random.normal(size=(120, 4))
        return X, np.array([10, 9, 2, 100])[(X[:, 0] > 0) + 2 * (X[:, 1] + 0.3 * X[:, 2] > 0)]

    def like(self, ours, theirs):
        """Compare the attributes of two estimators of one kernel in shape, order, sign and type."""
        for name in ("support_", "n_support_", "dual_coef_", "intercept_", "support_vectors_"):
            a, b = getattr(ours, name), getattr(theirs, name)
            self.assertEqual(type(a), type(b), name)
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype), name)
            a, b = (x.toarray() if sp.issparse(x) else x for x in (a, b))
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4, err_msg=name)

    def test_support_of_pairs(self):
        X, y = self.four_classes()
        words = np.array([f"c{label}" for label in y])
        for rows, labels in [(X, y), (X, words), (X, y == 9), (sp.csr_matrix(X), y)]:
            ours = BigMKLClassifier("gauss:0.3", multiclass="ovo", C=2, **PLAIN).fit(rows, labels)
            ours.verify(rows, labels)
            theirs = SVC(C=2, gamma=0.3, tol=1e-8, decision_function_shape="ovo").fit(rows, labels)
            self.like(ours, theirs)
            np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows),
                                       rtol=1e-3, atol=1e-4)
            np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))

    def test_support_of_others(self):
        X, y = self.four_classes()
        t = X[:, 0] - X[:, 1] ** 2
        model = BigMKLRegressor("gauss:0.3", C=2, epsilon=0.1, **PLAIN).fit(X, t)
        model.verify(X, t)
        self.like(model, SVR(C=2, gamma=0.3, tol=1e-8).fit(X, t))
        one = BigMKLOneClass("gauss:0.3", nu=0.3, **PLAIN).fit(X)
        one.verify(X)
        theirs = OneClassSVM(gamma=0.3, nu=0.3, tol=1e-8).fit(X)
        np.testing.assert_array_equal(one.support_, theirs.support_)
        self.assertEqual(one.n_support_.tolist(), theirs.n_support_.tolist())
        # The scale is another one, as the documentation says.
        for name in ("dual_coef_", "intercept_", "offset_"):
            np.testing.assert_allclose(0.3 * len(X) * getattr(one, name), getattr(theirs, name), rtol=1e-3)

    def test_weights_of_one_class(self):
        """Weights of one class are those of scikit-learn, whatever their mean."""
        X, _ = self.four_classes()
        weights = np.arange(len(X)) % 4 * 0.7
        weights[5] = -1
        model = BigMKLOneClass("gauss:0.3", nu=0.3, **PLAIN).fit(X, sample_weight=weights)
        model.verify(X, weights)
        theirs = OneClassSVM(gamma=0.3, nu=0.3, tol=1e-8).fit(X, sample_weight=weights)
        total = 0.3 * weights[weights > 0].sum()
        # scikit-learn counts support vectors among the rows that it keeps.
        np.testing.assert_array_equal(model.support_, np.flatnonzero(weights > 0)[theirs.support_])
        np.testing.assert_allclose(total * model.dual_coef_, theirs.dual_coef_, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(total * model.decision_function(X), theirs.decision_function(X), atol=1e-3)
        plain = BigMKLOneClass("gauss:0.3", nu=0.3).fit(X)
        plain.verify(X, np.full(len(X), 7))
        self.assertEqual(clone(plain).fit(X, sample_weight=np.full(len(X), 7)).model_bytes_, plain.model_bytes_)
        with self.assertRaisesRegex(BigMKLInputError, "zero or negative"):
            BigMKLOneClass().fit(X, sample_weight=np.zeros(len(X)))

    def test_support_of_each_class(self):
        """Against all others there is a row of dual variables for each class."""
        X, y = self.four_classes()
        model = BigMKLClassifier("gauss:0.3", **PLAIN).fit(X, y)
        model.verify(X, y)
        self.assertEqual(model.dual_coef_.shape, (4, len(model.support_)))
        self.assertEqual(model.n_support_.sum(), len(model.support_))
        self.assertEqual(y[model.support_].tolist(), np.repeat(model.classes_, model.n_support_).tolist())
        kernel = rbf_kernel(X, model.support_vectors_, gamma=0.3)
        np.testing.assert_allclose(kernel @ model.dual_coef_.T + model.intercept_,
                                   model.decision_function(X), atol=1e-4)

    def test_rows_of_weight_zero(self):
        X, y = self.two_classes()
        weights = np.where(np.arange(len(y)) % 3 == 0, 0, 1.0)
        weights[0] = -1
        model = BigMKLClassifier("gauss:0.3").fit(X, y, weights)
        model.verify(X, y, weights)
        self.assertTrue((weights[model.support_] > 0).all())
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
        for bad, words in [(np.full(len(y), -1.0), "zero or negative"),
                           ((y == "yes") - 0.5, "belong to the same class")]:
            with self.assertRaisesRegex(BigMKLInputError, words):
                BigMKLClassifier().fit(X, y, bad)

    def test_support_vectors_of_views(self):
        X, y = self.two_classes()
        frame = pd.DataFrame(X, columns=list("abcdef"))
        chosen = BigMKLClassifier(views={"left": [5, 0], "right": ["c"]}).fit(frame, y)
        chosen.verify(frame, y)
        np.testing.assert_array_equal(chosen.support_vectors_, X[chosen.support_])
        several = BigMKLClassifier().fit([X[:, :2], sp.csr_matrix(X[:, 2:])], y)
        several.verify([X[:, :2], X[:, 2:]], y)
        np.testing.assert_array_equal(several.support_vectors_.toarray(), X[several.support_])
        matrix = BigMKLClassifier("precomputed").fit(X @ X.T, y)
        matrix.verify(X @ X.T, y)
        self.assertEqual(matrix.support_vectors_.shape, (0, 0))
        chosen.save(self.folder / "m")
        again = BigMKLClassifier.from_model(self.folder / "m")
        self.assertFalse(hasattr(again, "support_vectors_"))
        np.testing.assert_array_equal(again.support_, chosen.support_)
        np.testing.assert_array_equal(again.dual_coef_, chosen.dual_coef_)

    def test_coefficients(self):
        """X @ coef_.T + intercept_ is the decision function, whatever scales and weighs the features."""
        X, y = self.four_classes()
        X = X * [1, 100, 1, 1e-2] + [5, 0, 1, 0]
        frame = pd.DataFrame(X, columns=["a.x", "b.x", "a.y", "b.y"])
        for parameters in (dict(kernels="linear"), dict(kernels="linear", scale="standard"),
                           dict(kernels="linear,linear@1-2 norm=none prior=2", scale="minmax"),
                           dict(kernels="linear", scale="global", multiclass="ovo"),
                           dict(kernels="linear@each-view", views=["b.", "a."], scale="standard"),
                           dict(kernels="linear@b", views={"b": [3, 1, 0], "a": [0, 2]})):
            for labels in (y, y > 9):
                model = BigMKLClassifier(**parameters, options={"precision": 64}).fit(frame, labels)
                model.verify(frame, labels)
                decided = model.decision_function(frame)
                found = X @ model.coef_.T + model.intercept_
                np.testing.assert_allclose(found.reshape(decided.shape), decided, rtol=1e-5, atol=2e-6)
                self.assertFalse(model.coef_.flags.writeable)
                with self.assertRaises(AttributeError):
                    model.coef_ = X
        t = X[:, 0] - X[:, 2]
        model = BigMKLRegressor("linear", scale="standard").fit(X, t)
        model.verify(X, t)
        np.testing.assert_allclose((X @ model.coef_.T + model.intercept_).ravel(), model.predict(X), rtol=1e-4, atol=1e-4)
        # Features that were zero are unknown to the model and have a coefficient all the same.
        model = BigMKLOneClass("linear", scale="none").fit(np.c_[X, np.zeros(len(X))])
        self.assertEqual(model.coef_.shape, (1, 5))
        for parameters in (dict(kernels="gauss:1,linear"), dict(kernels="linear", normalize="spherical"),
                           dict(kernels="linear norm=centred"), dict(kernels="linear,poly:2")):
            model = BigMKLClassifier(**parameters).fit(X, y)
            model.verify(X, y)
            self.assertFalse(hasattr(model, "coef_"))
        self.assertFalse(hasattr(BigMKLClassifier("linear"), "coef_"))

    def test_attributes_that_were_altered(self):
        X, y = self.two_classes(40)
        model = BigMKLClassifier("linear").fit(X, y)
        model.verify(X, y)
        model.support_ = model.support_[1:]
        with self.assertRaisesRegex(BigMKLInputError, "representation of BigMKLClassifier was altered"):
            model.predict(X)

    def test_iterations(self):
        X, y = self.four_classes()
        for kind, count in [("ovr", 4), ("ovo", 6)]:
            model = BigMKLClassifier("gauss:auto/3", multiclass=kind).fit(X, y)
            model.verify(X, y)
            self.assertEqual((model.n_iter_.shape, model.n_iter_.dtype), ((count,), np.int32))
            self.assertEqual(model.n_iter_.sum(), model.report_["iterations"])
            # The classifier of a class has its iterations where it is trained alone.
            if kind == "ovr":
                alone = BigMKLClassifier("gauss:auto/3").fit(X, y == 9)
                alone.verify(X, y == 9)
                self.assertEqual(alone.n_iter_.tolist(), [model.n_iter_[1]])
        together = BigMKLClassifier("gauss:auto/3", options={"one_theta": True}).fit(X, y)
        together.verify(X, y)
        self.assertEqual(together.n_iter_.tolist(), [together.report_["iterations"]])

    def test_infinite_cost(self):
        X, y = self.two_classes()
        y = np.where(X[:, 0] > X[:, 1], "yes", "no")
        for C in (np.inf, float("inf"), 1e10):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = BigMKLClassifier("gauss:1", C=C, max_iter=500).fit(X, y)
            model.verify(X, y)
            self.assertEqual(model.score(X, y), 1)
            self.assertEqual(model.model_info_["C"], 1e10)

    def test_probabilities(self):
        X, y = self.three_classes()
        model = BigMKLClassifier("gauss:auto/3", probability=True).fit(X, y)
        model.verify(X, y)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
        model = BigMKLClassifier("gauss:auto/3").fit(X, y)
        model.verify(X, y)
        self.assertFalse(hasattr(model, "predict_log_proba"))
        # The method is there once it is switched on, and says that it was not trained for.
        model.probability = True
        for predict in (model.predict_proba, model.predict_log_proba):
            with self.assertRaisesRegex(NotFittedError, "not available when fitted with probability=False"):
                predict(X)

    def test_before_fit(self):
        X, y = self.two_classes(20)
        for model in (BigMKLClassifier("linear", probability=True), BigMKLRegressor("linear"), BigMKLOneClass("linear")):
            for name in ("predict", "decision_function", "score_samples", "predict_proba", "predict_set",
                         "predict_log_proba", "predict_interval"):
                if hasattr(model, name):
                    with self.assertRaises(NotFittedError):
                        getattr(model, name)(X)
            with self.assertRaises(NotFittedError):
                model.save(self.folder / "m")
            for name in ("n_support_", "support_", "support_vectors_", "dual_coef_", "intercept_", "coef_", "offset_"):
                self.assertFalse(hasattr(model, name), name)

    def test_shape_and_ties(self):
        X, y = self.four_classes()
        parameters = dict(kernels="gauss:0.3", C=2, **PLAIN)
        theirs = SVC(C=2, gamma=0.3, tol=1e-8, break_ties=True).fit(X, y)
        ours = BigMKLClassifier(multiclass="ovo", decision_function_shape="ovr", break_ties=True, **parameters).fit(X, y)
        ours.verify(X, y)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
        # So far from all points the classifiers decide by their constants, and classes win as many pairs.
        far = np.r_[X, 100 * X]
        np.testing.assert_array_equal(ours.predict(far), theirs.predict(far))
        first = clone(ours).set_params(break_ties=False).fit(X, y)
        np.testing.assert_array_equal(first.predict(far), theirs.set_params(break_ties=False).predict(far))
        pairs = clone(ours).set_params(decision_function_shape=None, break_ties=None).fit(X, y)
        self.assertEqual(pairs.decision_function(X).shape, (120, 6))
        np.testing.assert_array_equal(pairs.predict(far), ours.predict(far))
        with self.assertRaisesRegex(ValueError, "break_ties must be False"):
            pairs.set_params(break_ties=True).predict(X)
        with self.assertRaisesRegex(ValueError, "none of pairs"):
            BigMKLClassifier(decision_function_shape="ovo").fit(X, y).decision_function(X)
        with self.assertRaisesRegex(ValueError, "'ovr', 'ovo' or None"):
            pairs.set_params(decision_function_shape="all", break_ties=None).decision_function(X)


def shared_letters(A, B):
    """A kernel of words: the letters of each that the other has."""
    return np.array([[len(set(a) & set(b)) for b in B] for a in A], float)


def gauss(A, B):
    """A Gaussian kernel, as a sparse matrix."""
    return sp.csr_matrix(rbf_kernel(A, B, gamma=0.3))


class Functions(Case):

    def test_functions(self):
        X, y = self.two_classes()
        for listed, spec in [(gauss, "gauss:0.3"), ([gauss, np.inner], "gauss:0.3,linear")]:
            model = BigMKLClassifier(listed, scale="none").fit(X, y)
            model.verify(X, y)
            want = BigMKLClassifier(spec, scale="none").fit(X, y)
            np.testing.assert_allclose(model.decision_function(X[:9]), want.decision_function(X[:9]), rtol=1e-2, atol=1e-2)
            again = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(again.predict(X), model.predict(X))
        weights = (np.arange(len(y)) % 3).astype(float)
        model.fit(X, y, weights).verify(X, y, weights)
        np.testing.assert_array_equal(model.decision_function(X[:7]), model.decision_function(X)[:7])
        self.assertGreater(cross_val_score(BigMKLClassifier(gauss), X, y, cv=3).mean(), 0.8)

    def test_rows_that_are_no_numbers(self):
        words = ["aab", "ab", "cd", "dcc", "abc", "ccd", "ba", "ddc"]
        y = np.array([1, 1, 2, 2, 1, 2, 1, 2])
        model = BigMKLClassifier(shared_letters).fit(words, y)
        model.verify(words, y)
        self.assertEqual(model.predict(["bab", "cdd"]).tolist(), [1, 2])
        one = BigMKLOneClass(shared_letters).fit(words)
        one.verify(words)
        self.assertEqual(one.predict(words).shape, (8,))

    def test_functions_that_are_no_kernels(self):
        X, y = self.two_classes(20)
        for bad, words in [(lambda A, B: A, "an array of"), (lambda A, B: np.ones((1, 1)), "an array of"),
                           ([gauss, "linear"], "others besides")]:
            with self.assertRaisesRegex(BigMKLInputError, words):
                BigMKLClassifier(bad).fit(X, y)
        with self.assertRaisesRegex(ValueError, "NaN"):
            BigMKLClassifier(lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)

    def test_matrices_first(self):
        X, y = self.two_classes(60)
        matrices = [X @ X.T, rbf_kernel(X)]
        want = BigMKLClassifier("precomputed").fit(matrices, y)
        rows = [k[:7] for k in matrices]
        for form in (np.stack, lambda ks: [k.tolist() for k in ks], lambda ks: np.stack(ks, axis=2)):
            model = BigMKLClassifier("precomputed").fit(form(matrices), y)
            model.verify(form(matrices), y)
            self.assertEqual(model.model_bytes_, want.model_bytes_)
            np.testing.assert_array_equal(model.decision_function(form(rows)), want.decision_function(rows))
        with self.assertRaisesRegex(TypeError, "Sparse precomputed"):
            BigMKLClassifier("precomputed").fit([sp.csr_matrix(k) for k in matrices], y)


if __name__ == "__main__":
    unittest.main()
