// Package ranks measures trainings in several processes, and forecasts their time over slower networks.
package ranks

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"bigmkl/bench/internal/harness"
)

// rankRow is a training by several processes of one thread each.
type rankRow struct {
	// Link names the connection, such as memory or a rate.
	Link    string  `json:"link" table:"connected by"`
	Ranks   int     `json:"ranks" table:"ranks"`
	Seconds float64 `json:"train_seconds" table:"seconds|%.2f"`
	// Against is the time against that of one process with two threads.
	Against float64 `json:"against_two_threads" table:"against two threads|%.2f x"`
	// Modelled is the time that the model gives, Messages its part for the exchange, and Off how far the measured time
	// is from it.
	Modelled float64 `json:"modelled_seconds" table:"modelled|%.2f"`
	Messages float64 `json:"modelled_messages_seconds" table:"modelled messages|%.2f"`
	Off      float64 `json:"off_percent" table:"measured against modelled|%+.0f %%"`
	// Resident is the peak of the largest rank, and Sent what all of them have sent.
	Resident int64 `json:"peak_rss_bytes" table:"peak of a rank, MiB|MiB"`
	Sent     int64 `json:"sent_bytes" table:"sent, MiB|MiB"`

	// wire has the measured times of messages by the same connection.
	wire wire
}

// Experiment measures what ranks cost and gain on one machine, and states what a cluster
// would.
// The ranks share one computer, so more ranks than processors only show the cost of messages.
func Experiment() harness.Experiment {
	return harness.Experiment{
		Name:  "ranks",
		Short: "one training by 1 to 4 processes, over networks too, and a model of clusters",
		Long: "Trains MNIST even/odd with two banks of 50 Gaussians (p = 4/3, C = 1, gap 1e-3) in one process and by mpirun, in\n" +
			"memory and over networks of namespaces whose links have a rate (root alone can lay them), and fits a model of\n" +
			"the time to them. The same model then gives clusters of up to 1,024 ranks.",
		Lacking: func(ctx context.Context) string {
			if _, err := exec.LookPath("go"); err != nil {
				return "there is no go"
			}
			// Other launchers have other options.
			version, err := exec.CommandContext(ctx, "mpirun", "--version").Output()
			if err != nil || !strings.Contains(string(version), "Open MPI") {
				return "there is no mpirun of Open MPI"
			}
			return ""
		},
		Run: runRanks,
	}
}

// rankBanks are the kernels that ranks train on: widths, which share almost all of their work, so
// messages and what each rank does for itself count most, and kernels on features of their own.
var rankBanks = []struct{ name, kernels string }{
	{"fifty widths", harness.FiftyGaussians}, {"fifty sets of 100 features", "gauss:auto@random:100*50"},
}

// rankRepeats is the number of trainings of a row, which shows the training of median time.
const rankRepeats = 3

