"""Models, their attributes, and the way between Python and the command."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from bigmkl import (BigMKLClassifier, BigMKLError, BigMKLInputError, BigMKLOneClass,
                    BigMKLRegressor, BigMKLWarning)
from bigmkl._command import find_binary

from .helpers import ROOT, Case


class Models(Case):

    def write(self, X, y):
        """Write data where the command finds them."""
        np.save(self.folder / "X.npy", X)
        np.save(self.folder / "y.npy", y)

    def predictions(self, *flags):
        """Return the words of what the command predicts."""
        self.command("predict", "--quiet", *flags, "m", "X.npy", "-o", "out")
        return [line.split(" ") for line in (self.folder / "out").read_text().splitlines()]

    def test_from_python_to_the_command(self):
        X, y = self.two_classes()
        self.write(X, y)
        model = BigMKLClassifier(kernels="gauss:auto/4,linear").fit(X, y)
        model.save(self.folder / "m")
        self.command("verify", "--labels", "y.npy", "m", "X.npy")
        words = self.predictions()
        self.assertEqual([w[0] for w in words], model.predict(X).tolist())
        np.testing.assert_array_equal([float(w[1]) for w in words], model.decision_function(X))
        # The command trains the same bytes.
        self.command("train", "--quiet", "--kernels", "gauss:auto/4,linear", "--labels", "y.npy",
                     "-o", "again", "X.npy")
        self.assertEqual((self.folder / "again").read_bytes(), model.model_bytes_)

    def test_from_the_command_to_python(self):
        for several, flags in [(False, []), (True, ["--multiclass", "ovr", "--probability"]),
                               (True, ["--multiclass", "ovo"])]:
            X, y = self.three_classes() if several else self.two_classes()
            self.write(X, y)
            self.command("train", "--quiet", "--labels", "y.npy", *flags, "-o", "m", "X.npy")
            model = BigMKLClassifier.from_model(self.folder / "m", threads=1)
            self.assertEqual(model.threads, 1)
            model.verify(X, y)
            words = self.predictions("--decisions")
            self.assertEqual([w[0] for w in words], [str(c) for c in model.predict(X)])
            decided = model.decision_function(X)
            np.testing.assert_array_equal(np.array(words)[:, 1:].astype(float).ravel(),
                                          decided.ravel())
            self.assertEqual(model.classes_.tolist(), np.unique(y).tolist())
            self.assertEqual(hasattr(model, "predict_proba"), "--probability" in flags)
            model.save(self.folder / "back")
            self.assertEqual((self.folder / "back").read_bytes(), (self.folder / "m").read_bytes())
            # The parameters are those of the model, so that fit trains it again.
            self.assertEqual(model.fit(X, y).model_bytes_, (self.folder / "m").read_bytes())

    def check_quantiles(self, X, t):
        """Check one model of several quantiles: its columns, intervals and parameters."""
        taus = [0.1, 0.5, 0.9]
        model = BigMKLRegressor(loss="quantile", tau=taus, kernels="gauss:1", options={"conformal": "split:0.3"}).fit(X, t)
        found = model.predict(X)
        self.assertEqual((found.shape, model.weights_.shape), ((len(t), 3), (3, 1)))
        np.testing.assert_array_equal(model.predict(X, no_crossing=True), np.sort(found, axis=1))
        short = t[:, None] - found
        self.assertAlmostEqual(model.score(X, t), -np.maximum(np.array(taus) * short, (np.array(taus) - 1) * short).mean())
        ends = model.predict_interval(X, 0.8)
        self.assertGreater(np.mean((ends[:, 0] <= t) & (t <= ends[:, 1])), 0.6)
        # The ends are the outermost quantiles, moved by one number.
        np.testing.assert_allclose(found.min(axis=1) - ends[:, 0], ends[:, 1] - found.max(axis=1), atol=1e-6)
        model.save(self.folder / "several")
        same = BigMKLRegressor.from_model(self.folder / "several", options={"conformal": "split:0.3"})
        self.assertEqual(same.tau, taus)
        np.testing.assert_array_equal(same.predict(X), found)
        self.assertEqual(same.fit(X, t).model_bytes_, model.model_bytes_)

    def test_other_tasks(self):
        X, _ = self.two_classes()
        t = X[:, 0] + X[:, 1] ** 2
        self.write(X, t)
        for task in ("svr", "square", "quantile", "huber", "expectile"):
            self.command("train", "--quiet", "--task", task, "--labels", "y.npy", "-o", "m", "X.npy")
            model = BigMKLRegressor.from_model(self.folder / "m")
            model.verify(X, t)
            self.assertEqual(model.loss, task)
            np.testing.assert_array_equal(np.array(self.predictions())[:, 0].astype(float),
                                          model.predict(X))
            self.assertEqual(model.fit(X, t).model_bytes_, (self.folder / "m").read_bytes())
        self.command("train", "--quiet", "--task", "quantile", "--tau", "0.9", "--labels", "y.npy", "-o", "m", "X.npy")
        same = BigMKLRegressor.from_model(self.folder / "m")
        self.assertEqual(same.tau, 0.9)
        self.assertEqual(same.fit(X, t).model_bytes_, (self.folder / "m").read_bytes())
        above = np.mean(BigMKLRegressor(loss="quantile", tau=0.8, kernels="gauss:1").fit(X, t).predict(X) < t)
        self.assertAlmostEqual(above, 0.2, delta=0.05)
        self.check_quantiles(X, t)
        self.command("train", "--quiet", "--task", "oneclass", "--nu", "0.2", "-o", "m", "X.npy")
        model = BigMKLOneClass.from_model(self.folder / "m")
        model.verify(X)
        inside = model.predict(X)
        self.assertEqual([w[0] for w in self.predictions()], [str(i) for i in inside])
        self.assertAlmostEqual(np.mean(inside < 0), 0.2, delta=0.05)
        np.testing.assert_allclose(model.score_samples(X) - model.offset_,
                                   model.decision_function(X))
        with self.assertRaisesRegex(BigMKLInputError, "task oneclass"):
            BigMKLClassifier.from_model(self.folder / "m")

    def test_table_of_the_command(self):
        X, y = self.two_classes()
        frame = pd.DataFrame(X, columns=list("abcdef")).assign(site=np.where(X[:, 1] > 0, "x", "y"))
        frame.assign(label=y).to_csv(self.folder / "t.csv", index=False)
        self.command("train", "--quiet", "-o", "m", "t.csv")
        self.command("predict", "--quiet", "m", "t.csv", "-o", "out")
        model = BigMKLClassifier.from_model(self.folder / "m")
        # The columns are found by their names, and words become features.
        decided = model.decision_function(frame[["site", *"fedcba"]])
        text = (self.folder / "out").read_text().splitlines()
        np.testing.assert_array_equal(decided, [float(line.split()[1]) for line in text])
        self.assertEqual([line.split()[0] for line in text], model.predict(frame).tolist())
        with self.assertRaisesRegex(ValueError, "site"):
            model.predict(frame[list("abcdef")])
        model.verify(frame, y)

    def test_decision_function_of_dual(self):
        """dual_coef_, weights_, support_ and intercept_ give the decision function."""
        X, y = self.two_classes()
        for swap in (False, True):
            # Whichever class the model calls positive, decisions are for the last one.
            labels = np.where(y == "yes", "a" if swap else "z", "m")
            model = BigMKLClassifier(kernels=["gauss:0.1", "gauss:1"], normalize="none")
            model.fit(X, labels).verify(X, labels)
            kernel = sum(w * rbf_kernel(X, X[model.support_], gamma=g)
                         for w, g in zip(model.weights_, (0.1, 1)))
            np.testing.assert_allclose(kernel @ model.dual_coef_[0] + model.intercept_[0],
                                       model.decision_function(X), rtol=1e-4, atol=1e-4)
            self.assertTrue(np.all((model.decision_function(X) > 0)
                                   == (model.predict(X) == model.classes_[1])))
        X, y = self.three_classes()
        model = BigMKLClassifier(kernels=["gauss:0.1", "gauss:1"], normalize="none").fit(X, y)
        model.verify(X, y)
        each = [rbf_kernel(X, X[model.support_], gamma=g) for g in (0.1, 1)]
        for k, column in enumerate(model.decision_function(X).T):
            kernel = sum(w * x for w, x in zip(model.weights_[k], each))
            np.testing.assert_allclose(kernel @ model.dual_coef_[k] + model.intercept_[k], column,
                                       rtol=1e-4, atol=1e-4)

    def test_classes(self):
        X, y = self.three_classes()
        for classes in (["b", "a", "c"], ["10", "9", "2"], ["large cell", "small cell", "n.o.s."],
                        [2.0, -1.0, 30.0], ["nan", "x", "y"], [True, False, True],
                        np.array(["u", 3, None], dtype=object).astype(str)):
            labels = np.array(classes)[y // 5]
            model = BigMKLClassifier(kernels="gauss:auto/3", probability=True).fit(X, labels)
            model.verify(X, labels)
            self.assertEqual(model.predict(X).dtype.kind, labels.dtype.kind)
            self.assertGreater(model.score(X, labels), 0.8, classes)
            chance = model.predict_proba(X)
            np.testing.assert_allclose(chance.sum(axis=1), 1, atol=1e-12)
            # Every class is the likeliest of most rows of its own, so that no columns are swapped.
            for k, c in enumerate(model.classes_):
                self.assertGreater(np.mean(chance[labels == c].argmax(axis=1) == k), 0.6)

    def test_class_weight(self):
        X, y = self.two_classes()
        plain, heavy, balanced = (
            BigMKLClassifier(kernels="linear", C=0.1, class_weight=w).fit(X, y)
            for w in (None, {"yes": 10}, "balanced"))
        for model in (plain, heavy, balanced):
            model.verify(X, y)
        yes = [np.mean(m.predict(X) == "yes") for m in (plain, balanced, heavy)]
        self.assertEqual(yes, sorted(yes))
        self.assertLess(yes[0], yes[2])

    def test_no_probability(self):
        X, y = self.two_classes(40)
        model = BigMKLClassifier().fit(X, y)
        model.verify(X, y)
        self.assertFalse(hasattr(model, "predict_proba"))

    def test_warm_start(self):
        X, y = self.two_classes()
        model = BigMKLClassifier(gap=1e-5, warm_start=True).fit(X, y)
        cold = model.n_iter_
        model.fit(X, y).verify(X, y)
        self.assertLess(model.n_iter_, cold)
        X, y = self.three_classes()
        model.fit(X, y).fit(X, y).verify(X, y)  # The command has no warm start for these.

    def test_iteration_limit(self):
        X, y = self.two_classes()
        model = BigMKLClassifier(max_iter=1, gap=1e-6)
        with self.assertWarnsRegex(ConvergenceWarning, "iteration_limit"):
            model.fit(X, y)
        model.verify(X, y)
        self.assertFalse(model.converged_)
        self.assertGreater(model.gap_, 1e-6)

    def test_warnings(self):
        X, y = self.two_classes()
        X[:, 0] *= 1e6
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertWarns(BigMKLWarning):
                model = BigMKLClassifier(scale="none").fit(X, y)
        model.verify(X, y)
        self.assertTrue(model.report_["warnings"])

    def test_warnings_of_predictions(self):
        """Words that the training did not have give a warning, at the line of the program that predicts."""
        rows = "".join(f"{word},{i % 7},{word == 'a'}\n" for i, word in enumerate("abc" * 8))
        (self.folder / "t.csv").write_text("word,x,y\n" + rows)
        self.command("train", "--quiet", "--kernels", "linear", "-o", "m", "t.csv")
        model = BigMKLClassifier.from_model(self.folder / "m")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.predict(pd.DataFrame({"word": ["a", "new"], "x": [1, 2]}))
        self.assertEqual([(w.category, w.filename) for w in caught], [(BigMKLWarning, __file__)])
        self.assertIn("such as \"new\" of column word", str(caught[0].message))

    def test_warnings_once(self):
        """A warning of a training comes once, though the report has it, too."""
        X, y = self.two_classes()
        X[:, 0] *= 1e6
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", BigMKLWarning)
            model = BigMKLClassifier(scale="none").fit(X, y)
        self.assertEqual(len(caught), len(model.report_["warnings"]))
        self.assertTrue(caught)

    def test_verify_of_other_data(self):
        X, y = self.two_classes()
        model = BigMKLClassifier().fit(X, y)
        model.verify(X, y)
        X[0, 0] += 1
        with self.assertRaisesRegex(BigMKLError, "fingerprint"):
            model.verify(X, y)

    def test_no_model(self):
        (self.folder / "m").write_bytes(b"nothing of the kind")
        with self.assertRaisesRegex(BigMKLError, "no model"):
            BigMKLClassifier.from_model(self.folder / "m")
        X, y = self.two_classes(40)
        model = BigMKLClassifier().fit(X, y)
        model.verify(X, y)
        damaged = bytearray(model.model_bytes_)
        damaged[-1] ^= 1
        (self.folder / "m").write_bytes(damaged)
        with self.assertRaises(BigMKLError) as caught:
            BigMKLClassifier.from_model(self.folder / "m")
        self.assertEqual(caught.exception.exit_code, 5)

    def test_options(self):
        X, y = self.two_classes()
        self.write(X, y)
        model = BigMKLClassifier(norm=None, options={"elastic_net": 0.5, "precision": 64}, memory="1GiB",
                                 disk=10**9, threads=2, max_time="10m", random_state=3)
        model.fit(X, y).verify(X, y)
        self.command("train", "--quiet", "--labels", "y.npy", "--elastic-net", "0.5", "--precision",
                     "64", "--seed", "3", "-o", "m", "X.npy")
        self.assertEqual((self.folder / "m").read_bytes(), model.model_bytes_)
        (self.folder / "kernels").write_text("linear\ngauss:auto/2\n")
        listed = BigMKLClassifier(kernels=f"@{self.folder / 'kernels'}").fit(X, y)
        listed.verify(X, y)
        self.assertEqual(len(listed.kernel_names_), 3)

    def test_module_runs_the_command(self):
        found = subprocess.run([find_binary(), "version"], capture_output=True, check=True).stdout
        done = subprocess.run([sys.executable, "-m", "bigmkl", "version"], capture_output=True,
                              check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(done.stdout, found)

    def test_importance(self):
        X = self.random.normal(size=(80, 6))
        y = np.where(X[:, 0] + X[:, 1] + 0.3 * self.random.normal(size=80) > 0, "yes", "no")
        views = {"good": X[:, :2], "noise": X[:, 2:]}
        model = BigMKLClassifier(kernels="linear@each-view", norm=1.5)
        found = model.importance(views, y, repeat=1, samples=2)
        self.assertFalse(hasattr(model, "model_info_"))
        sources = {s["name"]: s for s in found["sources"]}
        self.assertEqual(list(sources), ["good", "noise"])
        self.assertEqual(sources["good"]["finding"], "needed")
        self.assertNotIn(sources["noise"]["finding"], ("needed", "helps"))
        self.assertEqual(found["norms"], [1.5])
        # The command finds the same.
        np.save(self.folder / "good.npy", views["good"])
        np.save(self.folder / "noise.npy", views["noise"])
        np.save(self.folder / "y.npy", y)
        self.command("importance", "--quiet", "--kernels", "linear@each-view", "--norm", "1.5", "--grid-C", "1", "--repeat", "1",
                     "--samples", "2", "--labels", "y.npy", "-o", "found", "good=good.npy", "noise=noise.npy")
        again = json.loads((self.folder / "found" / "importance.json").read_text())
        self.assertEqual(again["sources"], found["sources"])
        # A group of rows is held out as a whole, and other figures can be measured.
        target = X[:, 0] + 0.1 * self.random.normal(size=80)
        found = BigMKLRegressor(kernels="linear@each-view").importance(
            views, target, repeat=1, samples=0, groups=np.arange(80) // 4, measure="rmse", choose=True)
        self.assertTrue(found["smaller"])
        self.assertEqual([s["finding"] for s in found["sources"]][0], "needed")
        with self.assertRaises(BigMKLError):
            model.importance(X[:, :2], y, repeat=1, samples=0, each="row")

    def test_intervals_and_sets(self):
        X = self.random.normal(size=(200, 3))
        t = X[:, 0] + 0.5 * self.random.normal(size=200)
        train, test = slice(0, 120), slice(120, None)
        model = BigMKLRegressor(kernels="linear", options={"conformal": "split:0.4"}).fit(X[train], t[train])
        low, high = model.predict_interval(X[test], 0.9).T
        np.testing.assert_allclose((low + high) / 2, model.predict(X[test]), atol=1e-6)
        self.assertGreater(np.mean((low <= t[test]) & (t[test] <= high)), 0.7)
        model.verify(X[train], t[train])
        y = np.array(["a b", "b", "c"])[np.argmax(X, axis=1)]
        model = BigMKLClassifier(kernels="gauss:auto", options={"conformal": "folds:3"}).fit(X[train], y[train])
        for coverage in (0.5, 0.95):
            chosen = model.predict_set(X[test], coverage)
            place = np.searchsorted(model.classes_, y[test])
            self.assertGreater(np.mean(chosen[np.arange(80), place]), coverage - 0.2)
            # The command counts the same.
            model.save(self.folder / "m")
            np.save(self.folder / "X.npy", X[test])
            np.save(self.folder / "y.npy", y[test])
            said = json.loads(self.command("predict", "--quiet", "--json", "--coverage", str(coverage), "--labels", "y.npy", "m", "X.npy"))
            self.assertAlmostEqual(said["regions"]["mean_size"], np.mean(chosen.sum(axis=1)))
            self.assertAlmostEqual(said["regions"]["held"], np.mean(chosen[np.arange(80), place]))
        self.assertTrue(np.all(model.predict_set(X[test], 0.95) >= model.predict_set(X[test], 0.5)))
        with self.assertRaises(BigMKLError):
            BigMKLClassifier(kernels="linear").fit(X[train], y[train]).predict_set(X[test])
