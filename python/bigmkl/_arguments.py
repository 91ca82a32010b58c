"""Arguments of the command, and the files of labels and weights that they name."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ._inputs import Inputs, gram_file
from ._losses import NUMBERS


def flag(name: str, value) -> list[str]:
    """Return the words of a flag: none for None and False."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is False:
        return []
    if value is True:
        # Without a value, a flag that needs one would take the next word.
        return [f"--{name}=true"]
    # Digits that the command reads as the same float64.
    return [f"--{name}={value!r}" if isinstance(value, float) else f"--{name}={value}"]


def cost_flag(cost) -> list[str]:
    """Return the words of the cost C. An infinite one is the largest under which a gap has digits."""
    return ["-C", repr(1e10 if cost == float("inf") else float(cost))]


def loss_flags(estimator, task: str) -> list[str]:
    """Return the words of the numbers that the loss of a task has, from the parameters of an estimator."""
    numbers = {name: getattr(estimator, name, None) for name, tasks in NUMBERS.items() if task in tasks}
    texts = {name: ",".join(repr(float(v)) for v in np.atleast_1d(x)) for name, x in numbers.items() if x is not None}
    return [word for name, text in texts.items() for word in (f"--{name}", text)]


def gram_flags(name: str, inputs: Inputs) -> list[str]:
    return [word for i in range(len(inputs.grams)) for word in (f"--{name}", gram_file(i))]


def write_rows(folder: Path, labels: np.ndarray | None, weights: np.ndarray | None) -> list[str]:
    """Write what belongs to the rows besides features, and return the flags that name it."""
    flags = []
    if labels is not None:
        np.save(folder / "labels.npy", labels)
        flags += ["--labels", "labels.npy"]
    if weights is not None:
        text = "\n".join(map(repr, np.asarray(weights, float).tolist()))
        (folder / "weights.txt").write_text(text + "\n", encoding="utf-8")
        flags += ["--row-weights", "weights.txt"]
    return flags
