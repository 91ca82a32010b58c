package train

import (
	"context"
	"slices"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/descent"
	"bigmkl/internal/loss"
)

// Gates that are learned minimise the optimum of the classifier over their parameters V (Gönen
// 2010, Algorithm 3.1),
//
//	J(V) + decay/2 sum_m |v_m|^2,   J(V) = max over alpha of D(alpha, V),
//
// which is not a convex function of V. While V stays, the problem is the problem of any gates.
// Each trial of the descent is such a problem, solved no further than its bounds D <= J(V) <= P
// have to be known (package descent). It starts at the dual variables of the trial before, whose
// rows are in the cache: rows are bases, which do not depend on gates.
//
// By the theorem of the envelope the slope of J takes alpha and the weights as constants. It
// therefore needs no kernel value: the gradients hold eta_m u_m of every kernel.
//
// Several starts are descents one after the other, and the one that comes to the lowest P stays.
// Then the gates below the floor are closed, and the classifier is solved to the gap of the run.

// StepLimit is the status of a run whose gates have moved as often as they may without coming to
// the tolerance.
const StepLimit chunking.Status = "step_limit"

// rejected ends the solution of a trial whose lower bound rejects it.
const rejected chunking.Status = "rejected"

// learning is the descent of the gates of one classifier. One goroutine owns it.
type learning struct {
	*classifierTrainer
	grad    *gradients
	problem problem         // without what differs from trial to trial
	during  context.Context // cuts what is in hand
	gates   *gates
	before  *finished // classifiers that are finished; nil if the run has one

	course       *course
	stationarity float64 // of a solution which has been found

	alpha   []float64        // where the next trial starts; nil before the first
	solver  *chunking.Solver // of the trial in hand
	last    *chunking.Solver // of the trial before; nil if its gradients are not in hand
	held    []float64        // the parameters that these gradients belong to
	rebuilt bool             // the trial in hand does not follow from last
	rejects bool             // the trial in hand has been rejected by its lower bound
	sized   bool             // the slope of the solution has been measured
	failed  error            // what kept it from being measured
}

// learningState is what a checkpoint has of the training as JSON. The names of its fields are part of
// files, and must stay.
type learningState struct {
	courseState
	// Stationarity is the stationarity of a solution which has been found.
	Stationarity float64 `json:"stationarity"`
}

// learnGates trains a classifier and its gates. p has everything but the norm and the gap.
// It has the contexts of solve, and during is the one that cuts the run. f holds the finished
// classifiers if the run has several, and is nil otherwise.
func (t *classifierTrainer) learnGates(ctx, during context.Context, g *gradients, p problem,
	f *finished) (*solved, error) {
	l := newLearning(t, g, p, t.gates)
	l.before = f
	if t.checkpoints != nil {
		t.checkpoints.learning = l
	}
	return l.learn(ctx, during)
}

// newLearning returns the training of a classifier and of gates.
func newLearning(t *classifierTrainer, g *gradients, p problem, of *gates) *learning {
	return &learning{classifierTrainer: t, grad: g, problem: p, gates: of,
		course: &course{options: &t.Options, gap: p.gap, of: of}}
}

// learn trains the classifier and its gates.
func (l *learning) learn(ctx, during context.Context) (*solved, error) {
	t, before := l.classifierTrainer, l.grad.Stats()
	l.during, l.problem.since = during, &before
	if resumed, err := t.checkpoints.restoreLearning(t.run, l); err != nil {
		return nil, err
	} else if !resumed {
		if err := l.course.begin(ctx); err != nil {
			return nil, err
		}
	}
	for {
		s, err := l.solveTrial(ctx)
		if err != nil {
			return nil, err
		}
		// Before the first trial is over nothing is lost, and later the work in hand ends in a model.
		ctx = during
		l.course.Iterations += s.solution.Iterations
		again, err := l.again(s)
		if err != nil {
			return nil, err
		}
		if again {
			continue
		}
		if l.course.Final || endsRun(s.status) {
			s.used = l.grad.Stats().Since(before)
			// A solution may need no iteration after that of the last trial.
			if s.solver.Progress().Iteration == 0 {
				if err := l.tell(s.solver, s.used); err != nil {
					return nil, err
				}
			}
			return s, l.finish(s)
		}
		if err := l.judge(ctx, s); err != nil {
			return nil, err
		}
	}
}

// tell passes the state of a solver to the recorder.
func (l *learning) tell(s *chunking.Solver, used gradient.Stats) error {
	q := s.Progress()
	q.Iteration += l.course.Iterations
	return l.tellRecorder(q, used, l.problem.at, l.problem.gap)
}

// endsRun reports whether a trial ended by a limit of the run.
func endsRun(status chunking.Status) bool {
	switch status {
	case chunking.Converged, chunking.Stalled, rejected:
		return false
	}
	return true
}

// solveTrial solves the classifier with the gates of the trial in hand. Each trial has a solver and
// a norm of its own, since a norm that has become sharp for other gates would take long to move.
// The gradients are shared, and so is the cache of rows.
func (l *learning) solveTrial(ctx context.Context) (*solved, error) {
	norm, err := l.norms().regularizer()
	if err != nil {
		return nil, err
	}
	if err := l.moveGates(ctx); err != nil {
		return nil, err
	}
	p := l.problem
	p.norm, p.trusting, p.before = norm, !l.course.Final, l.course.Iterations
	if !l.course.Final {
		p.gap, p.loss = l.course.descent.Gap, loss.Smooth(p.loss, l.course.Ridge)
	}
	p.start, p.stop, p.keep = l.startTrial, l.stop, l.keep
	l.rejects = false
	s, err := l.solve(ctx, l.during, l.grad, p)
	if err != nil && l.during.Err() != nil && l.rebuilt && l.solver != nil &&
		l.solver.Progress().Iteration == 0 {
		// The gradients were to be computed from alpha, of which the folder holds an older one.
		l.checkpoints.saveBetween(l.run, l)
	}
	return s, err
}

