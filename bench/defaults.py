# Measures accuracy or R2 of methods of scikit-learn on held-out rows, and prints the means over splits as JSON.
# usage: defaults.py rows.txt held.json class|svr threads [grid]
import json
import sys
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor,
                              RandomForestClassifier, RandomForestRegressor)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

warnings.simplefilter("ignore")
rows, held, task, threads = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3], int(sys.argv[4])
x, y = load_svmlight_file(rows)
x = x.toarray()
classes = task == "class"
machine = SVC if classes else SVR
methods = {
    "svc": make_pipeline(StandardScaler(), machine()),
    "forest": (RandomForestClassifier if classes else RandomForestRegressor)(random_state=0, n_jobs=threads),
}
try:
    from xgboost import XGBClassifier, XGBRegressor
    methods["boosting"] = (XGBClassifier if classes else XGBRegressor)(random_state=0, n_jobs=threads)
except ImportError:
    methods["boosting"] = (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)
if "grid" in sys.argv[5:]:
    name = machine.__name__.lower()
    methods["grid"] = GridSearchCV(methods["svc"], {
        f"{name}__C": [0.1, 1, 10, 100], f"{name}__gamma": [0.01 / x.shape[1], 0.1 / x.shape[1], 1 / x.shape[1], 10 / x.shape[1]]}, cv=5, n_jobs=threads)
figures = {name: [] for name in methods}
for out in held:
    test = np.zeros(len(y), bool)
    test[out] = True
    for name, method in methods.items():
        if name == "boosting" and x.shape[1] > 2000:
            continue  # takes minutes a split
        method.fit(x[~test], y[~test])
        figures[name].append(method.score(x[test], y[test]))
print(json.dumps({name: float(np.mean(f)) for name, f in figures.items() if f}))
