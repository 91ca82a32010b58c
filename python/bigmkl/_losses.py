"""Numbers of losses. TestReferenceOfPython of cmd/bigmkl/command writes them from model.LossNumbers."""

# The tasks of each number. It is a flag of the command, a key of its JSON and a parameter of an estimator.
NUMBERS = {
    "epsilon": ("svr", "quantile", "survival",),
    "tau": ("quantile", "expectile", "survival",),
    "delta": ("huber",),
    "nu": ("oneclass",),
}
