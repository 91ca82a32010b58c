"""Regression of censored times."""

import numpy as np

from bigmkl import BigMKLInputError, BigMKLSurvival
from bigmkl._survival import concordance, signed_times

from .helpers import Case


class Survival(Case):

    def cohort(self, n=150):
        """Return rows, and their times as a structured array of scikit-survival."""
        random = np.random.RandomState(3)
        X = random.randn(n, 3)
        time, end = np.exp(X[:, 0] - X[:, 1] ** 2 / 2 + 0.2 * random.randn(n)), 3 * random.rand(n) + 0.01
        y = np.empty(n, dtype=[("status", bool), ("days", float)])
        y["status"], y["days"] = time <= end, np.minimum(time, end)
        return X, y

    def test_forms_of_times(self):
        X, y = self.cohort()
        signed = np.where(y["status"], y["days"], -y["days"])
        model = BigMKLSurvival(kernels="gauss:auto/3").fit(X, y)
        self.assertEqual(BigMKLSurvival(kernels="gauss:auto/3").fit(X, signed).model_bytes_, model.model_bytes_)
        turned = np.array([(t, e) for e, t in y], dtype=[("t", np.float32), ("e", bool)])
        np.testing.assert_allclose(signed_times(turned), signed, rtol=1e-6)
        model.verify(X, y)
        self.assertTrue(np.all(model.predict(X) > 0))
        self.assertGreater(model.score(X, y), 0.85)

    def test_the_command(self):
        X, y = self.cohort()
        np.save(self.folder / "X.npy", X)
        np.save(self.folder / "y.npy", signed_times(y))
        self.command("train", "--quiet", "--task", "survival", "--epsilon", "0.05", "--tau", "0.3", "--labels", "y.npy", "-o", "m", "X.npy")
        model = BigMKLSurvival.from_model(self.folder / "m")
        self.assertEqual((model.epsilon, model.tau), (0.05, 0.3))
        self.assertEqual(model.fit(X, y).model_bytes_, (self.folder / "m").read_bytes())
        out = self.command("predict", "--json", "--labels", "y.npy", "m", "X.npy")
        self.assertAlmostEqual(float(out.split('"c_index":')[1].split(",")[0]), model.score(X, y), places=6)

    def test_faults(self):
        X, y = self.cohort(20)
        for wrong, words in [(y[["days"]], "y has the fields days"), (np.array([(1.0, 2.0)] * 20, dtype="f8,f8"), "y has the fields"),
                             (np.array([(True, 0.0)] * 20, dtype="?,f8"), "not above 0"),
                             (np.array([(False, 1.0)] * 20, dtype="?,f8"), "all 20 rows are censored")]:
            with self.assertRaisesRegex(BigMKLInputError, words):
                BigMKLSurvival(kernels="linear").fit(X, wrong)

    def test_importance(self):
        X, y = self.cohort()
        found = BigMKLSurvival(kernels="gauss:auto/3").importance(X, y, each="feature", folds=3, repeat=1, samples=5)
        self.assertEqual(found["measure"], "c_index")

    def test_concordance(self):
        self.assertEqual(concordance(np.array([1.0, 2, -3, 4]), np.array([1.0, 2, 2, 5])), 4.5 / 5)
        self.assertTrue(np.isnan(concordance(np.array([-1.0, -2]), np.array([1.0, 2]))))
