"""Names of columns: through the file of a model, in messages, and in warnings of views."""

import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp

from bigmkl import BigMKLClassifier, BigMKLError, BigMKLInputError, BigMKLRegressor, BigMKLWarning
from bigmkl import _columns

from .helpers import Case


class Columns(Case):

    def setUp(self):
        super().setUp()
        X, self.y = self.two_classes()
        self.frame = pd.DataFrame(X, columns=["a.x", "a.y", "b.x", "b.y", 'größe, "q"', "rest"])

    def saved(self, model):
        """Save a model, and return its file and what from_model makes of it."""
        model.save(self.folder / "m")
        return (self.folder / "m").read_bytes(), type(model).from_model(self.folder / "m")

    def test_names_outlive_the_file(self):
        model = BigMKLClassifier(kernels="linear,gauss:1").fit(self.frame, self.y)
        content, again = self.saved(model)
        self.assertEqual(again.model_bytes_, model.model_bytes_)
        self.assertNotEqual(content, model.model_bytes_)
        np.testing.assert_array_equal(again.feature_names_in_, model.feature_names_in_)
        np.testing.assert_array_equal(again.decision_function(self.frame), model.decision_function(self.frame))
        for other in (self.frame.iloc[:, ::-1], self.frame.rename(columns={"rest": "other"}), self.frame.iloc[:, :-1]):
            with self.assertRaisesRegex(ValueError, "feature names"):
                again.predict(other)
        self.assertEqual(self.saved(again)[0], content)
        # To the command it is the model that it was, with a checksum of its own.
        np.save(self.folder / "X.npy", self.frame.to_numpy())
        np.save(self.folder / "y.npy", self.y)
        self.command("verify", "m", "X.npy", "--labels", "y.npy")
        words = [line.split()[0] for line in self.command("predict", "m", "X.npy", "-o", "-").splitlines()]
        self.assertEqual(words, list(model.predict(self.frame)))

    def test_views_outlive_the_file(self):
        with warnings.catch_warnings(record=True):
            model = BigMKLClassifier(kernels="linear@each-view", views={"b": "b.", "a": ["a.y", "rest"]}).fit(self.frame, self.y)
        _, again = self.saved(model)
        np.testing.assert_array_equal(again.decision_function(self.frame), model.decision_function(self.frame))
        np.testing.assert_array_equal(again.coef_, model.coef_)
        again.verify(self.frame, self.y)
        numbers = BigMKLClassifier(kernels="linear@each-view", views={"b": [3, 2], "a": slice(0, 2)}).fit(self.frame.to_numpy(), self.y)
        _, again = self.saved(numbers)
        np.testing.assert_array_equal(again.predict(self.frame.to_numpy()), numbers.predict(self.frame.to_numpy()))
        self.assertFalse(hasattr(again, "feature_names_in_"))
        # A parameter that is given counts.
        self.assertEqual(BigMKLClassifier.from_model(self.folder / "m", views={"b": [3, 2], "a": [0, 1]}).views["a"], [0, 1])

    def test_no_names(self):
        """Without names and views the file is that of the command."""
        for X in (self.frame.to_numpy(), sp.csr_matrix(self.frame.to_numpy())):
            model = BigMKLClassifier().fit(X, self.y)
            self.assertEqual(self.saved(model)[0], model.model_bytes_)

    def test_names_of_matrices_of_their_own(self):
        views = {"a": self.frame.iloc[:, :2], "b": self.frame.iloc[:, 2:]}
        model = BigMKLClassifier().fit(views, self.y)
        turned = {"a": views["a"], "b": views["b"].iloc[:, ::-1]}
        for each in (model, self.saved(model)[1]):
            np.testing.assert_array_equal(each.predict({"b": views["b"], "a": views["a"]}), model.predict(views))
            np.testing.assert_array_equal(each.predict({name: x.to_numpy() for name, x in views.items()}), model.predict(views))
            with self.assertRaisesRegex(BigMKLInputError, "view b has its columns in another order"):
                each.predict(turned)
            with self.assertRaisesRegex(BigMKLInputError, "view b has no column 'rest'"):
                each.predict({**views, "b": views["b"].rename(columns={"rest": "other"})})
        # Another fit has names of its own.
        model.fit(turned, self.y).predict(turned)

    def test_long_names(self):
        wide = pd.DataFrame(sp.random(60, 3000, 0.01, random_state=1).toarray(), columns=[f"{i:0400d}" for i in range(3000)])
        model = BigMKLClassifier(kernels="linear").fit(wide, self.y[:60])
        with self.assertWarnsRegex(BigMKLWarning, "too long for the file"):
            content, again = self.saved(model)
        self.assertEqual(content, model.model_bytes_)
        np.testing.assert_array_equal(again.predict(wide), model.predict(wide))

    def test_names_of_a_table(self):
        """A model of a CSV has names, and its columns are found by them in any order."""
        table = self.frame.assign(word=np.where(self.y == "yes", "p", "q"), label=self.y)
        table.to_csv(self.folder / "t.csv", index=False)
        self.command("train", "--label", "label", "-o", "t.model", "t.csv")
        model = BigMKLClassifier.from_model(self.folder / "t.model")
        self.assertEqual(list(model.feature_names_in_), list(table.columns[:-1]))
        np.testing.assert_array_equal(model.predict(table.iloc[:, ::-1]), model.predict(table))
        self.assertEqual(self.saved(model)[0], model.model_bytes_)

    def test_damaged_entry(self):
        model = BigMKLClassifier(kernels="linear").fit(self.frame, self.y)
        for known in ({"names": ["a"]}, {"columns": 2, "names": ["a"]}, {"columns": 2, "views": {"a": [2]}}, {"columns": 2, "views": {"a": []}},
                      {"columns": 2, "views": ["a"]}, {"columns": "2"}, [1], {"columns": 1, "within": {"a": [1]}}, {"columns": 2, "names": 7}):
            (self.folder / "m").write_bytes(_columns.put(model.model_bytes_, known))
            with self.assertRaisesRegex(BigMKLError, "names of columns in the model are damaged", msg=known):
                BigMKLClassifier.from_model(self.folder / "m")
        content = bytearray(self.saved(model)[0])
        content[-1] ^= 1
        (self.folder / "m").write_bytes(content)
        with self.assertRaisesRegex(BigMKLError, "checksum"):
            BigMKLClassifier.from_model(self.folder / "m")

    def refused(self, pattern, X, **parameters):
        with self.assertRaisesRegex(BigMKLInputError, pattern):
            BigMKLClassifier(**parameters).fit(X, self.y)

    def test_words_and_missing_values(self):
        for words in (["f", "m"] * 60, pd.Categorical(["f", "m"] * 60), pd.Series([None, "m"] * 60), np.array(["f", "m"] * 60, object)):
            self.refused("^column sex has words, such as '[fm]' .encode it: .*get_dummies.*OneHotEncoder", self.frame.assign(sex=words))
        self.refused("^view b: column sex has words", {"a": self.frame, "b": self.frame.assign(sex=["f", "m"] * 60)})
        self.refused("^column 1 has words", [[1, "x"]] * 120)
        self.refused("^column day has times", self.frame.assign(day=pd.date_range("2020-01-01", periods=120)))
        holes = self.frame.copy()
        holes.iloc[3, 1] = np.nan
        holes.iloc[5:9, 4] = np.nan
        some = "NaN: column {} has 1 missing value, and 1 other column has some .impute=\"median\" fills in missing values.$"
        self.refused(some.format("a.y"), holes)
        for form in (holes.to_numpy(), sp.csr_matrix(holes.to_numpy())):
            self.refused(some.format(1), form)
        self.refused("view b: .*column a.y has 1 missing", {"a": self.frame, "b": holes})
        self.refused("column n has 60 missing values", self.frame.assign(n=pd.array([1, None] * 60, dtype="Int64")))
        self.refused("column sex has words", holes.assign(sex=["f", "m"] * 60), impute="median")
        BigMKLClassifier(impute="median").fit(holes, self.y)
        with self.assertRaisesRegex(BigMKLInputError, "column a.y has 1 missing value.*train with impute"):
            BigMKLClassifier().fit(self.frame, self.y).predict(holes)
        # Text that is a number, and truth values, are numbers.
        BigMKLClassifier().fit(self.frame.assign(n=["1.5", "2"] * 60, b=[True, False] * 60, o=pd.Series([1, 2.5] * 60, dtype=object)), self.y)
        # What is wrong with y is said of y.
        with self.assertRaisesRegex(ValueError, "y contains NaN"):
            BigMKLRegressor().fit(self.frame, np.full(120, np.nan))

    def test_columns_of_no_view(self):
        with self.assertWarnsRegex(BigMKLWarning, "views leave out 2 of 6 columns: 'größe, \"q\"', 'rest'$"):
            model = BigMKLClassifier(views=["a.", "b."]).fit(self.frame, self.y)
        with self.assertWarnsRegex(BigMKLWarning, "views leave out 4 of 6 columns: 0, 1, 4, ..$"):
            BigMKLClassifier(views={"b": [2, 3]}).fit(self.frame.to_numpy(), self.y)
        with warnings.catch_warnings():
            warnings.simplefilter("error", BigMKLWarning)
            model.predict(self.frame)
            BigMKLClassifier(views={"b": [5, 4, 3], "a": [0, 1, 2, 3]}).fit(self.frame, self.y)

    def test_chosen_parameters(self):
        best, _ = BigMKLClassifier(gap=1e-3).select(self.frame, self.y, norms=[4 / 3], costs=[1], folds=2)
        self.assertEqual(repr(best), "BigMKLClassifier(norm=1.3333333333333333, C=1, kernels='gauss:auto/10')")
        best.verify(self.frame, self.y)
        best, _ = BigMKLClassifier().select(self.frame, self.y, kernels=["linear"], norms=[2], costs=[10], folds=2)
        self.assertEqual(repr(best), "BigMKLClassifier(C=10, kernels='linear', norm=2)")
        self.assertEqual(repr(BigMKLClassifier()), "BigMKLClassifier()")
