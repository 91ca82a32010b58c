package budget

import (
	"fmt"
	"path/filepath"

	"bigmkl/chunking"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/files"
)

// Checkpoints estimates what checkpoints take of the disk that their folder is on. That need not
// be the disk of the scratch files, so the disk budget does not include checkpoints.
type Checkpoints struct {
	Folder  string // "" without checkpoints
	Formula string // of Bytes, over the points n and the kernels M
	Bytes   int64  // of one checkpoint, at most
	Most    int64  // of three: the last two are kept, and the next is written beside them
	Free    int64  // on the disk of the folder; -1 if that is not known
}

const (
	// kept is the number of checkpoints that stay: were the last one damaged, the one before would
	// do.
	kept = 2
	// bytesSaved counts, for each point and beside the gradients, its dual variable, its combined
	// gradient and the state of points that sleep.
	bytesSaved = 64
	// headSaved counts what the description of the run and the state of the solver take as text.
	headSaved = 1 << 16
)

// checkpoints counts the checkpoints of a run of n points.
func (r *Run) checkpoints(n, kernels int) Checkpoints {
	whole := *r
	whole.Ranks = 1 // Gradients of all ranks are in one file.
	all, _ := whole.gradientBytes(n, kernels)
	c := Checkpoints{Folder: r.Checkpoint, Formula: "8 n M + 64 n", Free: -1}
	if r.QuasiNewton {
		// The second half of the gradients is K_m d, which a run that goes on makes again. The
		// steps that the method remembers are saved, since nothing could make them again.
		steps := int64(chunking.QuasiNewtonBytes)
		if r.NewtonSteps {
			steps = 0
		}
		all = all/2 + steps*int64(n)
		c.Formula = fmt.Sprintf("8 n M + %d n", steps+bytesSaved)
	}
	m := int64(r.Several.Classifiers)
	c.Bytes = headSaved + all + bytesSaved*int64(n)*r.together() +
		32*int64(kernels)*r.together() + m*(16*int64(kernels)+64) + 12*r.Several.Points
	c.Most = (kept + 1) * c.Bytes
	if r.Checkpoint != "" {
		// The training makes the folder if there is none. Until then its parent identifies the
		// disk.
		parent := filepath.Dir(filepath.Clean(r.Checkpoint))
		if free, _, err := files.Space(r.Checkpoint); err == nil {
			c.Free = free
		} else if free, _, err := files.Space(parent); err == nil {
			c.Free = free
		}
	}
	return c
}

// Short returns a sentence that the disk does not hold the checkpoints. It returns "" if the disk
// does, or if its free space is not known. It is a warning and no error, because a checkpoint that
// cannot be written does not end a run either.
func (c *Checkpoints) Short() string {
	if c.Folder == "" || c.Free < 0 || c.Free >= c.Most {
		return ""
	}
	return fmt.Sprintf("checkpoints take up to %s each, three for a moment, and the disk of their "+
		"folder has %s free: those that do not fit will be left out",
		bytesize.Text(c.Bytes), bytesize.Text(c.Free))
}
