"""Pairs of objects: kernels of objects against products of kernels of features.

    python bench/internal/scaling/objects.py BIGMKL PAIRS [DRUGSxTARGETS] [features]

draws PAIRS rows that name one of 2,000 drugs with 64 features and one of 500 targets with 32, or of as many as
DRUGSxTARGETS, such as 632x158. It trains ten kernels, six of them products, to a relative gap of 1e-2. With "features" it
trains on rows with the 96 features of their objects as well. It prints processor seconds, seconds, and the peak memory in
MiB. NumPy has to be installed.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

DRUGS, TARGETS = next((map(int, word.split("x")) for word in sys.argv[3:] if "x" in word), (2000, 500))
DRUG, TARGET = 64, 32  # features
KERNELS = ",".join(
    ["gauss:auto@drug", "gauss:auto@target", "linear@drug", "linear@target"]
    + [f"prod({a}@drug,{b}@target)" for a, b in [
        ("gauss:auto", "gauss:auto"), ("gauss:auto", "linear"), ("linear", "gauss:auto"), ("linear", "linear"),
        ("poly:2", "gauss:auto"), ("laplace:auto", "laplace:auto")]])


def write(folder, n):
    """Writes the objects, the pairs, and the same rows with features."""
    r = np.random.default_rng(1)
    drugs, targets = r.normal(size=(DRUGS, DRUG)), r.normal(size=(TARGETS, TARGET))
    weights = r.normal(size=(DRUG, TARGET)) / np.sqrt(DRUG * TARGET)
    score = np.tanh(drugs @ weights @ targets.T) + 0.3 * np.sin(2 * drugs[:, :1])
    score -= np.median(score)
    d, t = r.integers(0, DRUGS, n), r.integers(0, TARGETS, n)
    y = np.where(score[d, t] + 0.1 * r.normal(size=n) > 0, 1, -1)
    np.save(os.path.join(folder, "drugs.npy"), drugs)
    np.save(os.path.join(folder, "targets.npy"), targets)
    with open(os.path.join(folder, "pairs.txt"), "w") as f:
        f.writelines(f"{y[i]} {d[i]} {t[i]}\n" for i in range(n))
    with open(os.path.join(folder, "features.txt"), "w") as f:
        for i in range(n if "features" in sys.argv else 0):
            x = np.concatenate([drugs[d[i]], targets[t[i]]])
            f.write(f"{y[i]} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist())) + "\n")
    with open(os.path.join(folder, "views.txt"), "w") as f:
        f.write(f"drug 1 {DRUG}\ntarget {DRUG + 1} {DRUG + TARGET}\n")


def train(name, *args):
    """Trains in a child process, and prints what it took."""
    began, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.argv[1], "train", "--quiet", "--kernels", KERNELS, "--scale", "none", "--gap", "1e-2", "--memory", "2GiB",
                    "-o", "m.model", *args], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{name}: {cpu:.1f} CPU s, {time.time() - began:.1f} s, {after.ru_maxrss >> 10} MiB", flush=True)


def main():
    sys.argv[1] = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        write(folder, int(sys.argv[2]))
        os.chdir(folder)
        train("objects", "--objects", "drug=drugs.npy", "--objects", "target=targets.npy", "pairs.txt")
        if "features" in sys.argv:
            train("features", "--views", "views.txt", "features.txt")
        os.chdir("/")


main()
