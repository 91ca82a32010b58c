"""Rankings of the rows of groups."""

import numpy as np
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GroupKFold

from bigmkl import BigMKLInputError, BigMKLRanker
from bigmkl._ranker import groups_of, ndcg

from .helpers import Case


class Ranker(Case):

    def tastings(self, groups=12, rows=8):
        """Return rows of groups that do not follow each other, and their relevances from 0 to 4."""
        random = np.random.RandomState(5)
        X = random.randn(groups * rows, 4)
        score = X[:, 0] - X[:, 1] ** 2 + 0.2 * random.randn(len(X))
        return X, np.digitize(score, [-2, -1, 0, 1]), random.permutation(len(X)) % groups

    def test_the_command(self):
        X, y, qid = self.tastings()
        model = BigMKLRanker(kernels="gauss:auto/3").fit(X, y, qid=qid)
        self.assertFalse(model.verify(X, y, qid)["faults"])
        self.assertGreater(model.score(X, y, qid), 0.95)
        np.save(self.folder / "X.npy", X)
        (self.folder / "y.txt").write_text("".join(f"{r}:{g}\n" for r, g in zip(y, qid)))
        self.command("train", "--quiet", "--task", "rank", "--kernels", "gauss:auto/3", "--labels", "y.txt", "-o", "m", "X.npy")
        again = BigMKLRanker.from_model(self.folder / "m")
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        out = self.command("predict", "--json", "--labels", "y.txt", "m", "X.npy")
        self.assertAlmostEqual(float(out.split('"ndcg":')[1].split(",")[0]), model.score(X, y, qid), places=6)
        # Names of groups do not matter, nor does warm_start.
        words = np.array(["query:" + "abcdefghijkl"[g] for g in qid])
        self.assertEqual(model.set_params(warm_start=True).fit(X, y, qid=words).predict(X).tolist(), again.predict(X).tolist())

    def test_groups(self):
        np.testing.assert_array_equal(groups_of([7, 3, 7, 9], 4), [1, 0, 1, 2])
        np.testing.assert_array_equal(groups_of(None, 3), [0, 0, 0])
        X, y, qid = self.tastings()
        # Without groups all rows are compared.
        self.assertEqual(BigMKLRanker(kernels="linear").fit(X, y).model_bytes_, BigMKLRanker(kernels="linear").fit(X, y, np.ones(len(X))).model_bytes_)
        self.assertNotEqual(BigMKLRanker(kernels="linear").fit(X, y).model_bytes_, BigMKLRanker(kernels="linear").fit(X, y, qid).model_bytes_)

    def test_measure(self):
        """The measure is scikit-learn's for the gains 2^relevance - 1, which also shares the gains of equal scores."""
        random = np.random.RandomState(0)
        for _ in range(20):
            relevances, scores = random.randint(0, 4, 15), random.randint(0, 5, 15).astype(float)
            groups = np.repeat([0, 1, 2], 5)
            want = np.mean([ndcg_score([2.0 ** relevances[groups == g] - 1], [scores[groups == g]]) for g in range(3)
                            if np.any(relevances[groups == g])])
            self.assertAlmostEqual(ndcg(relevances.astype(float), groups, scores), want, places=12)
        self.assertTrue(np.isnan(ndcg(np.zeros(2), np.zeros(2), np.arange(2.0))))

    def test_select_and_importance(self):
        X, y, qid = self.tastings()
        best, table = BigMKLRanker(kernels="linear").select(X, y, qid, norms=[1], costs=[0.1, 1], folds=3)
        self.assertEqual(table["measure"], "ndcg")
        self.assertIn(best.C, (0.1, 1))
        found = BigMKLRanker(kernels="linear").importance(X, y, qid, each="feature", folds=3, repeat=1, samples=5)
        self.assertEqual(found["measure"], "ndcg")

    def test_faults(self):
        X, y, qid = self.tastings()
        with self.assertRaisesRegex(BigMKLInputError, "row 2 of y, counted from 0, has the relevance -1"):
            BigMKLRanker().fit(X, np.where(np.arange(len(y)) == 2, -1, y), qid)
        with self.assertRaisesRegex(ValueError, "inconsistent numbers of samples"):
            BigMKLRanker().fit(X, y, qid[1:])
        with self.assertRaisesRegex(BigMKLInputError, "no two of 96 rows are comparable"):
            BigMKLRanker().fit(X, np.ones(len(y)), qid)

    def test_ranker_of_xgboost(self):
        """On rows of a linear score, a linear kernel orders new groups as well as the trees of XGBoost."""
        try:
            from xgboost import XGBRanker
        except ImportError:
            self.skipTest("XGBoost is not installed")
        random = np.random.RandomState(1)
        X = random.randn(600, 5)
        y = np.digitize(X @ random.randn(5) + 0.3 * random.randn(600), [-2, 0, 2])
        qid = np.sort(np.arange(600) % 30)
        train, test = next(GroupKFold(3).split(X, y, qid))
        ours = BigMKLRanker(kernels="linear", C=0.1).fit(X[train], y[train], qid=qid[train])
        trees = XGBRanker(n_estimators=50, max_depth=3).fit(X[train], y[train], qid=qid[train])
        self.assertGreater(ours.score(X[test], y[test], qid[test]), ndcg(y[test].astype(float), qid[test], trees.predict(X[test])) - 0.01)
