package selection

import (
	"testing"
	"time"

	"bigmkl"
	"bigmkl/internal/kernelspec"
)

// TestTimeSideBySide: an importance takes less time where its folds are trained side by side, and that is decided as for the
// trainings themselves.
func TestTimeSideBySide(t *testing.T) {
	bank, err := kernelspec.Expand([]string{"linear group=a", "gauss:1 group=b"}, kernelspec.Context{Features: 3})
	if err != nil {
		t.Fatal(err)
	}
	const large = 8 << 30
	for _, c := range []struct {
		name    string
		rows    int
		o       bigmkl.Options
		abreast bool
	}{
		{"two threads", 1000, bigmkl.Options{Threads: 2, Memory: large}, true},
		{"the most rows", laneRows, bigmkl.Options{Threads: 4, Memory: large}, true},
		{"one thread", 1000, bigmkl.Options{Threads: 1, Memory: large}, false},
		{"more rows", laneRows + 1, bigmkl.Options{Threads: 2, Memory: large}, false},
		{"little memory", 1000, bigmkl.Options{Threads: 2, Memory: laneMemory}, false},
	} {
		w, err := WorkOf(bank, c.rows, &c.o)
		if err != nil {
			t.Fatal(err)
		}
		shares := timeShares
		if c.abreast {
			shares = sharesAbreast
		}
		few := min(1, float64(choiceRows)/float64(c.rows))
		trainings := float64(w.Folds*w.Trainings) + few*few*float64(w.Folds*w.Choices+w.Samples)
		for k, took := range w.Time([2]time.Duration{time.Second, 3 * time.Second}, c.rows) {
			want := shares[k] * trainings * float64(1+2*k)
			if got := took.Seconds(); !(got > 0.999*want && got < 1.001*want) {
				t.Errorf("%s: end %d is %g s, want %g", c.name, k, got, want)
			}
		}
	}
}
