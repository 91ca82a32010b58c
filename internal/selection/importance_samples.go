package selection

import "gonum.org/v1/gonum/stat"

// Shares of ||w|| depend on the rows. Samples of half of them, drawn without replacement, have the spread of the
// bootstrap, whose variance equals the variance of the same number of rows: sigma^2/n = (1 - 1/2) sigma^2/(n/2). At p
// = 1 the share of samples in which a source has weight is its probability of selection (Meinshausen and Buehlmann
// 2010).

// activeShare is the share of ||w|| above which a source has weight. The certificate of a training lets a weight that is 0 at
// the optimum be as large as about the gap.
const activeShare = 1e-3

// sampleRows is the largest number of rows of which samples are halves. Shares of more rows vary less,
// but a hundred trainings on them would take longer than the folds.
const sampleRows = 2000

// spreadOf describes numbers of samples.
func spreadOf(values []float64) (s Spread) {
	if len(values) > 0 {
		s.Mean, s.Deviation = stat.PopMeanStdDev(values, nil)
	}
	return s
}
