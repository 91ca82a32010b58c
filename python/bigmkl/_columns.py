"""Names of columns in the file of a model, and the columns of views.

The command reads arrays without names. ``save`` keeps what fit knows of the columns of X in an entry of the
header, ``inputs``, which the command does not read. The rest of the file is the model of the command.
"""

from __future__ import annotations

import hashlib
import json
import struct

import numpy as np

from ._errors import BigMKLError

KEY = "inputs"

# Where the digits of the checksum are, and how many; see docs/MODEL.md. Headers have at most MOST bytes.
DIGEST_AT, DIGITS, MOST = 67, 64, 1 << 20


def describe(names, total: int | None, views, ranges, within) -> dict:
    """Return what is known of the columns of X, empty without names and views.

    Parameters
    ----------
    names : sequence of str or None
    total : int or None
        Number of columns.
    views : array of int or None
        The columns of all views, one after the other; None if these are all columns in their order.
    ranges : list of (str, int, int)
        Name, first and last place of each view in that, from 1.
    within : dict of list of str
        Names of the columns of views that are matrices of their own.
    """
    known = {}
    if names is not None:
        known["names"] = [str(name) for name in names]
    if ranges:
        columns = np.arange(total) if views is None else np.asarray(views)
        known["views"] = {name: columns[first - 1:last].tolist() for name, first, last in ranges}
    if within:
        known["within"] = within
    if known:
        known["columns"] = int(total)
    return known


def _parts(content: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the metadata of a header, without its closing bracket; the header behind it; and the arrays."""
    length, = struct.unpack_from("<Q", content)
    header = content[8:8 + length].rstrip(b" ").decode()
    start = header.index("{", 1)
    _, end = json.JSONDecoder().raw_decode(header, start)
    return header[:end - 1].encode(), header[end - 1:].encode(), content[8 + length:]


def _file(front: bytes, back: bytes, body: bytes) -> bytes:
    """Return the file of these parts, with its checksum."""
    header = front + back
    header += b" " * (-len(header) % 8)
    return _sealed(struct.pack("<Q", len(header)) + header + body)


def _sealed(content: bytes) -> bytes:
    """Return a file with the checksum of its content."""
    content = bytearray(content)
    content[DIGEST_AT:DIGEST_AT + DIGITS] = b"0" * DIGITS
    content[DIGEST_AT:DIGEST_AT + DIGITS] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def _entry(text: str) -> bytes:
    return f',"{KEY}":{json.dumps(text)}'.encode()


def put(content: bytes, known: dict) -> bytes | None:
    """Return the file of a model with an entry of what is known, or None if its header would be too long."""
    if not known:
        return content
    front, back, body = _parts(content)
    front += _entry(json.dumps(known, separators=(",", ":")))
    return None if len(front) + len(back) > MOST - 8 else _file(front, back, body)


def take(content: bytes) -> tuple[bytes, dict]:
    """Return the file without the entry, which is the file of the command, and what the entry has.

    Raises
    ------
    BigMKLError
        If the entry is not one that put makes.
    """
    try:
        length, = struct.unpack_from("<Q", content)
        text = json.loads(content[8:8 + length])["__metadata__"].get(KEY)
    except (struct.error, ValueError, KeyError, TypeError, AttributeError):
        return content, {}  # Whoever reads the model finds out what is wrong.
    if text is None or content != _sealed(content):
        return content, {}  # A damaged file must not get a checksum that is right.
    front, back, body = _parts(content)
    entry = _entry(text)
    try:
        known = json.loads(text)
        total, names, views = known["columns"], known.get("names"), known.get("views", {})
        sound = front.endswith(entry) and isinstance(total, int) and total > 0 and (names is None or (
            len(names) == total and all(isinstance(name, str) for name in names))) and all(
            len(columns) > 0 and all(isinstance(c, int) and 0 <= c < total for c in columns) for columns in views.values()) and all(
            isinstance(name, str) for columns in known.get("within", {}).values() for name in columns)
    except (ValueError, KeyError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise BigMKLError("the names of columns in the model are damaged")
    return _file(front[:-len(entry)], back, body), known
