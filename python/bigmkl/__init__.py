"""Multiple kernel learning with a block norm, as estimators of scikit-learn.

The estimators run the command bigmkl, which has to be there: see docs/PYTHON.md.
"""

from ._classifier import BigMKLClassifier
from ._errors import BigMKLError, BigMKLInputError, BigMKLWarning
from ._multiview import MultiView, Views
from ._oneclass import BigMKLOneClass
from ._plots import plot_importance, plot_weights
from ._ranker import BigMKLRanker
from ._regressor import BigMKLRegressor
from ._survival import BigMKLSurvival
from ._version import __version__

__all__ = ["BigMKLClassifier", "BigMKLRegressor", "BigMKLSurvival", "BigMKLRanker", "BigMKLOneClass", "MultiView", "Views",
           "plot_importance", "plot_weights",
           "BigMKLError", "BigMKLInputError", "BigMKLWarning", "__version__"]
