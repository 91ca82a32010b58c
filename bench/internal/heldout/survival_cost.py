"""The default C of times of events: Harrell's C of outcomes in R's package survival, for several C.

    python bench/internal/heldout/survival_cost.py BIGMKL [SET..]

trains --task survival with C = f s, where s is the deviation of the logarithms of the times, on 70 % of at most 4,000 rows of each set, with
eight random splits. For each f it prints the mean difference of the c_index on the other rows from f = 1, with its corrected error (Nadeau
and Bengio 2003). Rscript with the package survival has to be installed.
"""

import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

FACTORS = [0.03, 0.1, 0.3, 1]
SPLITS, MOST, SHARE = 8, 4000, 0.3
# The time, the event and the columns that are left out of each set, in R.
SETS = {
    "lung": ("lung", "time", "d$status == 2", "status,inst"),
    "kidney": ("kidney", "time", "d$status == 1", "id,status,frail"),
    "mgus1": ("mgus1[!duplicated(mgus1$id), ]", "stop", "d$status == 1", "id,start,status,event,enum"),
    "bladder1": ("bladder1[bladder1$enum == 1, ]", "stop", "d$status == 1", "id,start,status,enum,rtumor,rsize"),
    "retinopathy": ("retinopathy", "futime", "d$status == 1", "id,status"),
    "pbc": ("pbc", "time", "d$status == 2", "id,status"),
    "colon": ("colon[colon$etype == 2, ]", "time", "d$status == 1", "id,status,study,etype"),
    "transplant": ("transplant", "futime", "d$event == 'ltx'", "event"),
    "mgus2": ("mgus2", "futime", "d$death == 1", "id,ptime,pstat,death"),
    "mgus2p": ("mgus2", "ptime", "d$pstat == 1", "id,futime,pstat,death"),
    "rotterdam": ("rotterdam", "rtime", "d$recur == 1", "pid,recur,dtime,death"),
    "nafld1": ("nafld1", "futime", "d$status == 1", "id,case.id,status"),
}
EXPORT = """library(survival); d <- {frame}; time <- d${time}; event <- as.integer({event})
d <- d[, !(names(d) %in% c('{time}', strsplit('{left}', ',')[[1]]))]; d$months <- time; d$relapse <- event
write.csv(d[!is.na(time) & time > 0 & !is.na(event), ], stdout(), row.names = FALSE, na = '')"""


def load(name):
    """Return the header and at most MOST rows of a set as text, with the columns months and relapse."""
    frame, time, event, left = SETS[name]
    text = subprocess.run(["Rscript", "-e", EXPORT.format(frame=frame, time=time, event=event, left=left)], check=True,
                          capture_output=True, text=True).stdout
    header, *rows = csv.reader(text.splitlines())
    random.Random(7).shuffle(rows)
    return header, rows[:MOST]


def write(path, header, rows):
    """Write rows as a table."""
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def c_index(program, folder, cost, categories):
    """Return Harrell's C on the rows of a file by a model of the rows of another."""
    line = [program, "train", "--quiet", "--json", "--task", "survival", "--time", "months", "--event", "relapse", "-C", repr(cost),
            "--scale", "standard", "--impute", "median", *categories, "--test", os.path.join(folder, "new.csv"),
            "-o", os.path.join(folder, "model"), os.path.join(folder, "train.csv")]
    return json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)["test"]["c_index"]


def main():
    program, sets = sys.argv[1], sys.argv[2:] or SETS
    for name in sets:
        header, rows = load(name)
        unit = statistics.pstdev(math.log(float(row[header.index("months")])) for row in rows)
        # Sizes such as >50 are words.
        categories = ["--categories", "size"] if name == "rotterdam" else []
        found, rng = {f: [] for f in FACTORS}, random.Random(7)
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(SPLITS):
                rng.shuffle(rows)
                cut = round(len(rows) * (1 - SHARE))
                write(os.path.join(folder, "train.csv"), header, rows[:cut])
                write(os.path.join(folder, "new.csv"), header, rows[cut:])
                for f in FACTORS:
                    found[f].append(c_index(program, folder, f * unit, categories))
        print(f"{name:11s} {len(rows):5d}", end="")
        for f in FACTORS[:-1]:
            differences = [a - b for a, b in zip(found[f], found[1])]
            error = statistics.stdev(differences) * math.sqrt(1 / SPLITS + SHARE / (1 - SHARE))
            print(f"  {f} s: {statistics.mean(differences):+.3f} ± {error:.3f}", end="")
        print(f"  s: {statistics.mean(found[1]):.3f}", flush=True)


if __name__ == "__main__":
    main()
