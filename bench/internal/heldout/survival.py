"""Order of predicted times: bigmkl against scikit-survival, on the data sets that the latter ships.

    python bench/internal/heldout/survival.py BIGMKL [--curves] [--only=NAME,..] [SET..]

    python bench/internal/heldout/survival.py BIGMKL --size=ROWS [TASK..]

prints Harrell's C on 30 % of the rows, as the mean over random splits with its corrected error (Nadeau and Bengio 2003), the mean difference
from the kernel survival SVM, from Cox and from gradient boosting on the same splits with the corrected error of each difference, and the
median of the processor seconds of a training and its predictions. --only takes the programs whose names begin with one of these. With --curves it prints the integrated Brier score of survival curves in the same way, and the difference from
the Cox model. With --size it prints the gap, the processor seconds and the peak memory of trainings on generated rows, survival and cox
by default. scikit-survival has to be installed.
"""

import json
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
from sksurv.metrics import concordance_index_censored, integrated_brier_score
from sksurv.nonparametric import kaplan_meier_estimator
from sksurv.svm import FastKernelSurvivalSVM, FastSurvivalSVM

SETS = {"veterans": datasets.load_veterans_lung_cancer, "whas500": datasets.load_whas500, "gbsg2": datasets.load_gbsg2,
        "aids": datasets.load_aids, "flchain": datasets.load_flchain}
SHARE = 0.3  # of the rows that are tested
PEER = "kernel survival SVM"
PEERS = [PEER, "Cox", "gradient boosting"]
MOST_SELECTED = 3000  # rows of a selection of relative hazards, whose time grows with their square


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


def write_parts(folder, **parts):
    """Write rows and their times as libsvm text."""
    for name, (X, event, time) in parts.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            for row, e, t in zip(X, event, time):
                f.write(f"{float(t)!r}{'' if e else '+'} " + " ".join(f"{k + 1}:{v:.9g}" for k, v in enumerate(row) if v) + "\n")


def bigmkl(program, train, test, select=False, task="survival", flags=()):
    """Return minus the times that are predicted for the rows of test, or their relative hazards."""
    with tempfile.TemporaryDirectory() as folder:
        write_parts(folder, train=train, test=test)
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


def bigmkl_curves(program, train, test, times, flags=()):
    """Return the survival curves of the rows of test at some times, whose Brier score bigmkl and scikit-survival agree on."""
    with tempfile.TemporaryDirectory() as folder:
        write_parts(folder, train=train, test=test)
        run = dict(check=True, cwd=folder, stderr=subprocess.DEVNULL)
        subprocess.run([program, "train", "-o", "m", "--quiet", "--task", "survival", "--scale", "standard", "--conformal", "folds:5", *flags, "train"],
                       stdout=subprocess.DEVNULL, **run)
        at = ",".join(repr(float(t)) for t in times)
        said = subprocess.run([program, "predict", "--quiet", "--json", "-o", "curves", "--survival-at", at, "m", "test"], stdout=subprocess.PIPE, text=True, **run)
        curves = np.loadtxt(os.path.join(folder, "curves"))[:, 1:]
        own, other = json.loads(said.stdout)["curves"]["integrated_brier"], integrated_brier_score(*map(pairs, (train, test)), curves, times)
        assert abs(own - other) < 1e-5, (own, other)
        return curves


def pairs(part):
    """Return the times of rows as scikit-survival has them."""
    return np.array(list(zip(part[1], part[2])), dtype=[("event", bool), ("time", float)])


