// Package peers compares trainings with other programs, and versions of this program with each other.
package peers

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"bigmkl/bench/internal/harness"
)

// peerRow is another program beside bigmkl on one line of work. Seconds are medians of processor time.
type peerRow struct {
	// Gap is the relative duality gap of the peer's model. Both programs solve the problem to this gap.
	Line   string  `json:"line" table:"work"`
	Points int     `json:"n" table:"n"`
	Peer   string  `json:"peer" table:"peer"`
	Gap    float64 `json:"relative_gap,omitempty" table:"relative gap of the peer|%.1e|blank"`
	// Turns is the number of paired runs.
	Turns  int     `json:"turns,omitempty" table:"turns|%d|blank"`
	Theirs float64 `json:"peer_cpu_seconds,omitempty" table:"peer, CPU s|%.3g|blank"`
	Ours   float64 `json:"cpu_seconds,omitempty" table:"bigmkl, CPU s|%.3g|blank"`
	// Faster is the median over the turns of the quotient of both times. Above 1 bigmkl is faster.
	Faster float64 `json:"faster,omitempty" table:"peer / bigmkl|%.2f|blank"`
	Status string  `json:"status" table:"status"`
}

const (
	// leastTurns is the number of paired runs, mostTurns the largest number where runs are short, and
	// enoughSeconds the processor time after which there are no more than leastTurns.
	leastTurns, mostTurns = 3, 15
	enoughSeconds         = 4
	// leastGap is the smallest gap that bigmkl is asked for, whatever a peer reaches. On small problems
	// a peer may reach the rounding of its arithmetic, where a gap proves nothing more.
	leastGap = 1e-6
)

