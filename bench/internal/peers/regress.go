package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"bigmkl/bench/internal/harness"
)

// Regress compares the working tree with an earlier commit. A commit has no recorded times that could
// be compared: computers differ, and one computer differs from hour to hour.
func Regress() harness.Experiment {
	// count is the number of runs of each version, 0 for the default.
	var count int
	return harness.Experiment{
		Name: "regress", Short: "the same trainings and routines at an earlier commit",
		Argument: "BASE", StandIn: "HEAD",
		// A copy of the sources without its repository has no earlier commit.
		Lacking: func(ctx context.Context) string {
			if _, err := harness.RunInFolder(ctx, ".", "git", "rev-parse", "--verify", "HEAD"); err != nil {
				return "there is no commit to compare with: " + err.Error()
			}
			if _, err := harness.RunInFolder(ctx, ".", "go", "version"); err != nil {
				return "there is no go command to build with: " + err.Error()
			}
			return ""
		},
		Long: "Builds cmd/bigmkl and the benchmarks of the inner loops twice: at commit BASE, in a\n" +
			"temporary git worktree, and from the working tree. It runs the same short list with both\n" +
			"in turns and compares by benchstat (golang.org/x/perf). Commits have the command line in\n" +
			"common. The experiment needs the repository and the go command.",
		Flags: func(f *pflag.FlagSet) {
			f.IntVar(&count, "count", 0,
				"number of runs of each version (default 8)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, args []string) error {
			if count == 0 {
				count = s.ChooseInts(nil, []int{8}, []int{2})[0]
			}
			// The folder has both programs, the rows and the models. It is removed at the end.
			dir, err := os.MkdirTemp(s.Scratch, "bigmkl-bench-*")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			c := &comparison{Session: s, report: r, dir: dir}
			if err := c.buildVersions(ctx, args[0]); err != nil {
				return err
			}
			if err := c.listBenchmarks(ctx); err != nil {
				return err
			}
			// An interrupted comparison reports the runs so far, so the tables are made without the
			// cancelled context.
			err = c.runInTurns(ctx, count)
			return errors.Join(err, c.compareVersions(context.WithoutCancel(ctx)))
		},
	}
}

// buildVersions builds the programs of both versions. The base is built in a git worktree, so
// files of the working tree stay untouched. Only the command line and the names of benchmarks
// must be common to both versions.
func (c *comparison) buildVersions(ctx context.Context, base string) error {
	// The experiment may run in any folder of the repository.
	top, err := harness.RunInFolder(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	c.root = top
	// The suffix makes git reject names that are not commits, such as a tree.
	revision, err := harness.RunInFolder(ctx, c.root, "git", "rev-parse", "--short=12", "--verify",
		base+"^{commit}")
	if err != nil {
		return err
	}
	tree := filepath.Join(c.dir, "base")
	if _, err := harness.RunInFolder(ctx, c.root, "git", "worktree", "add", "--detach", tree,
		revision); err != nil {
		return err
	}
	// The worktree is needed only until its programs are built.
	defer harness.RunInFolder(context.WithoutCancel(ctx), c.root, "git", "worktree", "remove", "--force",
		tree)
	// The head is built from the working tree, changes without a commit included.
	c.versions = [2]*programVersion{{label: "base", source: tree}, {label: "head", source: c.root}}
	c.report.Title = fmt.Sprintf("commit %s (base) against %s (head)", revision, c.report.Commit)
	for _, v := range c.versions {
		c.Progress.ShowNow("building %s", v.label)
		v.program = filepath.Join(c.dir, v.label+".bin")
		if _, err := harness.RunInFolder(ctx, v.source, "go", "build", "-o", v.program,
			"./cmd/bigmkl"); err != nil {
			return err
		}
		// An old commit may have no such package. The trainings are compared in any case.
		inner := filepath.Join(c.dir, v.label+".test")
		if _, err := harness.RunInFolder(ctx, v.source, "go", "test", "-c", "-o", inner,
			"./internal/simd"); err != nil {
			c.report.Note("the benchmarks of the inner loops do not build at %s: %v", v.label, err)
			continue
		}
		v.inner = inner
	}
	return ctx.Err()
}

// runInTurns runs the list with both versions in turns, and changes with each turn which one is
// first: a computer that warms up, or other work on it, then affects both alike. It names a
// training that fails for one version and leaves it out from then on.
func (c *comparison) runInTurns(ctx context.Context, count int) error {
	for turn := range count {
		for i := range c.versions {
			// Even turns begin with the base, and odd ones with the head.
			v := c.versions[(turn+i)%len(c.versions)]
			for k := range c.benchmarks {
				b := &c.benchmarks[k]
				if b.failed {
					continue
				}
				c.Progress.ShowNow("turn %d of %d, %s, %s", turn+1, count, v.label, b.name)
				err := b.run(ctx, v)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					// A training that one version cannot run has nothing to be compared with.
					b.failed = true
					c.report.Note("%v", err)
				}
			}
			// 20 ms for each benchmark keep a turn short. Turns give the repetitions that benchstat needs.
			if v.inner != "" {
				out, _, err := harness.RunProgram(ctx, v.inner, "-test.run", "^$", "-test.bench",
					"Dot|Exp|Rows", "-test.benchtime", "20ms")
				if err != nil {
					return err
				}
				v.routines.WriteString(out)
			}
		}
	}
	return nil
}

// compareVersions adds the tables of the comparison to the report.
// The tables of benchstat follow the table of the trainings.
func (c *comparison) compareVersions(ctx context.Context) error {
	t := c.report.Table("Trainings")
	for i := range c.benchmarks {
		c.benchmarks[i].rows(t, c.versions[:])
	}
	return errors.Join(
		c.runBenchstat(ctx, "trainings",
			func(v *programVersion) []byte { return v.trainings.Bytes() }),
		// Rates by CPU time are more informative than seconds of wall clock.
		c.runBenchstat(ctx, "routines",
			func(v *programVersion) []byte { return v.routines.Bytes() }, "-filter",
			".unit:(GFLOP/s OR Gentries/s)"))
}

// runBenchstat writes the results of both versions to files, attaches them to the report and adds
// the tables of benchstat. benchstat gives medians with confidence intervals, and reports only
// differences that are significant.
func (c *comparison) runBenchstat(ctx context.Context, what string,
	results func(v *programVersion) []byte, args ...string) error {
	// The version of benchstat is fixed by go.mod.
	args = append([]string{"tool", "benchstat"}, args...)
	for _, v := range c.versions {
		// Without results of one version there is no comparison.
		if len(results(v)) == 0 {
			return nil
		}
		name := filepath.Join(c.dir, v.label+"-"+what)
		if err := os.WriteFile(name, results(v), 0o666); err != nil {
			return err
		}
		args = append(args, v.label+"="+name)
		c.report.Attach(v.label+"-"+what+".txt", func(w io.Writer) error {
			_, err := w.Write(results(v))
			return err
		})
	}
	text, err := harness.RunInFolder(ctx, c.root, "go", args...)
	if err != nil {
		return err
	}
	c.report.Table("The %s by benchstat", what).Text = text
	return nil
}