// startTrial implements startFunc for a trial. A trial that is solved closer, and the last solution at
// the gates of the last trial, continue from gradients that are in hand. Any other trial computes them
// again from alpha, since g_m = eta_m K_m (eta_m alpha) has other gates in it.
func (l *learning) startTrial(ctx context.Context, s *chunking.Solver, d *chunking.Driver) error {
	l.solver, l.rebuilt = s, false
	last := l.last
	l.last = nil // The gradients belong to the new solver from here on.
	l.grad.used = true
	if resumed, err := l.checkpoints.resume(ctx, l.run, l.grad, d, l.before); resumed || err != nil {
		return err
	}
	switch {
	case last != nil:
		return s.Follow(ctx, last)
	case l.alpha != nil:
		l.rebuilt = true
		return l.startAfresh(ctx, s, l.alpha)
	}
	return l.problem.start(ctx, s, d)
}

// stop is asked between the iterations of a trial. While points sleep the dual value may be stale; a
// trial that was rejected by mistake has only cost a shorter step, as its bounds are computed with all
// points awake before it is judged.
func (l *learning) stop() chunking.Status {
	if status := l.problem.stop(); status != "" {
		return status
	}
	n := l.Options.Limits.Iterations
	if n > 0 && l.course.Iterations+l.solver.Progress().Iteration >= n {
		return chunking.IterationLimit
	}
	if !l.course.Final && l.course.descent.Rejects(l.solver.Certificate().Dual+l.penalty(nil)) {
		l.rejects = true
		return rejected
	}
	return ""
}

// keep writes a checkpoint if one is due. The end of a trial does not end the run, and is not kept: a run
// that resumes from before it comes to the same end. At the end of the run the slope is measured first,
// since a checkpoint of a run that is over has no gradients.
func (l *learning) keep(d *chunking.Driver, must bool) {
	ended := d.State().Ended != ""
	if ended && !l.course.Final {
		return
	}
	if ended {
		if l.failed = l.measure(l.solver); l.failed != nil {
			return
		}
	}
	l.checkpoints.saveIfDue(l.run, l.grad, d, l.before, must && !l.rejects)
}

// judge continues from the bounds of a trial. The slope is the slope of D at the alpha in hand, which
// tends to the slope of J as the gap closes, and is summed only for trials that are accepted.
func (l *learning) judge(ctx context.Context, s *solved) error {
	at, c := l.course.descent, s.bounds
	l.alpha, l.last, l.held = s.solution.Alpha, s.solver, at.Trial
	l.course.scaleBy(c.Dual, sizes(l.alpha), l.gates.points().Len())
	slope := make([]float64, len(at.Trial))
	penalty := l.penalty(slope)
	if at.Judge(c.Dual+penalty, c.Primal+penalty) == descent.Accepted {
		if err := l.addSlope(ctx, &s.solution, slope); err != nil {
			return err
		}
		at.Learn(slope, length(at.Free(slope)))
	}
	if at.Ended != "" {
		l.course.Trials += at.Trials
	}
	if err := l.course.next(ctx); err != nil {
		return err
	}
	// Gradients of the same gates serve on, unless gates are closed.
	if !slices.Equal(l.held, l.course.descent.Trial) || l.course.Final && l.gates.learned.Floor > 0 {
		l.last = nil
	}
	return nil
}

// again continues with a smaller ridge where the last solution requires it.
func (l *learning) again(s *solved) (bool, error) {
	if !l.course.Final || s.status != chunking.Converged || l.failed != nil {
		return false, nil
	}
	if !l.sized {
		if err := l.measure(s.solver); err != nil {
			return false, err
		}
	}
	if !l.course.again(s.status, l.flat()) {
		return false, nil
	}
	l.alpha, l.sized = s.solution.Alpha, false
	return true, nil
}

// flat reports whether the solution in hand has a slope within the tolerance.
func (l *learning) flat() bool { return l.course.flat(l.stationarity, l.gates.learned.Floor > 0) }

// finish records the gates of a solution for the model.
func (l *learning) finish(s *solved) error {
	if l.failed != nil {
		return l.failed
	}
	if !l.sized && l.stationarity == 0 {
		if err := l.measure(s.solver); err != nil {
			return err
		}
	}
	c, g := l.course, &l.gates.model
	g.Parameters = slices.Clone(c.descent.Trial)
	g.Decay, g.Stationarity = c.decay(), l.stationarity
	g.Steps, g.Trials = c.Steps, c.Trials
	if c.Final {
		s.status = c.status(s.status, l.flat())
	} else {
		g.Floor = 0 // No gate has been closed.
		g.Steps, g.Trials = g.Steps+c.descent.Steps, g.Trials+c.descent.Trials
	}
	l.doubts().oneGate(l.gates)
	if text := c.warnHard(g.Stationarity); text != "" {
		l.warn("%s", text)
	}
	s.solution.Iterations = c.Iterations
	return nil
}
