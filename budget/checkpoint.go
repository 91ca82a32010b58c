package budget

import (
	"fmt"
	"path/filepath"

	"bigmkl/chunking"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/files"
)

// Checkpoints is what checkpoints take of the disk that their folder is on, which need not be that
// of the scratch files, and is no part of its budget.
type Checkpoints struct {
	Folder  string // "" without checkpoints
	Formula string
	Bytes   int64 // of one, at most
	Most    int64 // of three: the last two are kept, and the next is written beside them
	Free    int64 // on the disk of the folder; -1 if that is not known
}

const (
	kept       = 2
	bytesSaved = 64      // of each point beside the gradients: dual variables, combined gradients, the state of points that sleep
	headSaved  = 1 << 16 // what the run and the state take as text
)

// checkpoints is what they take of a run of n points.
func (r *Run) checkpoints(n, kernels int) Checkpoints {
	all, _ := r.gradientBytes(n, kernels)
	c := Checkpoints{Folder: r.Checkpoint, Formula: "8 n M + 64 n", Free: -1}
	if r.QuasiNewton { // the second half is K_m d, which is made again; but steps are kept
		all = all/2 + chunking.QuasiNewtonBytes*int64(n)
		c.Formula = fmt.Sprintf("8 n M + %d n", chunking.QuasiNewtonBytes+bytesSaved)
	}
	m := int64(r.Several.Machines)
	c.Bytes = headSaved + all + bytesSaved*int64(n)*r.together() + 32*int64(kernels)*r.together() + m*(16*int64(kernels)+64) + 12*r.Several.Points
	c.Most = (kept + 1) * c.Bytes
	if r.Checkpoint != "" {
		if free, _, err := files.Space(r.Checkpoint); err == nil {
			c.Free = free
		} else if free, _, err := files.Space(filepath.Dir(filepath.Clean(r.Checkpoint))); err == nil { // the folder is made by the training
			c.Free = free
		}
	}
	return c
}

// Short says that the disk does not hold the checkpoints; "" if it does or that is not known. One
// that cannot be written is a warning, and the run goes on: so is this.
func (c *Checkpoints) Short() string {
	if c.Folder == "" || c.Free < 0 || c.Free >= c.Most {
		return ""
	}
	return fmt.Sprintf("checkpoints take up to %s each, three for a moment, and the disk of their folder has %s free: those that do not fit will be left out",
		bytesize.Text(c.Bytes), bytesize.Text(c.Free))
}
