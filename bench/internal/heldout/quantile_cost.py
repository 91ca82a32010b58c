"""The default C of quantiles: calibrated and plain intervals of ten data sets, for several C.

    python bench/internal/heldout/quantile_cost.py BIGMKL [SET..]

trains the quantiles 0.05 and 0.95 with --conformal split:0.2 and C = f s, where s is the deviation of the targets, on 70 % of at most 1,000
rows of each set in BIGMKL_DATA, five times. For each f it prints, on the other rows, the share between the quantiles, the mean width and
the interval score (Gneiting and Raftery 2007) of the calibrated intervals of coverage 0.9, and the interval score of the quantiles. Widths
and scores are in deviations of the targets. The last lines are geometric means over the sets, divided by the means for f = 1.
"""

import glob
import gzip
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

FACTORS = [0.22, 0.35, 0.5, 0.7, 1, 1.5]
SPLITS, MOST, COVERAGE = 5, 1000, 0.9
# One feature of a set of classes is the target. The others are regressions.
COLUMNS = {"heart": 8, "pima": 6, "magic": 10, "eeg": 4, "higgs7k": 28, "covtype20k": 1}
SETS = [*COLUMNS, "concrete", "motorcycle", "whitewine", "sleep"]


def load(name):
    """Return the rows of a set as pairs of a target and a dictionary of features."""
    files = glob.glob(os.path.join(os.environ["BIGMKL_DATA"], name, "*.libsvm.gz"))
    rows = []
    with gzip.open(next(f for f in sorted(files) if not f.endswith(".t.libsvm.gz")), "rt") as lines:
        for line in lines:
            label, *pairs = line.split("#")[0].split()
            features = {int(k): float(v) for k, v in (p.split(":") for p in pairs)}
            target = features.pop(COLUMNS[name], 0.0) if name in COLUMNS else float(label)
            rows.append((target, features))
    return rows


def write(path, rows):
    """Write rows as libsvm text."""
    with open(path, "w") as file:
        for target, features in rows:
            print(repr(target), *(f"{k}:{v!r}" for k, v in sorted(features.items())), file=file)


def interval_score(low, high, target):
    """Return the width of an interval, and what a target outside of it costs beyond."""
    return max(0, high - low) + 2 / (1 - COVERAGE) * (max(0, low - target) + max(0, target - high))


def measure(program, folder, test, cost):
    """Return the share between the quantiles, the width and the score of the calibrated intervals, and the score of the quantiles."""
    train, new, model, out = (os.path.join(folder, f) for f in ("train", "new", "model", "out"))
    subprocess.run([program, "train", "--quiet", "--task", "quantile", "--tau", "0.05,0.95", "-C", repr(cost), "--scale", "standard",
                    "--conformal", "split:0.2", "-o", model, train], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "predict", "--quiet", "--coverage", str(COVERAGE), "-o", out, model, new], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with open(out) as lines:
        ends = [[float(x) for x in line.split()] for line in lines]
    targets = [target for target, _ in test]
    return (
        statistics.mean(e[0] <= y <= e[1] for e, y in zip(ends, targets)),
        statistics.mean(max(0, e[-1] - e[-2]) for e in ends),
        statistics.mean(interval_score(e[-2], e[-1], y) for e, y in zip(ends, targets)),
        statistics.mean(interval_score(min(e[:2]), max(e[:2]), y) for e, y in zip(ends, targets)),
    )


def main():
    program, sets = sys.argv[1], sys.argv[2:] or SETS
    means = {f: [] for f in FACTORS}
    print("share between the quantiles, width and score of calibrated intervals, score of the quantiles")
    for name in sets:
        rows, found = load(name), {f: [] for f in FACTORS}
        rng = random.Random(5)
        rng.shuffle(rows)
        rows = rows[:MOST]
        unit = statistics.pstdev(target for target, _ in rows)
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(SPLITS):
                rng.shuffle(rows)
                cut = len(rows) * 7 // 10
                write(os.path.join(folder, "train"), rows[:cut])
                write(os.path.join(folder, "new"), rows[cut:])
                for f in FACTORS:
                    share, *lengths = measure(program, folder, rows[cut:], f * unit)
                    found[f].append([share, *(x / unit for x in lengths)])
        for f in FACTORS:
            means[f].append([statistics.mean(column) for column in zip(*found[f])])
            print(f"{name:11s} C = {f:4} s", *(f"{x:.3f}" for x in means[f][-1]), flush=True)
    for f in FACTORS:
        ratios = [math.exp(statistics.mean(math.log(a / b) for a, b in zip(x, y))) for x, y in zip(zip(*means[f]), zip(*means[1]))]
        print(f"all         C = {f:4} s", *(f"{x:.3f}" for x in ratios))


if __name__ == "__main__":
    main()
