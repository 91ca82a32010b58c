package command

import (
	"context"
	"errors"
	"slices"

	"bigmkl"
	"bigmkl/internal/model"
)

// problemFlags are the flags of the task, the kernels, the norm and the rows: the part of a
// command line that train, plan, select and importance share. The options are options of the
// library, which files such as weights complete. Commands gram and align take the rows and the
// kernels alone.
type problemFlags struct {
	options bigmkl.Options
	// Each of these groups checks its flags against each other, and reads its files.
	rows       rowFlags
	norm       normFlags
	costs      costFlags
	posteriors posteriorsFlags
	components componentFlags
	// taus is the quantile or expectile, or several quantiles.
	taus []float64
	// config is the file of options, and empty without --config.
	config string
	// complete is set if files of options may have all flags, those with their defaults included.
	complete bool
}

// defineFlags defines the flags that a command with trainings takes from the table of options, and the files that are
// read.
func (p *problemFlags) defineFlags(f *flags, by takers) {
	p.defineOptions(f, by)
	p.rows.defineFlags(f)
	f.StringVar(&p.config, configFlag, "",
		"read options from this TOML `FILE`, whose keys are the names of flags; flags on the command line override it (see bigmkl config)")
}

// takeUpTaus enters the quantiles in the options of a training, unless its task has none, which is a fault already.
func (p *problemFlags) takeUpTaus() {
	switch {
	case len(p.taus) == 1:
		p.options.Tau = p.taus[0]
	case optionNamed(model.NameTau).isOf(p.options.Task):
		p.options.Taus = p.taus
	}
}

// readArguments takes the data files of the command line, and the options of the file of --config.
// Faults of that file would lead to others, and are returned at once.
func (p *problemFlags) readArguments(f *flags, args []string) error {
	p.rows.paths = args
	if p.config == "" {
		return nil
	}
	list, err := readConfig(p.config)
	if err == nil {
		err = atFile(applySettings(f, list, p), p.config)
	}
	if err != nil {
		return errors.Join(f.err(), err)
	}
	return nil
}

// files lists the files that the problem comes from. A result must not replace one of them, and an
// empty name is ignored.
func (p *problemFlags) files() []string {
	return slices.Concat(p.rows.files(), []string{missingFile(p.options.Missing), p.norm.file(), p.norm.matrix,
		p.posteriors.file(), p.components.observe})
}

// readFiles reads every small file into the options and validates them again, as files have completed
// them. A matrix or a vector can only be checked against the options once it is read.
func (p *problemFlags) readFiles(ctx context.Context) error {
	o := &p.options
	if err := completeOptions(ctx, o, &p.rows.read, p.rows.views); err != nil {
		return err
	}
	if err := p.norm.readFiles(&o.Regularizer); err != nil {
		return err
	}
	if err := p.posteriors.readFile(o); err != nil {
		return err
	}
	if err := p.components.readFile(o); err != nil {
		return err
	}
	return o.Validate()
}

// open reads every small file and opens the data.
func (p *problemFlags) open(ctx context.Context, at *opener) (source, error) {
	if err := p.readFiles(ctx); err != nil {
		return nil, err
	}
	return at.openWithScratch(ctx, &p.options, p.rows.paths, p.rows.read)
}

// checkRepeated rejects what does not go with many trainings on the same rows, of which some choose a norm. what names
// the command.
func (p *problemFlags) checkRepeated(f *flags, what string, norms []float64, faults *usageFaults) {
	faults.require(len(p.rows.paths) > 0, "name a file", "no data file is named")
	faults.require(!slices.Contains(p.rows.paths, "-"), "write them to a file first",
		"%s reads its data more than once, which standard input does not allow", what)
	faults.require(len(norms) == 0 || !f.Changed("norm") && !f.Changed("theta-norm"), "use one of them",
		"--grid-norm cannot be combined with --norm or --theta-norm")
}
