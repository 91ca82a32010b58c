package train

import (
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// coxWing is the wing of tasks of relative hazards. It trains as any classifier does, with a loss that is
// chunking.Collective.
type coxWing struct{ plainWing }

func (coxWing) traits(p *Problem) wingTraits {
	return wingTraits{name: "task " + p.Task, stream: "relative hazards: a row that leaves changes the rows at risk of all others"}
}

// baselineOf returns the baseline hazard of a function that has been trained.
func baselineOf(l *loss.Cox, trained *solved) model.Baseline {
	f := trained.solver.Decisions()
	// The bias of the solution may differ by what rounding was found to do.
	for i := range f {
		f[i] += trained.solution.Certificate.Bias - trained.solver.Certificate().Bias
	}
	times, logHazards := l.Baseline(f)
	return model.Baseline{Times: times, LogHazards: logHazards}
}
