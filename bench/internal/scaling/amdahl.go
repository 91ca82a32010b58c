package scaling

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"bigmkl/bench/internal/harness"
)

// serialRow states how much of a training with one kernel runs on one thread, and what that
// allows.
type serialRow struct {
	Data string `json:"data" table:"data"`
	// Share is of the time of a training on one thread.
	Share float64 `json:"serial_percent" table:"serial|%.1f %%"`
	// Limit16 and Limit64 are Amdahl's, against one thread.
	Limit16 float64 `json:"limit_16_cores" table:"limit, 16 cores|%.1f x"`
	Limit64 float64 `json:"limit_64_cores" table:"limit, 64 cores|%.1f x"`
	// One and All are seconds of the same training on one thread and on all.
	Threads int     `json:"threads" table:"threads"`
	One     float64 `json:"one_thread_seconds" table:"one thread, s|%.3f"`
	All     float64 `json:"all_threads_seconds" table:"all threads, s|%.3f"`
	Faster  float64 `json:"times_faster" table:"faster|%.2f x"`
}

// serialRepeats is the number of pairs of trainings, one and all threads alternately. A row has
// the pair with the median ratio.
const serialRepeats = 3

// serialShare is the share of a training on one thread that no other thread could help with.
// A share near 0 means that further threads would help.
func serialShare(o harness.Outcome) float64 {
	// These clocks run where work is shared out among threads. The rest is what Amdahl's law calls
	// serial.
	shared := o.PassSeconds + o.SleepSeconds + o.ModelSeconds + o.CheckSeconds + o.LoopSeconds
	return 1 - harness.Ratio(shared, o.Seconds)
}

// amdahl returns the speed-up 1/(s + (1-s)/cores) of work with the serial share s (Amdahl 1967).
func amdahl(serial float64, cores int) float64 {
	return harness.Ratio(1, serial+(1-serial)/float64(cores))
}

// tabulateSerialShares trains with a single kernel, where a row costs least and so the rest of the
// solver counts most, on the sets that other programs were recorded on.
func tabulateSerialShares(ctx context.Context, s *harness.Session, r *harness.Report) error {
	t := r.Table("Serial share")
	t.Note("One kernel, on one thread: serial is the share of the time that no clock of shared work saw: the " +
		"solver by itself, and what comes before its first step, some of which is shared, too. Work that is shared out counts as shared whole, with what its threads wait for each other.")
	var absent []string
	for _, theirs := range harness.LIBSVM {
		if theirs.Points > 0 || theirs.Set == "mnist" {
			continue
		}
		u, there := harness.SingleKernelTraining(s, theirs)
		if !there {
			absent = append(absent, theirs.Set)
			continue
		}
		// Predictions are not part of the time.
		u.Test = nil
		// A quick run takes 1,000 rows; 0 takes all.
		u.Options.Limit = s.ChooseInts(nil, []int{0}, []int{1000})[0]
		pairs := make([][2]harness.Outcome, serialRepeats)
		for i := range pairs {
			// One and all threads take turns, so a disturbance of the computer hits both alike.
			for k, threads := range []int{1, s.Threads} {
				u.Options.Threads = threads
				o, err := s.Train(ctx, u)
				if err != nil {
					return err
				}
				pairs[i][k] = o
			}
		}
		// pair[0] is the training on one thread, and pair[1] the one on all.
		pair := medianPair(pairs)
		share := serialShare(pair[0])
		t.Add(serialRow{
			Data: theirs.Set, Share: 100 * share, Limit16: amdahl(share, 16), Limit64: amdahl(share, 64),
			Threads: s.Threads, One: pair[0].Seconds, All: pair[1].Seconds,
			Faster: harness.Ratio(pair[0].Seconds, pair[1].Seconds),
		})
	}
	if absent != nil {
		t.Note("not measured, as the data is missing: %s", strings.Join(absent, ", "))
	}
	return nil
}

// medianPair returns the pair of trainings whose ratio of seconds is the median. It sorts the list.
func medianPair(list [][2]harness.Outcome) [2]harness.Outcome {
	slices.SortFunc(list, func(a, b [2]harness.Outcome) int {
		return cmp.Compare(harness.Ratio(a[0].Seconds, a[1].Seconds), harness.Ratio(b[0].Seconds, b[1].Seconds))
	})
	return list[len(list)/2]
}
