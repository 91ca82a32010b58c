# Trains sklearn.svm.SVC on a libsvm file and prints what bench compares, as one line of JSON.
# usage: svc.py train.txt test.txt|- gamma C cache_megabytes
import json
import sys
import time

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

train, test, gamma, cost, cache = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
start = time.perf_counter()
x, y = load_svmlight_file(train)
reading = time.perf_counter() - start

classifier = SVC(C=cost, kernel="rbf", gamma=gamma, tol=1e-3, cache_size=cache)
start = time.perf_counter()
classifier.fit(x, y)
training, cpu = time.perf_counter() - start, time.process_time()
with open("/proc/self/status") as f:
    peak = next(int(line.split()[1]) << 10 for line in f if line.startswith("VmHWM:"))

# The dual objective, which SVC does not tell: sum |a| - a'Ka/2, some rows of K at a time.
a = classifier.dual_coef_.toarray().ravel() if hasattr(classifier.dual_coef_, "toarray") else classifier.dual_coef_.ravel()
v = classifier.support_vectors_
square = 0.0
for i in range(0, len(a), 500):
    square += float(a[i:i + 500] @ (rbf_kernel(v[i:i + 500], v, gamma=gamma) @ a))
result = {
    "version": sklearn.__version__, "read_seconds": reading, "train_seconds": training, "cpu_seconds": cpu,
    "peak_rss_bytes": peak, "dual": float(np.abs(a).sum()) - square / 2,
    "support_vectors": len(a), "bounded": int((np.abs(a) >= cost * (1 - 1e-12)).sum()),
}
if test != "-":
    xt, yt = load_svmlight_file(test)
    if xt.shape[1] > x.shape[1]:
        xt = xt[:, :x.shape[1]]
    elif xt.shape[1] < x.shape[1]:
        xt.resize((xt.shape[0], x.shape[1]))
    result["test_error_percent"] = 100 * float((classifier.predict(xt) != yt).mean())
print(json.dumps(result))
