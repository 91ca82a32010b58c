package gonen

import (
	"context"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// A row of pendigits has eight points (x, y) that a pen went through, on a square from 0 to 100: the
// dynamic view DYN. The static views are images of the segments between them, which the thesis took
// from the same pens: STA16 has 16 x 16 pixels that are 1 where a segment passes, STA8 and STA4 the
// means of its blocks of 2 x 2 and 4 x 4.

const (
	// The features of DYN are x1, y1, .., x8, y8.
	penPoints = 8
	penSquare = 100
	penSide   = 16
)

// penViews are the views of a row that drawPen has drawn.
// 16 + 256 + 64 + 16 features, counted from 1.
var penViews = []dataset.View{
	{Name: "DYN", First: 1, Last: 16}, {Name: "STA16", First: 17, Last: 272},
	{Name: "STA8", First: 273, Last: 336}, {Name: "STA4", First: 337, Last: 352},
}

// drawPen returns a row with its images behind the points.
func drawPen(row dataset.Row) dataset.Row {
	var points [2 * penPoints]float64
	for k, j := range row.Index {
		points[j] = row.Value[k]
	}
	// A segment from point k to k+1 is drawn by many small steps, which need no clipping.
	var image [penSide * penSide]float64
	for k := 0; k+3 < len(points); k += 2 {
		const steps = 8 * penSide // A step is less than a pixel, even along the diagonal.
		for i := range steps + 1 {
			share := float64(i) / steps
			x := points[k] + share*(points[k+2]-points[k])
			y := points[k+1] + share*(points[k+3]-points[k+1])
			image[pixel(y)*penSide+pixel(x)] = 1
		}
	}
	// The order is the order of penViews.
	all := points[:]
	for _, block := range []int{1, 2, 4} {
		all = append(all, averageBlocks(image[:], block)...)
	}
	// Rows are sparse, as most pixels are 0.
	drawn := dataset.Row{Label: row.Label}
	for j, v := range all {
		if v != 0 {
			drawn.Index, drawn.Value = append(drawn.Index, int32(j)), append(drawn.Value, v)
		}
	}
	return drawn
}

// pixel returns the row or column of a coordinate.
// The coordinate 100 would be pixel 16, so it counts to the last one.
func pixel(x float64) int { return min(penSide-1, int(x*penSide/penSquare)) }

// averageBlocks returns the means of the blocks of an image, row by row.
func averageBlocks(image []float64, block int) []float64 {
	// Pixel i is in row i / 16 and column i % 16.
	side := penSide / block
	means := make([]float64, side*side)
	for i, v := range image {
		means[i/penSide/block*side+i%penSide/block] += v / float64(block*block)
	}
	return means
}

// These are the lines of tables 5.11 and 5.12, of equal cost and cost-conscious, by task.
var (
	// A line has accuracy, support vectors and total cost in percent, and the weights of the views.
	penPrinted11 = [][2]string{
		{"99.40, 15.10, 15.10, 0.21-0.79", "99.00, 8.80, 8.80, 0.75-0.25"},
		{"99.70, 11.00, 11.00, 0.35-0.65", "100.00, 3.70, 0.74, 1.00-0.00"},
		{"99.20, 32.80, 6.56, 1.00-0.00", "99.20, 32.80, 6.56, 1.00-0.00"},
	}
	penPrinted12 = [][2]string{
		{"99.50, 10.70, 10.70, 0.24-0.16-0.33-0.26", "99.30, 5.80, 2.90, 0.48-0.38-0.14-0.00"},
		{"99.90, 9.70, 9.70, 0.32-0.31-0.31-0.06", "99.70, 3.00, 1.50, 0.45-0.51-0.04-0.00"},
		{"99.30, 12.90, 12.90, 0.35-0.12-0.10-0.44", "99.50, 10.30, 2.58, 0.64-0.36-0.00-0.00"},
	}
)

// penTable compares costs of views that are charged alone with costs in the norm, on three pairs of
// digits. The costs of the views come from the thesis.
func penTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64, title, kernels string,
	printed [][2]string) error {
	t := r.Table("%s", title)
	for k, digits := range []string{"08", "17", "59"} {
		// The first digit is the positive class. drawn adds the images.
		task := Task{
			Set: "pendigits", Positive: []string{digits[:1]}, negative: []string{digits[1:]}, drawn: true,
		}
		o := bigmkl.Options{Kernels: kernels, Views: penViews}
		// found[0] has equal costs in the norm, and found[1] the costs of the views.
		found, err := compareCosts(ctx, s, r, t, task, o, seed, printed[k])
		if err != nil || found[0] == nil {
			return err
		}
		t.Note("%svs%s: support vectors fall by %.0f %%, total cost from %.2f to %.2f %%",
			digits[:1], digits[1:], 100*(1-meanOf(found[1], supportOf)/meanOf(found[0], supportOf)),
			meanOf(found[0], costOf), meanOf(found[1], costOf))
	}
	return nil
}
