package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/tests/commandtest"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		parse func(string) (any, error)
		text  string
		want  any // nil: an error
	}{
		{wrap(parseNorm), "4/3", 4.0 / 3}, {wrap(parseNorm), "inf", math.Inf(1)}, {wrap(parseNorm), "1.0667", 1.0667},
		{wrap(parseNorm), "0.99", nil}, {wrap(parseNorm), "nan", nil}, {wrap(parseNorm), "1/0", nil}, {wrap(parseNorm), "", nil},
		{wrap(parseThetaNorm), "1", 1.0}, {wrap(parseThetaNorm), "2", 4.0 / 3}, {wrap(parseThetaNorm), "inf", 2.0},
		{wrap(parseThetaNorm), "1e308", 2.0}, {wrap(parseThetaNorm), "0.5", nil},
		{wrap(parsePositive), "1e-3", 1e-3}, {wrap(parsePositive), "inf", nil}, {wrap(parsePositive), "-1", nil}, {wrap(parsePositive), "1e999", nil},
		{wrap(parseBytes), "123", int64(123)}, {wrap(parseBytes), "64MiB", int64(64 << 20)}, {wrap(parseBytes), "512M", int64(512 << 20)},
		{wrap(parseBytes), "1.5GiB", int64(3 << 29)}, {wrap(parseBytes), "2GB", int64(2e9)}, {wrap(parseBytes), "7 kb", int64(7000)},
		{wrap(parseBytes), "MiB", nil}, {wrap(parseBytes), "1XB", nil}, {wrap(parseBytes), "-1", nil}, {wrap(parseBytes), "1e30", nil},
		{wrap(parseBytes), "nan", nil}, {wrap(parseBytes), "0x10", nil},
		{wrap(parseMemory), "0", nil},
		{wrap(parseDuration), "90", 90 * time.Second}, {wrap(parseDuration), "1.5", 1500 * time.Millisecond},
		{wrap(parseDuration), "1h30m", 90 * time.Minute}, {wrap(parseDuration), "-1", nil}, {wrap(parseDuration), "-inf", nil},
		{wrap(parseDuration), "soon", nil}, {wrap(parseDuration), "1e300", nil},
		{wrap(parseCount), "12", 12}, {wrap(parseCount), "-1", nil}, {wrap(parseCount), "1.5", nil},
		{wrap(parseSeed), "18446744073709551615", uint64(math.MaxUint64)}, {wrap(parseSeed), "-1", nil},
		{wrap(parseClassWeights), "+1=2,-1=0.5", map[string]float64{"1": 2, "-1": 0.5}}, {wrap(parseClassWeights), "a=b=3", map[string]float64{"a=b": 3}},
		{wrap(parseClassWeights), "1=2,+1=3", nil}, {wrap(parseClassWeights), "1", nil}, {wrap(parseClassWeights), "1.5=2", nil},
		{wrap(parseLabels), "0, 2,x", []string{"0", "2", "x"}}, {wrap(parseLabels), "1,,2", nil}, {wrap(parseLabels), "0.5", nil},
	} {
		got, err := c.parse(c.text)
		switch {
		case c.want == nil && err == nil:
			t.Errorf("%q gives %v, want an error", c.text, got)
		case c.want != nil && (err != nil || !reflect.DeepEqual(got, c.want)):
			t.Errorf("%q gives %v (%v), want %v", c.text, got, err, c.want)
		}
	}
}

func wrap[T any](parse func(string) (T, error)) func(string) (any, error) {
	return func(s string) (any, error) { return parse(s) }
}

