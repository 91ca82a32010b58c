# Trains sklearn.svm.SVC on a libsvm file, writes its model as LIBSVM writes them, and prints the processor time
# of reading and training as one line of JSON.
# usage: svc.py rows model gamma C tolerance cache_megabytes
import json
import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

rows, model = sys.argv[1:3]
gamma, cost, tolerance, cache = map(float, sys.argv[3:])
start = time.process_time()
x, y = load_svmlight_file(rows)
classifier = SVC(C=cost, kernel="rbf", gamma=gamma, tol=tolerance, cache_size=cache)
classifier.fit(x, y)
used = time.process_time() - start

coefs, rho = classifier.dual_coef_, -classifier.intercept_
coefs = coefs.toarray() if hasattr(coefs, "toarray") else coefs
if len(classifier.classes_) == 2:  # the sign of two classes is the opposite of LIBSVM's
    coefs, rho = -coefs, -rho
vectors = classifier.support_vectors_.tocsr()
with open(model, "w") as f:
    f.write("svm_type c_svc\nkernel_type rbf\ngamma %.17g\nnr_class %d\ntotal_sv %d\n"
            % (gamma, len(classifier.classes_), vectors.shape[0]))
    f.write("rho %s\n" % " ".join("%.17g" % r for r in rho))
    f.write("label %s\n" % " ".join("%d" % c for c in classifier.classes_))
    f.write("nr_sv %s\nSV\n" % " ".join("%d" % n for n in classifier.n_support_))
    for s in range(vectors.shape[0]):
        row = vectors.getrow(s)
        order = np.argsort(row.indices)
        f.write("%s %s\n" % (" ".join("%.17g" % c for c in coefs[:, s]),
                             " ".join("%d:%.9g" % (row.indices[k] + 1, row.data[k]) for k in order)))
print(json.dumps({"cpu_seconds": used}))
