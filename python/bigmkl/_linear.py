"""The decision functions of linear kernels as functions of the features."""

from __future__ import annotations

import json
import re

import numpy as np

from ._command import private_folder, run

# A linear kernel of all features or of some, and the options behind it.
LINEAR = re.compile(r"linear(@\S+)?((?: +\w+=\S+)*)")

# Options of a kernel under which it is a product of features no more.
CURVED = ("norm=spherical", "norm=centred", "missing=")


def is_linear(info: dict) -> bool:
    """Report whether each decision function of a model is linear in the features.

    Parameters
    ----------
    info : dict
        What ``bigmkl inspect --json`` says of the model.
    """
    if "gates" in info or "columns" in info or "objects" in info or info.get("impute") == "indicator":
        return False
    for spec in info["specs"]:
        found = LINEAR.fullmatch(spec)
        if not found or any(word.startswith(CURVED) for word in found[2].split()):
            return False
        if info["normalization"] in ("spherical", "centred") and " norm=" not in found[2]:
            return False
    return True


def linear_functions(model: bytes, scratch: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients (classifiers x features) and constants of raw features.

    Parameters
    ----------
    model : bytes
        The file of a model whose kernels are all linear.
    scratch : str or None
        The folder in which the folder of the call is made.
    """
    with private_folder(scratch) as folder:
        (folder / "model").write_bytes(model)
        found = json.loads(run(folder, ["export", "model", "--to", "json", "-o", "-"]))
    factor, offset = found["scaling"]["factor"], found["scaling"]["offset"]
    d = found["settings"]["features"]
    vectors = np.zeros((len(found["vectors"]), d))
    for row, vector in zip(vectors, found["vectors"]):
        # The digits are those that tell a float32 from others.
        row[np.array(vector["index"], int) - 1] = np.float32(vector["value"])
    coef, constant = np.zeros((len(found["machines"]), d)), np.zeros(len(found["machines"]))
    for k, classifier in enumerate(found["machines"]):
        gradient = np.array(classifier["alpha"]) @ vectors[np.array(classifier["support"], int)]
        for theta, kernel in zip(classifier["theta"], found["kernels"]):
            seen = slice(None) if kernel["features"] is None else np.array(kernel["features"], int) - 1
            coef[k, seen] += theta * kernel["factor"] * gradient[seen]
        constant[k] = classifier["bias"]
    if factor is not None:
        coef *= np.array(factor)
    if offset is not None:
        constant -= coef @ np.array(offset)
    return coef, constant
