"""Order of predicted times: bigmkl against scikit-survival, on the data sets that the latter ships.

    python bench/survival.py BIGMKL [SET..]

prints Harrell's C on 30 % of the rows, as the mean over random splits with its corrected error (Nadeau and Bengio 2003), and the median of
the processor seconds of a training and its predictions. scikit-survival has to be installed.
"""

import os
import resource
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler
from sksurv import datasets
from sksurv.column import encode_categorical
from sksurv.ensemble import GradientBoostingSurvivalAnalysis
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored
from sksurv.svm import FastKernelSurvivalSVM

SETS = {"veterans": datasets.load_veterans_lung_cancer, "whas500": datasets.load_whas500, "gbsg2": datasets.load_gbsg2,
        "aids": datasets.load_aids, "flchain": datasets.load_flchain}
SHARE = 0.3  # of the rows that are tested


def load(name):
    """Return the rows of a set as numbers, whether each has an event, and the times."""
    X, y = SETS[name]()
    X = pd.DataFrame(X).drop(columns=["chapter"], errors="ignore")  # The cause of death is known of events alone.
    X = X.apply(lambda c: c.astype("category") if c.dtype == object else c)
    X = X[[c for c in X if X[c].nunique() > 1]]
    X = encode_categorical(X).astype(float)
    X = X.fillna(X.median())
    event, time = y.dtype.names
    # Some days are 0, of which no program has a logarithm.
    return X.loc[:, X.std() > 0].to_numpy(), y[event].astype(bool), np.maximum(y[time].astype(float), 0.5)


def seconds():
    """Return the processor seconds of this process and its children."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def bigmkl(program, train, test, select=False, task="survival", flags=()):
    """Return minus the times that are predicted for the rows of test, or their relative hazards."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (X, event, time) in [("train", train), ("test", test)]:
            with open(os.path.join(folder, name), "w", encoding="ascii") as f:
                for row, e, t in zip(X, event, time):
                    f.write(f"{float(t)!r}{'' if e else '+'} " + " ".join(f"{k + 1}:{v:.9g}" for k, v in enumerate(row) if v) + "\n")
        options = ["--quiet", "--task", task, "--scale", "standard", *flags, "train"]
        run = dict(check=True, cwd=folder, stderr=subprocess.DEVNULL)
        if select:
            subprocess.run([program, "select", "-o", "s", *options], stdout=subprocess.DEVNULL, **run)
        else:
            subprocess.run([program, "train", "-o", "best.model", *options], stdout=subprocess.DEVNULL, **run)
        model = "s/best.model" if select else "best.model"
        out = subprocess.run([program, "predict", "--quiet", model, "test"], stdout=subprocess.PIPE, text=True, **run).stdout
        predicted = np.array(out.split(), float)
        return predicted if task == "cox" else -predicted


def main(program, names):
    for name in names:
        X, event, time = load(name)
        n, found = len(X), {}
        y = np.array(list(zip(event, time)), dtype=[("event", bool), ("time", float)])
        splits = 5 if n < 3000 else 2
        for split in range(splits):
            order = np.random.RandomState(split).permutation(n)
            test, train = np.split(order, [int(SHARE * n)])
            scaled = StandardScaler().fit(X[train]).transform(X)
            some = scaled[train][np.random.RandomState(0).permutation(len(train))[:500]]
            distances = ((some[:, None] - some[None]) ** 2).sum(-1)
            gamma = 1 / np.median(distances[np.triu_indices(len(some), 1)])
            parts = [(X[i], event[i], time[i]) for i in (train, test)]
            kernel = FastKernelSurvivalSVM(alpha=1, rank_ratio=0, fit_intercept=True, kernel="rbf", gamma=gamma, max_iter=1000, tol=1e-6,
                                           random_state=0)
            for who, risk in {
                "bigmkl train": lambda: bigmkl(program, *parts),
                "bigmkl train --tau 0.2": lambda: bigmkl(program, *parts, flags=("--tau", "0.2")),
                "bigmkl select --tau 0.2": lambda: bigmkl(program, *parts, select=True, flags=("--tau", "0.2")),
                "bigmkl train --task cox": lambda: bigmkl(program, *parts, task="cox"),
                "bigmkl select --task cox": lambda: bigmkl(program, *parts, select=True, task="cox"),
                "kernel survival SVM": lambda: -kernel.fit(scaled[train], y[train]).predict(scaled[test]),
                "Cox": lambda: CoxPHSurvivalAnalysis(alpha=0.1).fit(scaled[train], y[train]).predict(scaled[test]),
                "gradient boosting": lambda: GradientBoostingSurvivalAnalysis(random_state=0).fit(scaled[train], y[train]).predict(scaled[test]),
            }.items():
                began = seconds()
                c = concordance_index_censored(event[test], time[test], risk())[0]
                found.setdefault(who, []).append((c, seconds() - began))
        for who, list_ in found.items():
            c, took = np.array(list_).T
            error = np.std(c, ddof=1) * np.sqrt(1 / splits + SHARE / (1 - SHARE))
            print(f"| {name} | {n} | {100 * np.mean(~event):.0f} % | {who} | {c.mean():.3f} ± {error:.3f} | {np.median(took):.2f} |", flush=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main(os.path.abspath(sys.argv[1]), sys.argv[2:] or list(SETS))
