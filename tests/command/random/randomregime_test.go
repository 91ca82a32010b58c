package random

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// models are the files that a training wrote, by name.
type models map[string]string

// written reads the models in a folder.
func written(t testing.TB, folder string) models {
	t.Helper()
	all := models{}
	for _, name := range commandtest.List(t, folder) {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	return all
}

// command is the line of a training that writes to a folder.
func (q *posed) command(folder string, more ...string) []string {
	first := []string{"train", "--quiet", "--json", "-o", filepath.Join(folder, q.out)}
	return slices.Concat(first, q.train, more, []string{q.data})
}

// trials is a case: a problem, its undisturbed models, and what goes wrong.
type trials struct {
	t *testing.T
	*posed
	seed  uint64
	whole *ended
	want  models
	*census
}

// fault reports what is wrong with a command line.
func (c *trials) fault(e *ended, format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("FAULT seed %d: %s\n  %s\n  exit code %d, %v, %v\n  %s", c.seed,
		fmt.Sprintf(format, args...), shell(e.args), e.Code, e.killed, e.took.Round(time.Millisecond),
		strings.ReplaceAll(strings.TrimSpace(e.Stderr), "\n", "\n  "))
}

// disturbance gives another draw of what must not change a model.
func disturbance(rng *rand.Rand) []string {
	some := fmt.Sprintf("%dMiB", 30+rng.IntN(60))
	little := fmt.Sprintf("%dMiB", 1+rng.IntN(60))
	args := []string{"--threads", strconv.Itoa(1 + rng.IntN(4))}
	args = append(args, "--cache", anyOf(rng, "auto", "always", "never"))
	if memory := anyOf(rng, "", "1MiB", "1MiB", some, "2GiB"); memory != "" {
		args = append(args, "--memory", memory)
	}
	if disk := anyOf(rng, "", "", "0", "0", little, "2GiB"); disk != "" {
		args = append(args, "--disk", disk)
	}
	return args
}

// run trains in a folder. Budgets that are rejected are replaced by those that the rejections name,
// which must do then. A strike is for each run.
func (c *trials) run(folder string, args []string, s *strike) *ended {
	c.t.Helper()
	rejected := map[string]string{}
	for range 8 {
		e := launch(c.folder, longest, s, c.command(folder, args...)...)
		c.sound(e)
		if e.Code != contract.ExitBudget || e.killed != 0 {
			c.reported(e)
			return e
		}
		c.rejections.Add(1)
		found := commandtest.EnoughBudget.FindStringSubmatch(e.Stderr)
		if found == nil {
			c.fault(e, "a rejection that names no budget that is enough")
			return e
		}
		name, least := found[1], found[2]
		if rejected[name] != "" {
			c.fault(e, "--%s %s was named as enough, and is rejected for %s", name, rejected[name], least)
		}
		rejected[name] = least
		at := slices.Index(args, "--"+name)
		if at < 0 {
			args = append(args, "--"+name, least)
			continue
		}
		args = slices.Clone(args)
		args[at+1] = least
	}
	return &ended{args: args}
}

// sound checks what holds for every run: it ends in time and leaves nothing behind.
func (c *trials) sound(e *ended) {
	c.t.Helper()
	switch {
	case e.late:
		c.fault(e, "the run outlasted SIGTERM by %v", endsWithin)
	case e.Code == contract.ExitBug || e.Code == 2 && strings.Contains(e.Stderr, "goroutine "):
		c.fault(e, "a bug")
	}
	scratch := filepath.Join(c.folder, "scratch")
	if e.killed == 0 {
		for _, name := range commandtest.List(c.t, scratch) {
			c.fault(e, "%s is left in the scratch folder", name)
		}
	}
	os.RemoveAll(scratch)
}

// reported checks the report of a training: converged is what has the gap that was asked for, and
// what exit code 0 is for.
func (c *trials) reported(e *ended) {
	c.t.Helper()
	silent := e.Stdout == "" && (e.Code == contract.ExitInterrupted || e.mentions("no model is written"))
	if silent || !e.finished() && e.Code != contract.ExitInterrupted {
		return
	}
	type report struct {
		Status string   `json:"status"`
		Gap    *float64 `json:"relative_gap"`
	}
	var all struct {
		report
		Models []report `json:"models"`
	}
	if err := json.Unmarshal([]byte(e.Stdout), &all); err != nil {
		c.fault(e, "no report: %v", err)
		return
	}
	if all.Models == nil {
		all.Models = []report{all.report}
	}
	converged := 0
	for _, r := range all.Models {
		if r.Status != "converged" {
			continue
		}
		converged++
		if r.Gap == nil || !(*r.Gap <= c.gap) {
			c.fault(e, "converged at a gap above %g: %s", c.gap, brief(e.Stdout))
		}
	}
	if (converged == len(all.Models)) != (e.Code == contract.ExitFine) && e.Code != contract.ExitInterrupted {
		c.fault(e, "%d of %d converged", converged, len(all.Models))
	}
}

// same compares a run that has come to its end with the undisturbed one.
func (c *trials) same(e *ended, folder, how string) {
	c.t.Helper()
	switch got := written(c.t, folder); {
	case e.long:
		c.fault(e, "%s: took longer than %v, undisturbed %v", how, longest, c.whole.took)
	case !e.finished():
		c.fault(e, "%s: the undisturbed run ends with exit code %d", how, c.whole.Code)
	case !maps.Equal(got, c.want):
		c.fault(e, "%s: another model\n  %s\n  %s", how, brief(c.whole.Stdout), brief(e.Stdout))
	case e.Code != c.whole.Code || brief(e.Stdout) != brief(c.whole.Stdout):
		c.fault(e, "%s: another report\n  %s\n  %s", how, brief(c.whole.Stdout), brief(e.Stdout))
	}
}

// brief returns the lines of a report about the end of a training.
func brief(report string) string {
	var said []string
	for _, name := range []string{"status", "iterations", "relative_gap"} {
		said = append(said, regexp.MustCompile(`"`+name+`":[^,}]*`).FindAllString(report, 6)...)
	}
	return strings.Join(said, " ")
}

// regime trains the problem once more, disturbed in one way.
func (c *trials) regime(k int) {
	c.t.Helper()
	rng := rand.New(rand.NewPCG(c.seed, uint64(k)+1))
	folder := filepath.Join(c.folder, fmt.Sprint("regime", k))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	args := disturbance(rng)
	switch kind := rng.IntN(8); {
	case kind == 0 || kind == 1 && c.once:
		c.same(c.run(folder, args, nil), folder, "undisturbed")
	case kind == 1:
		args = append(args, c.checkpoints(rng, k)...)
		c.same(c.run(folder, args, nil), folder, "with checkpoints in an empty folder")
	case c.once || kind == 2:
		c.terminated(rng, folder, args)
	default:
		c.resumed(rng, k, folder, args)
	}
}

// checkpoints asks for some, in a folder that is there or not.
func (c *trials) checkpoints(rng *rand.Rand, k int) []string {
	path := filepath.Join(c.folder, fmt.Sprint("checkpoints", k))
	if rng.IntN(2) == 0 {
		if err := os.MkdirAll(path, 0o700); err != nil {
			c.t.Fatal(err)
		}
	}
	return []string{"--checkpoint", path, "--checkpoint-every", interval(rng), "--resume"}
}

// interval draws the time between two checkpoints.
func interval(rng *rand.Rand) string { return anyOf(rng, "1ns", "1ns", "1ms", "20ms", "1h") }

// moment draws one of a run, often within its first milliseconds.
func (c *trials) moment(rng *rand.Rand) time.Duration {
	if rng.IntN(8) == 0 {
		return time.Duration(rng.Int64N(int64(20 * time.Millisecond)))
	}
	return time.Duration(rng.Int64N(int64(c.whole.took) + 1))
}

// terminated sends SIGTERM to a run without checkpoints: it ends in time, and what it has written is
// what it claims to be.
func (c *trials) terminated(rng *rand.Rand, folder string, args []string) {
	c.t.Helper()
	e := c.run(folder, args, &strike{syscall.SIGTERM, c.moment(rng)})
	if e.finished() {
		c.same(e, folder, "SIGTERM that came too late")
		return
	}
	c.interrupted(e, folder)
}

// interrupted checks what a run left that was ended by SIGTERM.
func (c *trials) interrupted(e *ended, folder string) {
	c.t.Helper()
	c.stops.Add(1)
	names := commandtest.List(c.t, folder)
	switch {
	case e.late:
		return
	case e.killed == syscall.SIGTERM && len(names) == 0 && e.Stderr == "":
		return // before the program could know
	case e.killed != 0 || e.Code != contract.ExitInterrupted:
		c.fault(e, "SIGTERM gave another end")
		return
	}
	for _, name := range names {
		c.holds(filepath.Join(folder, name))
	}
}

// resumed stops a run several times and resumes it, in other regimes.
func (c *trials) resumed(rng *rand.Rand, k int, folder string, args []string) {
	c.t.Helper()
	saved := c.checkpoints(rng, k)
	defer os.RemoveAll(saved[1])
	var how []string
	for range 1 + rng.IntN(4) {
		var s *strike
		more := append(slices.Clone(args), saved...)
		switch rng.IntN(5) {
		case 0, 1:
			s = &strike{syscall.SIGKILL, c.moment(rng)}
		case 2, 3:
			s = &strike{syscall.SIGTERM, c.moment(rng)}
		default: // the last of a flag that is given twice counts
			limit := []string{"--max-time", fmt.Sprint(c.moment(rng))}
			most := 40
			if c.limit > 0 {
				most = min(most, c.limit-1)
			}
			if most > 0 && rng.IntN(2) == 0 {
				limit = []string{"--max-iter", strconv.Itoa(1 + rng.IntN(most))}
			}
			more, how = append(more, limit...), append(how, strings.Join(limit, " "))
		}
		if s != nil {
			how = append(how, fmt.Sprint(s.signal, " after ", s.after))
		}
		e := c.run(folder, more, s)
		if s == nil && !e.finished() {
			c.fault(e, "%s: a limit gave another end", strings.Join(how, ", "))
			return
		}
		if s != nil && e.finished() {
			c.same(e, folder, strings.Join(how, ", ")+" that came too late")
			return
		}
		if s != nil && s.signal == syscall.SIGTERM && rng.IntN(3) == 0 {
			c.interrupted(e, folder)
		}
		c.stops.Add(1)
		saved[3] = interval(rng)
		args = disturbance(rng)
		for _, name := range commandtest.List(c.t, folder) {
			os.Remove(filepath.Join(folder, name))
		}
	}
	e := c.run(folder, append(args, saved...), nil)
	if strings.Contains(e.Stdout, `"resumed_at"`) {
		c.resumes.Add(1)
	}
	c.same(e, folder, strings.Join(how, ", "))
	for _, name := range commandtest.List(c.t, saved[1]) {
		if strings.Contains(name, ".tmp") {
			c.fault(e, "%s is left in the folder of checkpoints", name)
		}
	}
}
