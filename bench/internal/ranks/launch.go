package ranks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/model"
)

// Ranks are processes of a build with the tag mpi, started by mpirun on this computer. A training over slower links
// runs in network namespaces with a limited rate (network), because messages between processes of one computer are
// faster than any network. Rows are written as text, since every rank reads all of them.

// launcher starts trainings on a file of rows.
type launcher struct {
	program, bench string // that train, and that measure what messages take
	// data is the file of rows that all ranks read, and model the file that rank 0 writes.
	data, model string
	network     *network // nil: none was laid
}

// newLauncher builds the programs and writes the rows as text into a folder.
func newLauncher(ctx context.Context, dir string, d harness.DataSet, limit int, positive []string) (*launcher, error) {
	l := &launcher{
		program: filepath.Join(dir, "bigmkl-mpi"), bench: filepath.Join(dir, "bench-mpi"),
		data: filepath.Join(dir, "rows"), model: filepath.Join(dir, "model"),
	}
	// Both programs need the tag. Without cgo they load the MPI library at run time.
	for file, name := range map[string]string{l.program: "bigmkl/cmd/bigmkl", l.bench: "bigmkl/bench"} {
		build := exec.CommandContext(ctx, "go", "build", "-tags", "mpi", "-o", file, name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build -tags mpi %s: %w: %s", name, err, text)
		}
	}
	src, err := d.Open(model.TaskClass)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	// The limit is applied here, so no rank reads more rows than it trains on.
	f, err := os.Create(l.data)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The file has the format of LIBSVM, with indices from 1.
	w := bufio.NewWriter(f)
	for range limit {
		// A source with fewer rows than the limit is an error.
		row, err := src.Next()
		if err != nil {
			return nil, err
		}
		// The positive labels become class 1, as --positive would do. The command line is then shorter.
		label := row.Label
		if len(positive) > 0 {
			label = "-1"
			if slices.Contains(positive, row.Label) {
				label = "1"
			}
		}
		w.WriteString(label)
		for k, j := range row.Index {
			fmt.Fprintf(w, " %d:%g", j+1, row.Value[k])
		}
		w.WriteString("\n")
	}
	return l, errors.Join(w.Flush(), f.Close())
}

// run starts a program as the given number of ranks and returns its standard output. With 0
// ranks the program runs without a launcher. The options of mpirun let several ranks share a processor
// and run as root: a container has neither a second computer nor another user.
func (l *launcher) run(ctx context.Context, by link, ranks int, args []string) ([]byte, error) {
	switch {
	// A link with a rate runs in network namespaces.
	case ranks > 0 && by.rate != "":
		args = l.network.launch(ranks, args)
	case ranks > 0:
		args = append([]string{"mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", strconv.Itoa(ranks)}, args...)
	}
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	// mpirun and all ranks write to one standard error, which becomes part of the error.
	var complaints strings.Builder
	c.Stderr = &complaints
	text, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaints.String())
	}
	return text, err
}

// measureWire measures the times of messages between the given number of ranks, which compute
// nothing else. One process has no messages.
// The program of the experiments measures them itself, in place of an experiment.
func (l *launcher) measureWire(ctx context.Context, by link, ranks int) (w wire, err error) {
	if ranks < 2 {
		return w, nil
	}
	text, err := l.run(ctx, by, ranks, []string{l.bench, wireName})
	if err != nil {
		return w, err
	}
	return w, json.Unmarshal(text, &w)
}

// train trains on the rows that were written. The time is the training alone. The start of mpirun is
// not part of it.
func (l *launcher) train(ctx context.Context, u harness.Training, by link, ranks, threads int) (rankRow, error) {
	o := &u.Options
	text, err := l.run(ctx, by, ranks, []string{l.program, "train", "--quiet", "--json", "--threads", strconv.Itoa(threads),
		"--kernels", o.Kernels, "--norm", u.Norm, "-C", fmt.Sprint(o.C), "--gap", fmt.Sprint(o.Gap), "--scale", o.Scale,
		"--normalize", o.Normalize, "-o", l.model, l.data})
	if err != nil {
		return rankRow{}, err
	}
	var told struct {
		Seconds  float64 `json:"train_seconds"`
		Resident int64   `json:"peak_rss_bytes"`
		// A run of one process has no list of ranks.
		Ranks []struct {
			Resident int64 `json:"peak_rss_bytes"`
			Sent     int64 `json:"sent_bytes"`
		} `json:"ranks"`
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return rankRow{}, err
	}
	// Peaks are maxima over the ranks, and sent bytes are their sum.
	row := rankRow{Link: by.name, Ranks: max(1, ranks), Seconds: told.Seconds, Resident: told.Resident}
	for _, rank := range told.Ranks {
		row.Resident, row.Sent = max(row.Resident, rank.Resident), row.Sent+rank.Sent
	}
	return row, nil
}
