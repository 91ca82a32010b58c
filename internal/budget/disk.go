package budget

import (
	"bigmkl/dataset"
	"bigmkl/kernels"
)

// leastSpill is the disk space below which no rows are spilled: so few of them save no time.
const leastSpill = 16 << 20

// disk shares the disk budget out. The packed points are there all the time. The rest comes and
// goes by stages: rows as they are read, features of the sample that normalisation takes, copies of
// active points and gradients out of core during the training, and the support vectors of the model
// after it. The least budget is the need of the busiest stage. The cache of rows gets what the
// training leaves.
func (r *Run) disk(size dataset.Size, kernels int, multiplied, outOfCore bool) Share {
	s := Share{Budget: r.Disk}
	points := Part{"points", "4 n d", size.Points}
	if size.Sparse {
		points.Formula = "8 for each value that is not zero + 8 n"
	}
	if size.Mapped { // They lie in the file that was given.
		points.Bytes = 0
	}

	// stage has the parts of the busiest stage so far, and largest is their sum.
	stage := []Part{{"rows as they are read", "4 to 12 for each value + 24 n", size.Spool}}
	largest := size.Spool
	consider := func(parts ...Part) {
		if sum := total(parts); sum > largest {
			stage, largest = parts, sum
		}
	}

	n, row := size.Rows, 4*int64(size.Features)
	var training []Part // what there is during the training
	var beside []Part   // what there is while a model is made
	var before []Part   // what there is while rows of a stream are put together
	vectors := Part{"support vectors of the model", "up to 4 n d", int64(n) * row}
	if size.Sparse {
		vectors.Formula = "up to 8 for each value that is not zero + 8 n"
		vectors.Bytes = SparseVectorBytes(int64(n), size.Nonzeros)
	}
	if vectors.Bytes > LargeModel {
		beside = append(beside, vectors)
	}
	if !size.Sparse { // there are no such files of sparse points
		if copies := padded(r.copied(n)) * row * r.together(); copies > 0 {
			training = append(training, Part{"copies of active points", "0.6 of that", copies})
		}
		sampled := int64(0)
		if multiplied {
			sampled = normalizeSample(n)
		}
		if r.Aligned {
			sampled = max(sampled, min(int64(r.Sample), int64(n)))
		}
		if sampled > 0 {
			consider(Part{"features of a sample", "4 d for each of its points", sampled * row})
		}
	}
	if k := r.Several.Largest; k > 0 {
		bytes := padded(k) * row
		if size.Sparse { // the points of a pair may be those with most non-zeros
			bytes = size.Points
		}
		training = append(training, Part{"points of a pair of classes", "", bytes})
	}
	if r.Stream {
		// Batches are put behind the rows before, which stay until that is done. So do gradients,
		// until the gradients of all rows have taken them over. New rows have theirs apart until then.
		all, _ := r.gradientBytes(n, kernels)
		each, next := all*int64(max(1, r.Several.Classifiers)), all
		if each > all { // The gradients of all classifiers but one wait in files.
			next += each
		}
		held := Part{"gradients before the last batch", "8 n M for each classifier", each}
		before = []Part{{"points before the last batch", points.Formula, size.Points}, held}
		training = append(training, held, Part{"gradients of new rows", "8 n M for each classifier", next})
		consider(before...)
	}
	if outOfCore {
		all, copies := r.gradientBytes(n, kernels)
		gradients := "8 n M"
		if r.QuasiNewton {
			gradients = "16 n M"
		}
		training = append(training, Part{"gradients", gradients, all})
		if r.Path { // the next training continues with them
			beside = append(beside, Part{"gradients", gradients, all})
		}
		if copies > 0 {
			training = append(training, Part{"copies of gradients", "0.6 of that", copies})
		}
		s.Gradients = all + copies
	}
	consider(beside...)
	consider(training...)

	s.Fixed = append([]Part{points}, stage...)
	s.Least = points.Bytes + largest
	if r.Kept.Disk > 0 {
		s.Fixed = append(s.Fixed, Part{"all rows, which calibrate", "", r.Kept.Disk})
		s.Least += r.Kept.Disk
	}
	if s.Budget < s.Least { // a budget that was left open grows as far as the disk allows
		s.Budget = min(s.Least, r.MostDisk)
	}
	// Rows are kept during the training alone, but on a path they also stay while a model is made.
	s.Rows = s.Budget - points.Bytes - total(training) - r.Kept.Disk
	if r.Path {
		s.Rows = min(s.Rows, s.Budget-points.Bytes-max(total(beside), total(before)))
	}
	if s.Rows < leastSpill {
		s.Rows = 0
	}
	s.InCore = s.Least
	return s
}

// normalizeSample returns how many of n points the normalisation looks at.
func normalizeSample(n int) int64 { return int64(kernels.NormalizeSample(n)) }
