"""Regression of censored times."""

import numpy as np
import pandas as pd

from bigmkl import BigMKLInputError, BigMKLSurvival
from bigmkl._survival import bounds_of, concordance, labels_of

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
        np.testing.assert_allclose(labels_of(turned), signed, rtol=1e-6)
        model.verify(X, y)
        self.assertTrue(np.all(model.predict(X) > 0))
        self.assertGreater(model.score(X, y), 0.85)

    def test_events_beside_times(self):
        X, y = self.cohort(60)
        model = BigMKLSurvival(kernels="linear").fit(X, y)
        for pair in [(y["status"], y["days"]), (y["days"], y["status"]), pd.DataFrame({"days": y["days"], "status": y["status"]}),
                     pd.DataFrame({"status": pd.array(y["status"], "boolean"), "days": y["days"]})]:
            self.assertEqual(BigMKLSurvival(kernels="linear").fit(X, pair).model_bytes_, model.model_bytes_)
            self.assertEqual(model.score(X, pair), model.score(X, y))
        # Two numbers of bounds stay bounds.
        bounds = np.column_stack([y["days"], np.where(y["status"], y["days"], np.inf)])
        for both in (bounds, pd.DataFrame(bounds)):
            self.assertEqual(BigMKLSurvival(kernels="linear").fit(X, both).model_bytes_, model.model_bytes_)
        with self.assertRaisesRegex(BigMKLInputError, "59 and 60 elements"):
            BigMKLSurvival(kernels="linear").fit(X, (y["status"][1:], y["days"]))

    def test_events_that_are_numbers(self):
        """Events 0 and 1 are neither bounds of times nor taken for events."""
        X, y = self.cohort(60)
        flags = y["status"].astype(int)
        for loss in ("regression", "cox", "ranking"):
            for form in [(flags, y["days"]), pd.DataFrame({"status": flags, "days": y["days"] + 1}), np.column_stack([y["days"], flags])]:
                with self.assertRaisesRegex(BigMKLInputError, r"astype\(bool\)"):
                    BigMKLSurvival(kernels="linear", loss=loss).fit(X, form)
        # Lower bounds of 0 and 1 can be written with NaN.
        bounds = np.column_stack([np.where(flags == 1, 1, np.nan), y["days"] + 1])
        np.testing.assert_array_equal(bounds_of(bounds)[0], flags)

    def test_hazards(self):
        X, y = self.cohort()
        model = BigMKLSurvival(kernels="gauss:auto/3", loss="cox", C=0.5).fit(X, y)
        self.assertFalse(model.verify(X, y)["faults"])
        np.save(self.folder / "X.npy", X)
        np.save(self.folder / "y.npy", labels_of(y))
        self.command("train", "--quiet", "--task", "cox", "--kernels", "gauss:auto/3", "-C", "0.5", "--labels", "y.npy", "-o", "m", "X.npy")
        self.assertEqual(model.model_bytes_, (self.folder / "m").read_bytes())
        again = BigMKLSurvival.from_model(self.folder / "m")
        self.assertEqual((again.loss, again.C), ("cox", 0.5))
        out = self.command("predict", "--json", "--labels", "y.npy", "m", "X.npy")
        self.assertAlmostEqual(float(out.split('"c_index":')[1].split(",")[0]), again.score(X, y), places=6)
        self.assertGreater(model.score(X, y), 0.85)
        risk, curves = model.predict(X), model.predict_survival(X, [0.3, 1, 4])
        # A larger hazard has a lower curve: its logarithms are proportional to exp(f).
        some = (curves[:, 1] > 1e-4) & (curves[:, 1] < 0.99)
        hazards = -np.log(curves[some, 1]) / np.exp(risk[some])
        np.testing.assert_allclose(hazards, hazards[0], rtol=1e-3)
        # A start from a model has no effect, and no error.
        warm = BigMKLSurvival(kernels="gauss:auto/3", loss="cox", C=0.5, warm_start=True)
        self.assertEqual(warm.fit(X, y).fit(X, y).model_bytes_, model.model_bytes_)
        with self.assertRaisesRegex(BigMKLInputError, "loss='coxph' .*'cox'"):
            BigMKLSurvival(loss="coxph").fit(X, y)
        with self.assertRaisesRegex(BigMKLInputError, "parameter loss"):
            BigMKLSurvival(options={"survival": "ranking"}).fit(X, y)

    def test_ranking(self):
        X, y = self.cohort()
        model = BigMKLSurvival(kernels="gauss:auto/3", loss="ranking").fit(X, y)
        self.assertFalse(model.verify(X, y)["faults"])
        self.assertGreater(model.score(X, y), 0.85)
        model.save(self.folder / "m")
        self.assertEqual(BigMKLSurvival.from_model(self.folder / "m").loss, "ranking")

    def test_select(self):
        X, y = self.cohort()
        for loss in ("regression", "cox", "ranking"):
            best, table = BigMKLSurvival(kernels="linear", loss=loss).select(X, y, norms=[1], costs=[0.1, 1], folds=3)
            self.assertEqual((table["measure"], best.loss), ("c_index", loss))
            self.assertIn(best.C, (0.1, 1))

    def test_cox_of_scikit_survival(self):
        """One linear kernel has the function, the curves and the index of scikit-survival."""
        try:
            from sksurv.linear_model import CoxPHSurvivalAnalysis
        except ImportError:
            self.skipTest("scikit-survival is not installed")
        X, y = self.cohort()
        plain = dict(kernels="linear", normalize="none", scale="none", gap=1e-6, norm=1)
        for ties in (False, True):
            if ties:
                y["days"] = np.ceil(10 * y["days"]) / 10
            model = BigMKLSurvival(loss="cox", C=2.0, **plain).fit(X, y)
            peer = CoxPHSurvivalAnalysis(alpha=0.5, ties="efron", tol=1e-12).fit(X, y)
            np.testing.assert_allclose(model.coef_.ravel(), peer.coef_, rtol=1e-3)
            self.assertAlmostEqual(model.score(X, y), peer.score(X, y), places=3)
            times = [0.5, 1, 2]
            curves = np.array([f(times) for f in peer.predict_survival_function(X)])
            # Its baseline hazard with ties is after Breslow, which is the smaller one.
            np.testing.assert_array_less(model.predict_survival(X, times), curves + (0 if ties else 2e-3) + 1e-9)
            if not ties:
                np.testing.assert_allclose(model.predict_survival(X, times), curves, atol=2e-3)

    def test_the_command(self):
        X, y = self.cohort()
        np.save(self.folder / "X.npy", X)
        np.save(self.folder / "y.npy", labels_of(y))
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

    def test_bounds(self):
        X, y = self.cohort()
        random = np.random.RandomState(4)
        time = np.exp(X[:, 0] - X[:, 1] ** 2 / 2)
        lower, upper = time * random.uniform(0.3, 1, len(time)), time * random.uniform(1, 3, len(time))
        lower[::5], upper[1::5] = 0, np.inf
        lower[2::5] = upper[2::5]
        bounds = np.column_stack([lower, upper])
        model = BigMKLSurvival(kernels="gauss:auto/3").fit(X, bounds)
        self.assertFalse(model.verify(X, bounds)["faults"])
        self.assertGreater(model.score(X, bounds), 0.9)
        open_ends = np.where(bounds == 0, np.nan, np.where(np.isinf(bounds), np.nan, bounds))
        self.assertEqual(BigMKLSurvival(kernels="gauss:auto/3").fit(X, open_ends).model_bytes_, model.model_bytes_)
        np.save(self.folder / "X.npy", X)
        (self.folder / "y.txt").write_text("".join(word + "\n" for word in labels_of(bounds)))
        self.command("train", "--quiet", "--task", "survival", "--kernels", "gauss:auto/3", "--labels", "y.txt", "-o", "m", "X.npy")
        self.assertEqual(model.model_bytes_, (self.folder / "m").read_bytes())
        out = self.command("predict", "--json", "--labels", "y.txt", "m", "X.npy")
        self.assertAlmostEqual(float(out.split('"c_index":')[1].split("}")[0].split(",")[0]), model.score(X, bounds), places=6)
        # Without upper bounds these are the times of scikit-survival.
        known = np.where(y["status"], y["days"], np.inf)
        np.testing.assert_array_equal(labels_of(np.column_stack([y["days"], known])), labels_of(y))
        for wrong, words in [((3, 2), "row 7 of y, counted from 0, has a lower bound above"), ((-1, 2), "below 0"), ((0, np.inf), "no bound"),
                             ((0, 0), "not above 0"), ((np.inf, np.inf), "infinite lower")]:
            bad = bounds.copy()
            bad[7] = wrong
            with self.assertRaisesRegex(BigMKLInputError, words):
                BigMKLSurvival(kernels="linear").fit(X, bad)
        weights = np.ones(len(X))
        weights[3] = 0
        BigMKLSurvival(kernels="gauss:auto/3").fit(X, bounds, sample_weight=weights)

    def test_curves(self):
        X, y = self.cohort()
        model = BigMKLSurvival(kernels="gauss:auto/3", options={"conformal": "folds:3"}).fit(X, y)
        self.assertFalse(model.verify(X, y)["faults"])
        curves = model.predict_survival(X, [0.3, 1, 4])
        self.assertEqual(curves.shape, (len(X), 3))
        self.assertTrue(np.all((curves >= 0) & (curves <= 1)) and np.all(np.diff(curves) <= 0))
        # The curve of a row whose time is predicted later is nowhere below.
        order = np.argsort(model.predict(X))
        self.assertTrue(np.all(np.diff(curves[order], axis=0) >= 0))
        self.assertEqual(model.predict_survival(X[:2], 1.0).shape, (2, 1))
        with self.assertRaisesRegex(BigMKLInputError, "no residuals of held-out rows"):
            BigMKLSurvival(kernels="linear").fit(X, y).predict_survival(X, [1])

    def test_concordance(self):
        bounds = bounds_of(np.array([1.0, 2, -3, 4]))
        self.assertEqual(concordance(*bounds, np.array([1.0, 2, 2, 5])), 4.5 / 5)
        self.assertTrue(np.isnan(concordance(*bounds_of(np.array([-1.0, -2])), np.array([1.0, 2]))))
        # (0, 2] is before (2, 5], and both overlap with (1, 3].
        self.assertEqual(concordance(*bounds_of(np.array([[0, 2.0], [2, 5], [1, 3]])), np.array([1.0, 2, 0])), 1)
