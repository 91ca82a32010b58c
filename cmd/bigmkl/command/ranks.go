package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/cluster"
	"bigmkl/internal/cluster/mpi"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/model"
	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// A program that was built with the tag mpi, and that mpirun has started several times, trains one
// model in all of its processes, predicts rows with it or verifies it. Rank 0 is the command as it ever is: it prints, writes and takes
// signals. The others read the same data under the same flags and then serve rank 0 in silence.
// What ends one of them ends all.

// join makes the app the app of a rank. The other ranks print nothing, except for an error that
// ends all.
func (a *app) join(ranks cluster.Collective) {
	a.team = shards.NewTeam(ranks)
	if !a.team.Alone() {
		// What ranks send each other is garbage soon. The heap is small and has few pointers.
		debug.SetGCPercent(ranksGarbage)
	}
	if a.team.Leads() {
		return
	}
	a.stdin, a.stdout, a.messages = eof{}, io.Discard, newMessages(io.Discard)
}

// complainAlone writes a line of this rank alone, for which no other rank speaks.
func (a *app) complainAlone(format string, args ...any) {
	if a.team.Leads() {
		a.complain(format, args...)
		return
	}
	newMessages(a.stderr).write(fmt.Sprintf("rank %d: ", a.team.Rank()) + fmt.Sprintf(format, args...))
}

// A rank sends its watcher the folder of its checkpoints, or in its place noCheckpoints. It sends ownEnd before it
// ends all ranks by itself, and ownExit before it ends with an exit code.
const (
	noCheckpoints = "\tnone"
	ownEnd        = "\tends"
	ownExit       = "\texits"
)

// ranksGarbage is how much the heap of a rank grows, in percent, until its garbage is collected. Ranks
// of one computer share its memory, so each collects earlier than at Go's default of 100.
const ranksGarbage = 50

// rankJSON is what the training took of a rank. Rows is how many of the training rows the rank has, and
// Sent the bytes that it sent to other ranks.
type rankJSON struct {
	Rows    int   `json:"rows"`
	PeakRSS int64 `json:"peak_rss_bytes"`
	Sent    int64 `json:"sent_bytes"`
}

// newRanksJSON lists the ranks of a training, none where it had one process.
func newRanksJSON(ranks []shards.Figures) (list []rankJSON) {
	for _, f := range ranks {
		list = append(list, rankJSON(f))
	}
	return list
}

// eof is an empty standard input. Ranks other than 0 have it: a launcher connects its standard input
// with rank 0.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// checkRanks rejects commands that several ranks cannot do together.
func checkRanks(team *shards.Team, command string) error {
	if team.Alone() || command == "train" || command == "predict" || command == "verify" {
		return nil
	}
	return fail.New(fail.Usage, "%d ranks train, predict and verify together, and %s is for one process",
		team.Size(), command).WithHint("start it without mpirun")
}

// checkTeam rejects rows that one rank alone can read, and takes the files that rank 0 writes from the
// others. All ranks predict a share of the rows, and rank 0 writes all lines in order.
func (p *predictCommand) checkTeam() error {
	if p.team.Alone() {
		return nil
	}
	if err := shareRows(p.data, &p.options.Memory, &p.options.Threads); err != nil {
		return err
	}
	p.options.Ranks = p.team
	if !p.team.Leads() {
		p.quiet, p.json, p.out, p.gatesOut, p.projection, p.weightsOut = true, true, "", "", "", ""
	}
	return nil
}

// checkTeam rejects training rows that one rank alone can read.
func (v *verifyCommand) checkTeam() error {
	if v.team.Alone() {
		return nil
	}
	if err := shareRows(v.data, &v.options.Memory, &v.options.Threads); err != nil {
		return err
	}
	v.options.Ranks = v.team
	v.quiet = v.quiet || !v.team.Leads()
	return nil
}

// shareRows rejects standard input, and shares memory and threads out to the ranks of this machine where
// the flags name none.
func shareRows(data []string, memory *int64, threads *int) error {
	if slices.Contains(data, "-") {
		return fail.New(fail.Usage, "each rank reads the rows, and standard input is rank 0's alone").
			WithHint("write them to a file first")
	}
	shareMachine(memory, threads)
	return nil
}

// shareMachine shares memory and threads out to the ranks of this machine where they are 0, and leaves the
// other processors to the other ranks. The default budget is for a whole computer. Without the
// division, several ranks on it would take a multiple.
func shareMachine(memory *int64, threads *int) {
	here := mpi.RanksHere()
	if *memory == 0 {
		*memory = host.Budget() / int64(here)
	}
	if *threads == 0 {
		*threads = max(1, runtime.GOMAXPROCS(0)/here)
	}
	if here > 1 {
		// The runtime uses all processors for what it does beside, and takes them from other ranks: two
		// of one thread each take half as long again.
		runtime.GOMAXPROCS(min(*threads, runtime.NumCPU()))
	}
}

// joinModel compares the model of this rank with the model of rank 0. It compares the weights, the dual
// variables and the biases, and not the support vectors, which may be large. The last digits depend on
// the instruction set, so ranks must have the same one.
func joinModel(team *shards.Team, m *model.Model) error {
	if team.Alone() {
		return nil
	}
	var h xxhash.Digest
	h.Reset()
	for _, list := range append([][]float64{m.Theta, m.Alpha}, classifierNumbers(m)...) {
		h.Write(mmap.Bytes(list))
	}
	return team.Join(fmt.Sprintf("model %016x\ninstruction set %s %s\n", h.Sum64(), runtime.GOARCH, simd.Level()), nil)
}

// classifierNumbers lists weights and dual variables of the classifiers of a model.
func classifierNumbers(m *model.Model) (list [][]float64) {
	for k := range m.Classifiers {
		a := &m.Classifiers[k]
		list = append(list, a.Theta, a.Alpha, []float64{a.Bias})
	}
	return append(list, []float64{m.Bias})
}

// joinTeam rejects what several ranks cannot do together, and shares memory and threads out to the ranks of this
// machine where the flags name none. stream is set if rows keep coming.
func (t *trainFlags) joinTeam(team *shards.Team, stream bool) error {
	t.options.Team = team
	if team != nil {
		tellWatcher(cmp.Or(t.options.Checkpoint, noCheckpoints))
	}
	if team.Alone() {
		return nil
	}
	var faults usageFaults
	faults.require(!stream, "train them in one process",
		"ranks train no rows that keep coming")
	faults.require(len(t.rows.paths) != 1 || t.rows.paths[0] != "-", "write them to a file first",
		"each rank reads the data, and standard input is rank 0's alone")
	if err := errors.Join(faults...); err != nil {
		return err
	}
	shareMachine(&t.options.Memory, &t.options.Threads)
	if !team.Leads() {
		t.quiet, t.results.trace = true, ""
	}
	return nil
}

// endTeam ends the training of all ranks where a command has ended before it began one, or ends it
// with an error. It returns the error that this rank ends with: none where rank 0 reports it. Without
// it, the other ranks would wait forever for a rank that has ended.
func endTeam(team *shards.Team, err error) error {
	err = team.End(err)
	if errors.Is(err, shards.ErrServed) {
		return nil
	}
	return err
}
