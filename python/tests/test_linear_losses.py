"""Quantiles, Huber's and the log loss with a linear kernel, against scikit-learn's solvers of the same problems."""

import unittest

import numpy as np

from sklearn.linear_model import LogisticRegression

from bigmkl import BigMKLClassifier, BigMKLInputError, BigMKLRegressor

from .helpers import Case

try:
    from sklearn.linear_model import HuberRegressor, QuantileRegressor
except ImportError:
    HuberRegressor = QuantileRegressor = None

PLAIN = dict(kernels="linear", norm=2, normalize="none", scale="none")


class LogLoss(Case):

    def test_probabilities(self):
        X, y = self.two_classes()
        for C in (0.1, 10.0):
            want = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10).fit(X, y)
            model = BigMKLClassifier(loss="logistic", C=C, gap=1e-10, **PLAIN).fit(X, y)
            model.verify(X, y)
            np.testing.assert_allclose(model.decision_function(X), want.decision_function(X), atol=1e-4)
            np.testing.assert_allclose(model.predict_proba(X), want.predict_proba(X), atol=1e-5)
            np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))
            model.save(self.folder / "m")
            same = BigMKLClassifier.from_model(self.folder / "m")
            self.assertEqual(same.loss, "logistic")
            np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))

    def test_several_classes(self):
        X, _ = self.two_classes()
        y = np.digitize(X[:, 0], [-0.5, 0.5])
        model = BigMKLClassifier(loss="logistic").fit(X, y)
        odds = 1 / (1 + np.exp(-model.decision_function(X)))
        np.testing.assert_allclose(model.predict_proba(X), odds / odds.sum(axis=1, keepdims=True), atol=1e-5)

    def test_faults(self):
        X, y = self.two_classes()
        with self.assertRaisesRegex(BigMKLInputError, "it is 'hinge' or 'logistic'"):
            BigMKLClassifier(loss="log").fit(X, y)
        self.assertFalse(hasattr(BigMKLClassifier(), "predict_proba"))


@unittest.skipIf(QuantileRegressor is None, "scikit-learn has no QuantileRegressor or no HuberRegressor")
class LinearLosses(Case):

    def rows(self, n=200):
        """Return rows, and targets with noise that is skewed and grows with a feature."""
        random = np.random.RandomState(11)
        X = random.randn(n, 4)
        return X, X @ [1.0, -2, 0.5, 0] + 3 + (1 + np.abs(X[:, 0])) * (random.exponential(size=n) - 1)

    def test_quantiles(self):
        X, y = self.rows()
        for tau in (0.1, 0.5, 0.9):
            def pinball(f, tau=tau):
                return np.mean(np.maximum(tau * (y - f), (tau - 1) * (y - f)))
            # Without a penalty the linear program has the least loss there is. A large C comes near it, and cannot be below.
            want = pinball(QuantileRegressor(quantile=tau, alpha=0, solver="highs").fit(X, y).predict(X))
            model = BigMKLRegressor(loss="quantile", tau=tau, C=1e4, gap=1e-7, **PLAIN).fit(X, y)
            got = pinball(model.predict(X))
            self.assertGreater(got, want * (1 - 1e-6))
            self.assertLess(got, want * (1 + 1e-4))

    def test_huber(self):
        X, y = self.rows()
        y[::17] += 50
        for epsilon, alpha in [(1.35, 0.01), (2.5, 1.0), (1.05, 10.0)]:
            # At its optimum the scale is a constant. Divided by twice alpha, the rest is 1/2 ||w||^2 and a multiple of Huber's loss.
            want = HuberRegressor(epsilon=epsilon, alpha=alpha, max_iter=10000, tol=1e-9).fit(X, y)
            model = BigMKLRegressor(loss="huber", C=1 / (alpha * want.scale_), delta=epsilon * want.scale_, gap=1e-11, **PLAIN).fit(X, y)
            np.testing.assert_allclose(model.predict(X), want.predict(X), atol=2e-4)
