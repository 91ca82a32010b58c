package main

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"

	"bigmkl"
	"bigmkl/cluster"
	"bigmkl/cluster/shards"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
)

// A program that was built with the tag mpi, and that mpirun has started several times, trains one
// model in all of its processes. Rank 0 is the command as it ever is: it prints, writes and takes
// signals. The others read the same data under the same flags and then serve rank 0 in silence.
// What ends one of them ends all.

// join makes the app that of a rank. The other ranks print nothing, but for what ends all.
func (a *app) join(ranks cluster.Collective) {
	a.team = shards.NewTeam(ranks)
	if a.team.Leads() {
		return
	}
	a.stdin, a.stdout, a.messages = eof{}, io.Discard, newMessages(io.Discard)
}

// rankJSON is what the training took of a rank.
type rankJSON struct {
	Rows    int   `json:"rows"`
	PeakRSS int64 `json:"peak_rss_bytes"`
	Sent    int64 `json:"sent_bytes"`
}

// newRanksJSON lists the ranks of a training, none where it had one process.
func newRanksJSON(r *bigmkl.Result) (list []rankJSON) {
	for _, f := range r.Ranks {
		list = append(list, rankJSON(f))
	}
	return list
}

// eof is an empty standard input.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// checkRanks refuses commands that several ranks cannot do together.
func (a *app) checkRanks(command string) error {
	if a.team.Alone() || command == "train" {
		return nil
	}
	return fail.New(fail.Usage, "%d ranks train together and do nothing else: %s is for one process",
		a.team.Size(), command).WithHint("start it without mpirun")
}

// checkTeam refuses what several ranks cannot do together, and shares memory and threads out to the
// ranks of this machine where the flags name none.
func (t *trainCommand) checkTeam(path *trainPath, stream *trainStream) error {
	if t.team.Alone() {
		return nil
	}
	var faults usageFaults
	faults.require(path.points == nil, "train them in one process", "ranks train no paths")
	faults.require(!stream.stream && stream.from == "", "train them in one process",
		"ranks train no rows that keep coming")
	faults.require(len(t.data) != 1 || t.data[0] != "-", "write them to a file first",
		"each rank reads the data, and standard input is rank 0's alone")
	if err := errors.Join(faults...); err != nil {
		return err
	}
	t.options.Team = t.team
	here := ranksHere()
	if t.options.Memory == 0 {
		t.options.Memory = host.Budget() / int64(here)
	}
	if t.options.Threads == 0 {
		t.options.Threads = max(1, runtime.GOMAXPROCS(0)/here)
	}
	if t.options.Checkpoint != "" {
		tellWatcher(t.options.Checkpoint)
	}
	if !t.team.Leads() {
		t.quiet, t.trace = true, ""
	}
	return nil
}

// ranksHere is the number of ranks on this machine, as the launcher tells it, and otherwise 1.
func ranksHere() int {
	for _, name := range []string{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
			return n
		}
	}
	return 1
}

// endTeam ends the training of all ranks where a command has ended before it began one, or ends it
// with an error. It returns the error that this rank ends with: none where rank 0 tells of it.
func (a *app) endTeam(err error) error {
	err = a.team.End(err)
	if errors.Is(err, shards.ErrServed) {
		return nil
	}
	return err
}
