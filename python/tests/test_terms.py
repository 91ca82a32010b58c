"""Messages and options in terms of Python."""

import unittest
import warnings

import numpy as np

from bigmkl import BigMKLClassifier, BigMKLInputError

from .helpers import Case


class Terms(Case):

    def test_messages(self):
        """Errors and warnings name parameters and data, and neither flags nor files of the command."""
        X, y = self.three_classes()
        bad = X.copy()
        bad[:, 1] *= 1e300
        for parameters, rows, words in [
                (dict(C=-1), X, r"^C: -1.0 is not"), (dict(norm=0.5), X, r"^norm: p = 0.5"),
                (dict(max_iter=-3), X, "^max_iter: "), (dict(gap=0), X, "^gap: 0"),
                (dict(max_time="x"), X, "^max_time: "), (dict(multiclass="all"), X, "^multiclass"),
                (dict(memory=1000), X, r'memory is .*memory="\d+MiB"'), (dict(), bad, "^X: .*feature 2"),
                (dict(options={"group_norm": 0.2}), X, r'^options\["group_norm"\]: '),
                (dict(options={"weights": "rule:align"}), X, r"^norm cannot be combined with options\[\"weights\"\].*leave norm out"),
                (dict(kernels="gausss:1"), X, "gausss")]:
            with self.assertRaisesRegex(Exception, words) as caught:
                BigMKLClassifier(**parameters).fit(rows, y)
            self.assertNotRegex(str(caught.exception), r"--|\.npy")
        model = BigMKLClassifier("linear").fit(X, y)
        model.verify(X, y)
        with self.assertRaisesRegex(BigMKLInputError, r'^the model has no calibration scores .options\["conformal"\].$'):
            model.predict_set(X)
        X[:, 0] *= 1e6
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            BigMKLClassifier(scale="none").fit(X, y).verify(X, y)
        self.assertTrue(caught)
        self.assertNotIn("--", " ".join(str(w.message) for w in caught))

    def test_options_that_are_refused(self):
        X, y = self.two_classes(20)
        for name, words in [("out", "save"), ("json", "report_"), ("labels", "fit takes y"), ("row-weights", "sample_weight"),
                            ("norm", "norm=1"), ("path_C", "GridSearchCV"), ("seed", "random_state"), ("task", "its task")]:
            with self.assertRaisesRegex(BigMKLInputError, words):
                BigMKLClassifier(options={name: 1}).fit(X, y)
        self.assertFalse((self.folder / "1").exists())

    def test_truth_in_place_of_a_value(self):
        """True is the value of its own parameter, and does not take the word of the next."""
        X, y = self.two_classes(20)
        for parameters in (dict(gap=True), dict(scale=np.True_), dict(options={"group_norm": True})):
            with self.assertRaisesRegex(BigMKLInputError, r'"[Tt]rue"') as caught:
                BigMKLClassifier(**parameters).fit(X, y)
            self.assertNotRegex(str(caught.exception), "normalize|\\bC\\b")

    def test_weights_of_a_rule(self):
        X, y = self.two_classes()
        model = BigMKLClassifier("gauss:auto/3", norm=None, options={"weights": "rule:alignf"}).fit(X, y)
        model.verify(X, y)
        self.assertAlmostEqual(model.weights_.sum(), 1)


if __name__ == "__main__":
    unittest.main()
