"""Writes correlated.csv: 100 random inputs of the correlated t test, and what baycomp finds.

    pip install baycomp==1.0.3 && python correlated.py > correlated.csv

A line has the folds, the repetitions, the region of practical equivalence, the three probabilities
(below, within, above) of the differences, and the differences.
"""
import numpy as np
from baycomp import CorrelatedTTest

rng = np.random.default_rng(20261125)
for k in range(100):
    folds, runs = int(rng.integers(2, 11)), int(rng.choice([1, 1, 2, 5, 10]))
    scale = 10.0 ** rng.uniform(-3, 0)
    d = rng.normal(rng.normal(0, scale), scale, folds * runs)
    if k % 3 == 0:
        d = np.round(d * 20) / 20          # shares of 20 rows, with ties and zeros
    if k % 25 == 24:
        d[:] = d[0]                        # no variance
    rope = float(rng.choice([0.0, 0.001, 0.01, 0.05]))
    # probs(x, y) has P(y < x), P(equivalent), P(x < y); differences are those of y - x.
    p = CorrelatedTTest(np.zeros(len(d)), d, rope=rope, runs=runs).probs()
    p = p if rope > 0 else (p[0], 0.0, p[1])
    print(",".join([str(folds), str(runs), repr(rope)] + [repr(float(x)) for x in p] + [repr(float(x)) for x in d]))
