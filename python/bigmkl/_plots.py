"""Plots of weights and importance. They need matplotlib, which is imported when one is made."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._errors import BigMKLInputError


def _axes(ax):
    if ax is not None:
        return ax
    from matplotlib import pyplot
    return pyplot.subplots()[1]


def plot_weights(model, ax: object = None):
    """Plot the share of each view or kernel in the norm of the function, which is not importance.

    Parameters
    ----------
    model : fitted estimator
    ax : axes of matplotlib, default=None
        New ones by default.

    Returns
    -------
    axes of matplotlib
    """
    check_is_fitted(model)
    listed = model.model_info_.get("weights")
    if listed:
        names, shares = [w["name"] for w in listed], [w["share"] for w in listed]
    else:
        listed = model.model_info_["heaviest"]
        names, shares = [k["spec"] for k in listed], [k["share"] for k in listed]
    ax = _axes(ax)
    at = np.arange(len(names))[::-1]
    ax.barh(at, shares)
    ax.set_yticks(at)
    ax.set_yticklabels(names)
    ax.set_xlabel("share of ||w||")
    return ax


def plot_importance(found, which: str = "left_out", ax: object = None):
    """Plot what each source is worth, with two standard errors.

    Parameters
    ----------
    found : dict
        What the method ``importance`` of an estimator returns.
    which : {"left_out", "permuted", "alone"}, default="left_out"
        The loss without the source, the loss with its rows shuffled, or the figure of the source by itself.
    ax : axes of matplotlib, default=None
        New ones by default.

    Returns
    -------
    axes of matplotlib
    """
    sources = found.get("sources")
    if not sources or any(which not in source for source in sources):
        raise BigMKLInputError(f"no figures {which!r} of the sources", "left_out, permuted or alone, of what importance returns")
    ax = _axes(ax)
    at = np.arange(len(sources))[::-1]
    means = [source[which]["mean"] for source in sources]
    errors = [2 * source[which]["error"] for source in sources]
    ax.errorbar(means, at, xerr=errors, fmt="o", capsize=3)
    ax.axvline(found["nothing"]["mean"] if which == "alone" else 0, linestyle=":", color="grey")
    ax.set_yticks(at)
    ax.set_yticklabels([source["name"] for source in sources])
    ax.set_xlabel(("" if which == "alone" else "loss of ") + found["measure"] + ", with two standard errors")
    return ax