// Peers compares with the programs that a user would take instead.
// Each program reads the same file and uses one thread, so only the methods differ.
func Peers() harness.Experiment {
	var only []string
	var program string
	return harness.Experiment{
		Name: "peers", Short: "what a user would take instead: LIBSVM, ThunderSVM and scikit-learn",
		Long: "Trains one Gaussian kernel on small and large data, with svm-train (package\n" +
			"libsvm-tools), thundersvm-train and scikit-learn (package python3-sklearn), each at a\n" +
			"tolerance of 1e-3. The relative duality gap of a peer is computed from its model. Then the\n" +
			"peer and bigmkl, which is asked for this gap, run alternately on one thread and the same text\n" +
			"file. The table has the least quotient first. It names programs that are not installed.",
		Flags: func(f *pflag.FlagSet) {
			f.StringArrayVar(&only, "only", nil, "lines that begin with this `NAME`; may be repeated (default all)")
			f.StringVar(&program, "program", "", "`FILE` of the command bigmkl (default: it is built from the working tree)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			dir, err := os.MkdirTemp(s.Scratch, "bigmkl-bench-*")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			// --program compares a released version.
			if program == "" {
				program = filepath.Join(dir, "bigmkl")
				if err := buildCommand(ctx, s, program); err != nil {
					return err
				}
			}
			// Programs that are not installed become notes.
			m := &meeting{Session: s, dir: dir, program: program, peers: installedPeers(ctx, r)}
			var rows []peerRow
			for _, l := range chooseLines(s, r, only) {
				// After an interrupt the rows so far make the table.
				found, err := m.measureLine(ctx, &l)
				rows = append(rows, found...)
				if err != nil {
					addRows(r, rows)
					return err
				}
			}
			addRows(r, rows)
			return nil
		},
	}
}

// addRows adds the table, the rows that failed and then the least quotient first. A reader looks for
// lines where a peer is faster, and finds them first.
func addRows(r *harness.Report, rows []peerRow) {
	slices.SortStableFunc(rows, func(a, b peerRow) int { return cmp.Compare(a.Faster, b.Faster) })
	t := r.Table("One Gaussian kernel, the same file and the same gap for both programs")
	for _, row := range rows {
		t.Add(row)
	}
	t.Note("CPU s is the processor time of whole processes on one thread, without imports for scikit-learn. " +
		"The quotient is the median over paired runs. The gap is the gap of the peer's model, the largest one of " +
		"several classifiers; bigmkl ends at this gap or below it.")
}

// buildCommand builds the command from the working tree.
func buildCommand(ctx context.Context, s *harness.Session, program string) error {
	s.Progress.ShowNow("building bigmkl")
	top, err := harness.RunInFolder(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	// A release is built with these settings, and the go command keeps what it compiles for any folder.
	_, err = harness.RunInFolder(ctx, top, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-o", program, "./cmd/bigmkl")
	return err
}

// meeting has the command of this program, the installed peers, and the folder of their files.
type meeting struct {
	*harness.Session
	dir     string
	program string
	peers   []peer
}

// measureLine measures all peers on one line of work. A peer that fails on a line has a row with the
// reason, and the others continue.
func (m *meeting) measureLine(ctx context.Context, l *workLine) ([]peerRow, error) {
	m.Progress.ShowNow("%s: writing the text", l.name)
	// Each line overwrites the file of the previous one.
	file := filepath.Join(m.dir, "rows")
	rows, err := l.write(ctx, file)
	if err != nil {
		return nil, err
	}
	var found []peerRow
	for _, p := range m.peers {
		// Some peers have only classes.
		if l.regression && !p.regression {
			continue
		}
		row := peerRow{Line: l.name, Points: len(rows.label), Peer: p.name, Status: "done"}
		if err := m.measurePeer(ctx, l, rows, p, file, &row); err != nil {
			if ctx.Err() != nil {
				return found, ctx.Err()
			}
			row.Status = "failed: " + err.Error()
		}
		m.PrintLine("%s, %s: %.3g s, bigmkl %.3g s, %s", l.name, p.name, row.Theirs, row.Ours, row.Status)
		found = append(found, row)
	}
	return found, nil
}

// measurePeer trains with a peer, computes the gap of its model, and then runs both alternately.
// The first run of the peer warms the files up and is not counted. The quotient of each turn is
// of two runs that follow each other, so slow minutes of the computer cancel.
func (m *meeting) measurePeer(ctx context.Context, l *workLine, rows *labelledText, p peer,
	file string, row *peerRow) error {
	m.Progress.ShowNow("%s: %s", l.name, p.name)
	// Its model is in the file of the rows with .model behind its name.
	first, err := p.train(ctx, l, file)
	if err != nil {
		return err
	}
	m.Progress.ShowNow("%s: the gap of %s", l.name, p.name)
	// Programs with different stopping rules are compared at the same quality: the duality gap
	// of the peer's model, which this program computes and then has to reach.
	if row.Gap, err = gapOf(ctx, file+".model", rows, l, first.dual, m.Threads); err != nil {
		return err
	}
	most := leastTurns
	// Short runs vary more, and many of them are affordable.
	if first.cpu < enoughSeconds/float64(2*leastTurns) {
		most = min(mostTurns, max(leastTurns, int(enoughSeconds/(2*max(first.cpu, 1e-3)))))
	}
	if m.Quick {
		most = 1
	}
	var theirs, ours, quotients []float64
	for turn := range most {
		m.Progress.ShowNow("%s: turn %d of %d beside %s", l.name, turn+1, most, p.name)
		t, err := p.train(ctx, l, file)
		if err != nil {
			return err
		}
		// A gap of the peer below leastGap may be rounding.
		o, err := m.trainOurs(ctx, l, file, max(row.Gap, leastGap))
		if err != nil {
			return err
		}
		theirs, ours, quotients = append(theirs, t.cpu), append(ours, o), append(quotients, harness.Ratio(t.cpu, o))
	}
	// The quotient of medians would differ from the median of quotients, which pairs the runs.
	row.Turns, row.Theirs, row.Ours = most, harness.MedianOf(theirs), harness.MedianOf(ours)
	row.Faster = harness.MedianOf(quotients)
	return nil
}

// trainOurs trains with bigmkl and returns the processor seconds of the process. Scaling and
// normalisation are off, because the text has been scaled for all programs. With one kernel the norm
// has no effect.
func (m *meeting) trainOurs(ctx context.Context, l *workLine, file string, gap float64) (float64, error) {
	// All digits are written, so both programs have the same parameters.
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	args := []string{"train", "--json", "--threads", "1", "--scale", "none", "--normalize", "none", "--norm", "1",
		"--kernels", "gauss:" + number(l.gamma), "-C", number(l.c), "--gap", number(gap), "-o", file + ".bigmkl"}
	if l.pairs {
		args = append(args, "--multiclass", "ovo")
	}
	if l.regression {
		args = append(args, "--task", "svr", "--epsilon", number(l.epsilon))
	}
	_, used, err := harness.RunProgram(ctx, m.program, append(args, file)...)
	return used.CPU, err
}
