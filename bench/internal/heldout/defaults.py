# Measures accuracy or R2 of methods of other libraries on held-out rows. Prints a line of JSON for each method.
# usage: defaults.py                                             prints the versions
#        defaults.py rows.txt held.json class|svr threads METHOD...
import importlib
import json
import sys
import time
import warnings

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor,
                              RandomForestClassifier, RandomForestRegressor)
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR


def find(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


others = {name: find(name) for name in ("xgboost", "lightgbm")}
if len(sys.argv) == 1:
    print(f"scikit-learn {sklearn.__version__}", *(
        f"{name} {m.__version__}" if m else f"no {name}" for name, m in others.items()), sep=", ")
    sys.exit()

warnings.simplefilter("ignore")
rows, task, threads, wanted = sys.argv[1], sys.argv[3], int(sys.argv[4]), sys.argv[5:]
with open(sys.argv[2]) as f:
    held = json.load(f)
x, y = load_svmlight_file(rows, zero_based=False)
x = x.toarray()
classes = task == "class"
name = "svc" if classes else "svr"
scaled = make_pipeline(StandardScaler(), SVC() if classes else SVR())
methods = {
    "svc": scaled,
    # The search has one thread, because the time of other processes would not be counted. Its folds are
    # drawn, as those of select are: files may be sorted.
    "grid": GridSearchCV(scaled, {
        f"{name}__C": [0.1, 1, 10, 100], f"{name}__gamma": [g / x.shape[1] for g in (0.01, 0.1, 1, 10)]},
        cv=(StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=0)),
    "forest": (RandomForestClassifier if classes else RandomForestRegressor)(random_state=0, n_jobs=threads),
}
# Boosting of thousands of features takes minutes a split.
if x.shape[1] <= 2000:
    methods["boosting"] = (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0)
    if others["xgboost"]:
        of = others["xgboost"]
        methods["xgboost"] = (of.XGBClassifier if classes else of.XGBRegressor)(random_state=0, n_jobs=threads)
    if others["lightgbm"]:
        of = others["lightgbm"]
        methods["lightgbm"] = (of.LGBMClassifier if classes else of.LGBMRegressor)(
            random_state=0, n_jobs=threads, verbosity=-1)
for name in methods:
    if name not in wanted:
        continue
    figures = []
    began = time.process_time()
    for out in held:
        test = np.zeros(len(y), bool)
        test[out] = True
        figures.append(float(methods[name].fit(x[~test], y[~test]).score(x[test], y[test])))
    print(json.dumps({"method": name, "figures": figures, "cpu_seconds": (time.process_time() - began) / len(held)}))
