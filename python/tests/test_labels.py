"""Labels in the forms that NumPy and pandas have for them."""

import datetime

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score

from bigmkl import BigMKLClassifier, BigMKLInputError, BigMKLRegressor

from .helpers import Case


class Labels(Case):

    def test_words(self):
        X, y = self.two_classes()
        want = BigMKLClassifier().fit(X, y.tolist())
        for form in (y.astype(object), np.array([np.str_(word) for word in y], object),
                     pd.Series(y, index=np.arange(len(y))[::-1]), pd.Series(y).astype("string"),
                     pd.Series(y).astype("category"), pd.Categorical(y, ["yes", "no", "never"])):
            model = BigMKLClassifier().fit(X, form)
            self.assertEqual(model.model_bytes_, want.model_bytes_)
            self.assertEqual(model.classes_.tolist(), ["no", "yes"])
            self.assertEqual(model.predict(X).tolist(), want.predict(X).tolist())
            self.assertEqual(model.score(X, form), want.score(X, y))
            model.verify(X, form)

    def test_numbers(self):
        X, y = self.two_classes()
        numbers = np.where(y == "yes", 12, -3)
        want = BigMKLClassifier().fit(X, numbers)
        for form in (numbers.astype(object), np.array([np.int16(n) for n in numbers], object),
                     pd.Series(numbers).astype("Int64"), pd.Series(numbers).astype("category"),
                     pd.Series(numbers).astype(object)):
            model = BigMKLClassifier().fit(X, form)
            self.assertEqual(model.model_bytes_, want.model_bytes_)
            self.assertEqual(model.classes_.tolist(), [-3, 12])
            self.assertEqual(model.classes_.dtype.kind, "i")
            self.assertEqual(model.score(X, form), want.score(X, numbers))
            model.verify(X, form)
            # The same beside views, which are validated otherwise.
            views = {"left": X[:, :3], "right": X[:, 3:]}
            both = BigMKLClassifier().fit(views, form)
            self.assertEqual(both.classes_.tolist(), [-3, 12])
            both.verify(views, form)
        for form in ((y == "yes").astype(object), pd.Series(y == "yes").astype("boolean")):
            model = BigMKLClassifier().fit(X, form)
            self.assertEqual(model.classes_.tolist(), [False, True])
            model.verify(X, form)
        mixed = np.array([2 if word == "yes" else 1.0 for word in y], object)
        model = BigMKLClassifier().fit(X, mixed)
        model.verify(X, mixed)
        self.assertEqual(model.classes_.tolist(), [1, 2])
        self.assertGreater(cross_val_score(BigMKLClassifier(), X, numbers.astype(object)).mean(), 0.8)

    def test_targets(self):
        X, y = self.two_classes(60)
        target = np.where(y == "yes", 3, 1)
        want = BigMKLRegressor().fit(X, target)
        for form in (target.astype(object), pd.Series(target).astype("Int64")):
            model = BigMKLRegressor().fit(X, form)
            self.assertEqual(model.model_bytes_, want.model_bytes_)
            model.verify(X, form)

    def test_labels_that_are_none(self):
        X, y = self.two_classes(40)
        mixed = y.astype(object)
        mixed[7] = 7
        long = np.array([2**70 if word == "yes" else 1 for word in y], object)
        day = np.where(y == "yes", datetime.date(2025, 1, 2), datetime.date(2025, 1, 3))
        for bad, words in [(mixed, "int and str.*astype"), (long, "64 bits"), (day, "type date")]:
            with self.assertRaisesRegex(BigMKLInputError, words):
                BigMKLClassifier().fit(X, bad)
        for missing in (None, float("nan"), np.float32("nan"), pd.NA, pd.NaT):
            bad = y.astype(object)
            bad[31] = missing
            with self.assertRaisesRegex(BigMKLInputError, "label of row 31.*missing"):
                BigMKLClassifier().fit(X, bad)
        with self.assertRaisesRegex(ValueError, "row 5.*missing|NaN"):
            codes = pd.Series(np.where(y == "yes", 2, 1)).astype("Int64")
            codes[5] = pd.NA
            BigMKLClassifier().fit(X, codes)