func TestFormatNorm(t *testing.T) {
	for p, want := range map[float64]string{1: "1", 4.0 / 3: "4/3", 1.0667: "1.0667", 16.0 / 15: "16/15", 1.5: "3/2", math.Inf(1): "inf", 8: "8"} {
		if got := formatNorm(p); got != want {
			t.Errorf("%v is written %s, want %s", p, got, want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	usage := fail.New(fail.Usage, "a")
	for _, c := range []struct {
		err   error
		code  int
		lines int
	}{
		{nil, contract.ExitFine, 0},
		{errors.New("unheard of"), contract.ExitBug, 1},
		{usage, contract.ExitUsage, 1},
		{errors.Join(usage, errors.Join(nil, fail.New(fail.Usage, "b"))), contract.ExitUsage, 2},
		{fail.New(fail.Input, "x: %w", io.EOF), contract.ExitInput, 1},
		{fail.New(fail.Corrupt, "kernels: %w", usage), contract.ExitCorrupt, 1},
		{fail.New(fail.Version, "x"), contract.ExitCorrupt, 1},
		{fail.New(fail.Budget, "x"), contract.ExitBudget, 1},
		{fail.New(fail.Input, "cannot write: %w", syscall.ENOSPC), contract.ExitBudget, 1},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}, contract.ExitBudget, 1},
		{fmt.Errorf("while reading: %w", context.Canceled), contract.ExitInterrupted, 1},
		{&exitError{contract.ExitStopped, "x"}, contract.ExitStopped, 1},
		{fmt.Errorf("%w and %w", usage, io.EOF), contract.ExitUsage, 1},
	} {
		if code := exitCode(c.err); code != c.code {
			t.Errorf("%v: exit code %d, want %d", c.err, code, c.code)
		}
		if n := len(splitJoined(c.err)); n != c.lines {
			t.Errorf("%v: %d lines, want %d", c.err, n, c.lines)
		}
	}
}

// clock is a time that moves when it is told to.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1000, 0)}
	p := newProgress(newMessages(&out), false)
	p.now, p.memory = c.now, func() int64 { return 3 << 30 }
	for i := range 60 {
		e := bigmkl.Event{Iteration: i, Gap: math.Pow(0.9, float64(i)), Target: 1e-3, Active: 2, Kernels: 5, Rows: int64(100 * i),
			Elapsed: time.Duration(i) * time.Second}
		e.Cache.Hits, e.Cache.Misses = 3, 1
		if err := p.Record(e); err != nil {
			t.Fatal(err)
		}
		c.at = c.at.Add(time.Second)
	}
	p.finish()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 6 {
		t.Errorf("%d lines in a minute:\n%s", len(lines), out.String())
	}
	const want = "step 50, gap 0.0052 -> 0.001, 2/5 kernels, 100 rows/s, 75 % cached, 3 GiB, about 15s left"
	if last := lines[len(lines)-1]; last != want {
		t.Errorf("%q, want %q", last, want)
	}
	if p := newProgress(newMessages(&out), true); p != nil {
		t.Error("--quiet has progress")
	}
}

// TestProgressOfRows: of slow rows the number and the time that is left are shown, from the first second on.
func TestProgressOfRows(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1000, 0)}
	p := newProgress(newMessages(&out), false)
	p.now = c.now
	const all, each = 1000, 100 * time.Millisecond
	rows := p.countRowsOf(&endless{c, each}, all)
	for range all {
		if _, err := rows.Next(); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 2 || lines[0] != "64 of 1000 rows, about 2m left" {
		t.Errorf("%q", lines)
	}
}

// endless yields rows without end, each after a time on the clock.
type endless struct {
	clock *clock
	each  time.Duration
}

func (e *endless) Next() (dataset.Row, error) {
	e.clock.at = e.clock.at.Add(e.each)
	return dataset.Row{}, nil
}

func TestProgressOnTerminal(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1000, 0)}
	p := newProgress(newMessages(&out), false)
	p.now, p.terminal, p.columns = c.now, true, func() int { return 20 }
	rows := &countedSource{progress: p, n: 16384}
	p.showRows(rows.describe)
	rows.n = 32768
	p.showRows(rows.describe) // too soon
	c.at = c.at.Add(time.Second)
	if err := p.Record(bigmkl.Event{Iteration: 1, Gap: 0.5, Target: 1e-3}); err != nil {
		t.Fatal(err)
	}
	p.finish()
	p.finish()
	if got, want := out.String(), clearLine+"16384 rows read"+clearLine+"step 1, gap 0.5 -> "+clearLine; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInterruptible(t *testing.T) {
	want := strings.Repeat("0123456789", 100_000)
	got, err := io.ReadAll(newInterruptibleReader(context.Background(), strings.NewReader(want)))
	if err != nil || string(got) != want {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	in := newInterruptibleReader(ctx, r)
	go func() { io.WriteString(w, "abc"); cancel() }()
	got, err = io.ReadAll(in)
	if !errors.Is(err, context.Canceled) || len(got) > 3 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCleanup(t *testing.T) {
	f := commandtest.NewFolder(t)
	var d cleanup
	scratch, err := d.makeScratch("")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(scratch+"/row", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"mine", "other"} {
		file, err := atomicfile.Create(f.At(target))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Abort()
	}
	d.addTarget(f.At("mine"))
	d.removeAll()
	left := commandtest.List(t, f.Path)
	if len(left) != 1 || !strings.HasPrefix(left[0], "other.tmp") {
		t.Errorf("left: %q", left)
	}
	if _, err := os.Stat(scratch); !os.IsNotExist(err) {
		t.Error("the scratch folder is still there")
	}
}
