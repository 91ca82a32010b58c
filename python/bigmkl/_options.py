"""Further flags of a training, which the parameter options has."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ._arguments import flag
from ._errors import BigMKLInputError

# Flags that the package sets itself, and what a user has in their place.
OWN = {
    "out": "the method save writes the model", "o": "the method save writes the model",
    "json": "report_ has what it prints", "quiet": "the parameter verbose shows progress",
    "help": "docs/OPTIONS.md lists the flags", "task": "each estimator has its task",
    "survival": "BigMKLSurvival has the parameter loss",
    "labels": "fit takes y", "label": "fit takes y", "row_weights": "fit takes sample_weight",
    "seed": "the parameter random_state is the seed",
    "path_C": "GridSearchCV trains one model for each value",
    "path_norm": "GridSearchCV trains one model for each value",
    "path_cost": "GridSearchCV trains one model for each value",
    "stream": "fit has all rows", "continue": "the parameter warm_start goes on from a model",
}


def option_flags(options: Mapping | None, parameters: Collection[str]) -> list[str]:
    """Return the words of the flags of options.

    Parameters
    ----------
    options : dict or None
        Values of flags by their names, with _ in place of -.
    parameters : collection of str
        Names of parameters of the estimator.

    Raises
    ------
    BigMKLInputError
        If an option is a parameter, or a flag that the package sets itself.
    """
    words = []
    for name, value in (options or {}).items():
        key = name.replace("-", "_")
        if key in OWN:
            raise BigMKLInputError(f"options has {name!r}, which the package sets itself", OWN[key])
        if key in parameters:
            raise BigMKLInputError(f"options has {name!r}, which is a parameter of its own",
                                   f"{key}={value!r}")
        words += flag(name.replace("_", "-"), value)
    return words
