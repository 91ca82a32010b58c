"""Messages of the command in terms of Python: parameters in place of flags, data in place of files."""

from __future__ import annotations

import re

from ._losses import NUMBERS

# What a flag of the command is called in Python. Other flags of train are entries of options.
PARAMETERS = {
    "kernels": "kernels", "norm": "norm", "C": "C", "scale": "scale", "normalize": "normalize", "gap": "gap",
    "multiclass": "multiclass", "class-weight": "class_weight", "probability": "probability",
    "folds": "folds", "views": "views", "objects": "objects", "max-iter": "max_iter", "max-time": "max_time", "memory": "memory",
    "disk": "disk", "threads": "threads", "seed": "random_state", "scratch": "scratch", "impute": "impute",
    "task": "loss", "survival": "loss", "quiet": "verbose",
    "coverage": "coverage", "survival-at": "times", "choose": "choose", "each": "each", "measure": "measure", "repeat": "repeat",
    "hold-out": "hold_out", "samples": "samples", "rope": "rope", "groups-file": "groups",
    "labels": "y", "row-weights": "sample_weight", "gram": "X", "gram-test": "X",
    **{name: name for name in NUMBERS},
}

# The files of a call, and what is in them.
FILES = [
    (re.compile(r"\bX1\.np[yz]"), "X"),
    (re.compile(r"\bX(\d+)\.np[yz]"), r"matrix \1 of X"),
    (re.compile(r"\bK(\d+)\.npy"), r"kernel matrix \1"),
    (re.compile(r"\brows\.(?:npy|txt)|\btable\.csv"), "X"),
    (re.compile(r"\bobjects(\d+)\.(?:npy|csv)"), r"objects \1"),
    (re.compile(r"\blabels\.npy"), "y"),
    (re.compile(r"\bweights\.txt"), "sample_weight"),
    (re.compile(r"\bviews\.txt"), "views"),
    (re.compile(r"^model: "), ""),
]

# A place of a file behind its name: a row, and maybe a column.
PLACE = re.compile(r"\b(X|y|sample_weight|matrix \d+(?: of X)?):(\d+)(?::(\d+))?")

# A flag, maybe with the command it is of, and a value that is a number or quoted.
FLAG = re.compile(r"(?:\b(?:train|predict|verify) )?(?<![\w-])(?:--([a-z][a-z0-9-]*)|-(C)\b)"
                  r"(?:[ =]('[^']*'|\d[\w./]*(?![\w:])))?")


def in_python(text: str) -> str:
    """Return a message of the command for a user of Python."""
    for pattern, name in FILES:
        text = pattern.sub(name, text)
    text = PLACE.sub(_place, text)
    return FLAG.sub(_parameter, text)


def _place(found: re.Match) -> str:
    what, row, column = found.groups()
    return f"{what}, row {row}" + (f", column {column}" if column else "")


def _parameter(found: re.Match) -> str:
    name, value = found[1] or found[2], found[3]
    option = PARAMETERS.get(name)
    if value is not None and not re.fullmatch(r"'.*'|[\d.]+", value):
        value = f'"{value}"'
    if option is None:
        key = name.replace("-", "_")
        return f'options["{key}"]' if value is None else f'options={{"{key}": {value}}}'
    return option if value is None else f"{option}={value}"
