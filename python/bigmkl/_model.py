"""Reads what a model file has in arrays: weights, dual variables and support vectors.

A model file has the layout of safetensors: eight bytes of length, a JSON header, arrays. What it
holds in words is read by ``bigmkl inspect``, whose output is a contract, and not here.
"""

from __future__ import annotations

import json
import struct

import numpy as np

from ._errors import BigMKLError

TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1"}

# The numbers that machine_classes has for each classifier. The last is that of support vectors.
CLASSIFIER_CLASSES = 4


class ModelArrays:
    """The arrays of a model file.

    Parameters
    ----------
    content : bytes
        The file.
    """

    def __init__(self, content: bytes):
        try:
            length, = struct.unpack_from("<Q", content)
            self._header = json.loads(content[8:8 + length])
            if self._header["__metadata__"]["format"] != "bigmkl":
                raise KeyError("format")
        except (struct.error, ValueError, KeyError, TypeError) as error:
            raise BigMKLError("this is no model of bigmkl") from error
        self._body = memoryview(content)[8 + length:]

    def get(self, name: str) -> np.ndarray | None:
        """Return an array by its name, or None if the model does not have it."""
        entry = self._header.get(name)
        if entry is None:
            return None
        first, last = entry["data_offsets"]
        array = np.frombuffer(self._body[first:last], TYPES[entry["dtype"]])
        return array.reshape(entry["shape"]).copy()

    def weights(self, name: str) -> np.ndarray:
        """Return theta or w_norms: a row for each classifier, or one dimension for a single one."""
        classifiers = self.classifiers()
        array = self.get(name)
        return array if classifiers is None else array.reshape(classifiers, -1)

    def classifiers(self) -> int | None:
        """Return the number of classifiers, or None if the model is not of several."""
        classes = self.get("machine_classes")
        return None if classes is None else len(classes) // CLASSIFIER_CLASSES

    def dual(self) -> tuple[np.ndarray, np.ndarray]:
        """Return dual variables (classifiers x support vectors) and the rows of support vectors."""
        support, alpha = self.get("support"), self.get("alpha")
        support = np.zeros(0, np.int32) if support is None else support
        alpha = np.zeros(0) if alpha is None else alpha
        classes = self.get("machine_classes")
        if classes is None:
            return alpha.reshape(1, -1), support
        counts = classes.reshape(-1, CLASSIFIER_CLASSES)[:, -1]
        dual = np.zeros((len(counts), len(support)))
        classifier = np.repeat(np.arange(len(counts)), counts)
        dual[classifier, self.get("machine_support")] = alpha
        return dual, support