// runRanks is the experiment.
func runRanks(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
	// The folder has the programs, the rows and the models.
	dir, err := os.MkdirTemp(s.Scratch, "ranks-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	digits, positive := s.Data.FindDigits(r)
	// n is the number of rows.
	n := s.ChooseInts(nil, []int{20000}, []int{400})[0]
	l, err := newLauncher(ctx, dir, digits, n, positive)
	if err != nil {
		return err
	}
	// The first link is memory. The others need networks, which only root can lay.
	measured := links
	if lacking := lackOfNetworks(); lacking != "" || s.Quick {
		measured = links[:1]
		if !s.Quick {
			r.Note("no network was laid: %s", lacking)
		}
	} else {
		// The network is removed even if it is only laid in part.
		l.network, err = layNetwork(ctx, dir, networkRanks)
		defer l.network.Close(networkRanks)
		if err != nil {
			return err
		}
	}
	for _, bank := range rankBanks {
		u := harness.ThesisTraining(digits, positive, bank.kernels, "4/3", n)
		if err := l.compare(ctx, s, r, bank.name, u, measured); err != nil {
			return err
		}
	}
	return nil
}

// compare measures trainings by ranks and fits the model of a cluster to them. The model takes
// the work from two trainings in one process, the messages from a recorded training, and their
// times from ranks that compute nothing. Column Off shows how far it is from the measured times,
// and so how far its forecasts can be relied on.
func (l *launcher) compare(ctx context.Context, s *harness.Session, r *harness.Report, name string, u harness.Training, measured []link) error {
	// One thread for each rank, so ranks and not threads are compared.
	u.Options.Threads = 1
	// A training on a quarter of the rows separates the costs that grow with the rows.
	small := u
	small.Options.Limit /= 4
	// Side 0 is the small training, side 1 the whole one.
	var sides [2]side
	for k, u := range []harness.Training{small, u} {
		var err error
		if sides[k].one, err = s.Train(ctx, u); err != nil {
			return err
		}
		// The messages are counted without a network, since their number does not depend on it.
		if sides[k].exchange, err = recordExchange(ctx, u); err != nil {
			return err
		}
	}
	counts := s.ChooseInts(nil, []int{1, 2, 3, 4}, []int{1, 2})
	// 0 ranks mean a process without a launcher.
	two, err := l.median(ctx, s, u, link{}, 0, min(2, s.Threads))
	if err != nil {
		return err
	}
	var rows []rankRow
	for _, by := range measured {
		if by.rate != "" {
			if err := l.network.limit(ctx, networkRanks, by); err != nil {
				return err
			}
			// A name without a delay must not promise one.
			if !l.network.delays {
				by.name, _, _ = strings.Cut(by.name, ",")
			}
		}
		for _, ranks := range counts {
			// Networks are laid for one number of ranks. The others measure the exchange in
			// memory.
			if by.rate != "" && ranks != networkRanks {
				continue
			}
			row, err := l.median(ctx, s, u, by, ranks, 1)
			if err != nil {
				return err
			}
			if row.wire, err = l.measureWire(ctx, by, ranks); err != nil {
				return err
			}
			row.Against = harness.Ratio(row.Seconds, two.Seconds)
			rows = append(rows, row)
		}
	}
	// rows[0] is one rank in memory, whose time the model begins with.
	m := newClusterModel(sides[0], sides[1], rows[0].Seconds)
	// The fit uses all measured rows, so Off shows what is left.
	m.fit(rows, s.Threads)
	t := r.Table("Processes on this machine, %s", name)
	t.Note("One process with two threads takes %.2f s. Ranks are processes of one thread on %d processors, and every row the "+
		"median of %d trainings.", two.Seconds, s.Threads, rankRepeats)
	t.Note("%s", m.describe())
	if l.network != nil && !l.network.delays {
		t.Note("the system has no netem: networks have the rate of their names and no delay of their own")
	}
	for _, row := range rows {
		// The model gets the measured times of messages on the same link.
		row.Modelled, row.Messages = m.training(row.Ranks, s.Threads, row.wire)
		row.Off = 100 * (harness.Ratio(row.Seconds, row.Modelled) - 1)
		t.Add(row)
	}
	m.tabulate(r, name)
	return nil
}

// median trains several times, and returns the training of median time. A mean would include
// runs that other work of the computer disturbed.
func (l *launcher) median(ctx context.Context, s *harness.Session, u harness.Training, by link, ranks, threads int) (rankRow, error) {
	repeats := s.ChooseInts(nil, []int{rankRepeats}, []int{1})[0]
	var list []rankRow
	for range repeats {
		row, err := l.train(ctx, u, by, ranks, threads)
		if err != nil {
			return row, fmt.Errorf("%s, %d ranks: %w", by.name, ranks, err)
		}
		list = append(list, row)
	}
	// Of an even number the later one counts.
	slices.SortFunc(list, func(a, b rankRow) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list[len(list)/2], nil
}
