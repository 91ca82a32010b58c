package letters

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"bigmkl/chunking"
	"bigmkl/internal/libsvm"
)

// report writes what svm-train prints of a training, and what is certified of it to standard error.
// Standard output has exactly the lines of svm-train, because scripts parse them.
func (s *solution) report(p *Process, o *options) error {
	if o.quiet {
		return nil
	}
	var b bytes.Buffer
	// svm-train prints these lines for each pair of classes.
	for _, f := range s.functions {
		fmt.Fprintf(&b, "\noptimization finished, #iter = %d\n", f.iterations)
		if !math.IsNaN(f.nu) {
			fmt.Fprintf(&b, "nu = %f\n", f.nu)
		}
		fmt.Fprintf(&b, "obj = %f, rho = %f\nnSV = %d, nBSV = %d\n", f.objective, f.rho, f.support, f.bound)
	}
	if s.model.HasClasses() {
		fmt.Fprintf(&b, "Total nSV = %d\n", s.model.Vectors)
	}
	if len(s.functions) > 0 {
		what := "certified relative gap"
		if o.kernel.Kind == libsvm.Precomputed || o.kernel.Kind == libsvm.Sigmoid {
			// A kernel that need not be positive semi-definite may have better solutions elsewhere.
			what = "relative gap, a proof of the optimum only if the kernel is positive semi-definite,"
		}
		if _, err := fmt.Fprintf(p.Stderr, "%s %.3g (asked %.3g): obj is within %.3g of the optimum\n",
			what, s.gap, s.asked, s.room); err != nil {
			return err
		}
	}
	_, err := p.Stdout.Write(b.Bytes())
	return err
}

// sure returns an Unsure unless the training has reached its gap.
// what ends the message, such as that the model is written.
func (s *solution) sure(what string) error {
	if s.status == chunking.Converged {
		return nil
	}
	return &Unsure{fmt.Sprintf("no step improves the solution further, at a relative gap of %.3g (asked %.3g); %s",
		s.gap, s.asked, what)}
}

// printMoments writes two lines about predictions of numbers, as svm-train and svm-predict have them.
// The second line is the squared correlation (n sum vy - sum v sum y)^2 / ((n sum vv - (sum v)^2) (n
// sum yy - (sum y)^2)).
func (m *moments) printMoments(w io.Writer, format string) error {
	n := float64(m.rows)
	r := (n*m.vy - m.v*m.y) * (n*m.vy - m.v*m.y) / ((n*m.vv - m.v*m.v) * (n*m.yy - m.y*m.y))
	_, err := fmt.Fprintf(w, format, m.squares/n, r)
	return err
}

// moments are sums over predictions v and targets y.
type moments struct {
	rows int
	// squares is the sum of (v - y)^2, and ab the sum of |v - y|. The others are the sums of the
	// products that they name.
	squares, v, y, vv, yy, vy, ab float64
}

// add adds a prediction.
func (m *moments) add(v, y float64) {
	m.rows++
	m.squares += (v - y) * (v - y)
	m.ab += math.Abs(v - y)
	m.v, m.y, m.vv, m.yy, m.vy = m.v+v, m.y+y, m.vv+v*v, m.yy+y*y, m.vy+v*y
}