def measure_size(program, rows, tasks):
    """Train on generated rows in three views, of which two in five are censored, on one thread."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 60)).astype("f4")
    score = X[:, 0] + np.sin(2 * X[:, 20]) - X[:, 40] ** 2 / 2 + X[:, 1] * X[:, 21] / 2
    time, end = np.exp(score / 2 - random.gumbel(size=rows) / 2), 1.3 * random.exponential(size=rows)
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "X.npy"), X)
        np.save(os.path.join(folder, "y.npy"), np.where(time <= end, time, -end))
        with open(os.path.join(folder, "views"), "w", encoding="ascii") as f:
            f.write("clinical 1 20\nrna 21 40\nmutation 41 60\n")
        for task in tasks:
            run = subprocess.Popen([program, "train", "--quiet", "--json", "--task", task, "--kernels", "gauss:auto@each-view", "--views", "views", "--gap", "1e-2",
                                    "--threads", "1", "--labels", "y.npy", "-o", "m", "X.npy"], cwd=folder, stdout=subprocess.PIPE, text=True)
            said, usage = json.loads(run.stdout.read()), os.wait4(run.pid, 0)[2]
            print(f"| {task} | {rows} | {said['relative_gap']:.1e} | {usage.ru_utime + usage.ru_stime:.1f} | {said['peak_rss_bytes'] >> 20} |", flush=True)


def compare_curves(program, names):
    for name in names:
        X, event, time = load(name)
        n, found = len(X), {}
        splits = 5 if n < 3000 else 2
        for split in range(splits):
            order = np.random.RandomState(split).permutation(n)
            test, train = np.split(order, [int(SHARE * n)])
            scaled = StandardScaler().fit(X[train]).transform(X)
            times = np.unique(np.percentile(time[train][event[train]], np.linspace(10, 80, 15)))
            # scikit-survival takes no test row beyond the last training row. Censored there it counts as before.
            last = time[train].max()
            parts = [(X[i], event[i] & (time[i] < last), np.minimum(time[i], last)) for i in (train, test)]
            y = [pairs(part) for part in parts]

            def by_function(model):
                return np.array([f(times) for f in model.fit(scaled[train], y[0]).predict_survival_function(scaled[test])])

            def one_curve():
                at, share = kaplan_meier_estimator(event[train], time[train])
                return np.tile(np.append(1, share)[np.searchsorted(at, times, side="right")], (len(test), 1))

            for who, curves in {
                "bigmkl train": lambda: bigmkl_curves(program, *parts, times),
                "bigmkl train --tau 0.5": lambda: bigmkl_curves(program, *parts, times, ("--tau", "0.5")),
                "bigmkl train --tau 0.2": lambda: bigmkl_curves(program, *parts, times, ("--tau", "0.2")),
                "Cox": lambda: by_function(CoxPHSurvivalAnalysis(alpha=0.1)),
                "gradient boosting": lambda: by_function(GradientBoostingSurvivalAnalysis(random_state=0)),
                "one curve": one_curve,
            }.items():
                found.setdefault(who, []).append(integrated_brier_score(*y, curves(), times))
        for who, scores in found.items():
            ahead = np.array(scores) - np.array(found["Cox"])
            print(f"| {name} | {who} | {corrected(scores, '.4f')} | {corrected(ahead, '+.4f')} |", flush=True)


def corrected(figures, form):
    """Return the mean of the figures of random splits with its corrected error."""
    error = np.std(figures, ddof=1) * np.sqrt(1 / len(figures) + SHARE / (1 - SHARE))
    return f"{np.mean(figures):{form}} ± {error:{form.lstrip('+')}}"


def main(program, names, only):
    for name in names:
        X, event, time = load(name)
        n, found = len(X), {}
        y = pairs((X, event, time))
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
                "bigmkl train --tau 0.5": lambda: bigmkl(program, *parts, flags=("--tau", "0.5")),
                "bigmkl train --tau 0.2": lambda: bigmkl(program, *parts, flags=("--tau", "0.2")),
                "bigmkl select --tau 0.2": lambda: bigmkl(program, *parts, select=True, flags=("--tau", "0.2")),
                "bigmkl train --survival ranking": lambda: bigmkl(program, *parts, flags=("--survival", "ranking")),
                "bigmkl select --survival ranking": lambda: bigmkl(program, *parts, select=True, flags=("--survival", "ranking")),
                "bigmkl train --task cox": lambda: bigmkl(program, *parts, task="cox"),
                "bigmkl select --task cox": lambda: bigmkl(program, *parts, select=True, task="cox"),
                PEER: lambda: -kernel.fit(scaled[train], y[train]).predict(scaled[test]),
                "linear survival SVM": lambda: -FastSurvivalSVM(alpha=1, rank_ratio=0, fit_intercept=True, max_iter=1000, tol=1e-6, random_state=0)
                .fit(scaled[train], y[train]).predict(scaled[test]),
                "Cox": lambda: CoxPHSurvivalAnalysis(alpha=0.1).fit(scaled[train], y[train]).predict(scaled[test]),
                "gradient boosting": lambda: GradientBoostingSurvivalAnalysis(random_state=0).fit(scaled[train], y[train]).predict(scaled[test]),
            }.items():
                if n > MOST_SELECTED and who == "bigmkl select --task cox" or not who.startswith(only):
                    continue
                began = seconds()
                c = concordance_index_censored(event[test], time[test], risk())[0]
                found.setdefault(who, []).append((c, seconds() - began))
        for who, list_ in found.items():
            c, took = np.array(list_).T
            ahead = " | ".join(corrected(c - np.array(found[peer])[:, 0], "+.3f") for peer in PEERS if peer in found)
            print(f"| {name} | {n} | {100 * np.mean(~event):.0f} % | {who} | {corrected(c, '.3f')} | {ahead} | {np.median(took):.2f} |", flush=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    asked = [word for word in sys.argv[2:] if not word.startswith("--")] or list(SETS)
    only = [name for word in sys.argv[2:] if word.startswith("--only=") for name in word[len("--only="):].split(",")]
    size = [int(word[len("--size="):]) for word in sys.argv[2:] if word.startswith("--size=")]
    if size:
        measure_size(os.path.abspath(sys.argv[1]), size[0], [word for word in sys.argv[2:] if not word.startswith("--")] or ["survival", "cox"])
    elif "--curves" in sys.argv:
        compare_curves(os.path.abspath(sys.argv[1]), asked)
    else:
        main(os.path.abspath(sys.argv[1]), asked, tuple(only or [""]))
