package ye

// printedRow is a row of the paper: mean accuracy, its standard deviation over 30 splits, and the
// weights, which are nil where they are not compared; and the mean number of support vectors of
// classifiers, in Table 17.
// The deviation is of single splits. Callers divide it by sqrt(30) for the standard error of the mean.
type printedRow struct {
	accuracy, deviation float64
	weights             []float64
	support             float64
}

// discriminantSet is a set of the paper with its printed rows, by method.
type discriminantSet struct {
	// name is the name in the paper, folder and file the place of the data.
	name, folder, file string
	share              float64 // of the rows, for training
	// classes is the number of classes of which rows are drawn, the first ones. If it equals zero, all
	// rows are used.
	classes int
	printed map[string]printedRow
}

// discriminantSets lists the sets that are public and at hand: the tables of ionosphere, USPS and
// waveforms are left out. Weights are in the order of the paper, the narrowest kernel first.
func discriminantSets() []discriminantSet {
	return []discriminantSet{
		// Two classes have 80 % of the rows for training, and several classes 60 %.
		{"sonar", "sonar", "sonar", 0.8, 0, map[string]printedRow{
			"RKDA":        {89.76, 5.37, []float64{0, 0, 0, 0, .459, .406, .011, .034, .032, .059}, 0},
			"RKDA, joint": {89.43, 5.18, []float64{0, 0, 0, 0, .547, .313, .023, .031, .034, .052}, 0},
			"SM1":         {89.75, 4.9, []float64{0, 0, 0, .004, .395, .551, .049, 0, 0, 0}, 155.4},
			"SM2":         {89.59, 5.24, []float64{0, 0, 0, 0, .287, .677, .036, 0, 0, 0}, 152.2},
			"SM2_C":       {89.84, 4.8, nil, 156.8},
		}},
		{"heart", "heart", "heart", 0.8, 0, map[string]printedRow{
			"RKDA":        {81.98, 4.27, []float64{.742, .115, 0, 0, 0, .001, 0, 0, .006, .137}, 0},
			"RKDA, joint": {81.73, 4.23, []float64{.744, .095, 0, 0, 0, 0, 0, 0, .007, .121}, 0},
			"SM1":         {82.59, 4.55, []float64{.769, .048, 0, 0, 0, .002, .181, 0, 0, 0}, 208.7},
			"SM2":         {82.71, 4.41, []float64{.732, .067, 0, 0, 0, .003, .199, 0, 0, 0}, 195.9},
			"SM2_C":       {82.53, 4.58, nil, 208.3},
		}},
		// The 683 rows are the rows without missing values.
		{"cancer", "wbc", "wbc683", 0.8, 0, map[string]printedRow{
			"RKDA":        {97.01, 1.2, []float64{0, .468, .298, .022, .010, .020, .170, .007, 0, .005}, 0},
			"RKDA, joint": {96.98, 1.28, []float64{.003, .663, .105, .047, .009, .014, .132, .009, 0, .005}, 0},
			"SM1":         {97.08, 1.27, []float64{.180, .571, .018, .001, 0, .231, 0, 0, 0, 0}, 210.3},
			"SM2":         {97.15, 1.22, []float64{.148, .554, .040, .002, .001, .253, .001, 0, 0, 0}, 138.8},
			"SM2_C":       {97.01, 1.22, nil, 212.5},
		}},
		// Sets of several classes have no classifiers of two classes.
		{"wine", "wine", "wine", 0.6, 0, map[string]printedRow{
			"RKDA":        {98.12, 1.49, []float64{.023, .133, .205, .178, .305, .010, .003, .009, .010, .125}, 0},
			"RKDA, joint": {98.12, 1.45, []float64{.045, .162, .182, .172, .287, .010, .008, 0, .009, .124}, 0},
		}},
		// The tables 10 to 14 take the first classes of larger sets.
		{"satimage, 3 classes", "satimage", "satimage", 0.6, 3, map[string]printedRow{
			"RKDA":        {98.06, 0.96, []float64{0, .133, .246, .073, .252, .181, .026, .033, .006, .051}, 0},
			"RKDA, joint": {98.08, 0.93, []float64{.003, .226, .197, .047, .274, .133, .042, .019, .004, .053}, 0},
		}},
		{"satimage, 5 classes", "satimage", "satimage", 0.6, 5, map[string]printedRow{
			"RKDA":        {93.48, 1.6, []float64{0, .162, .470, .005, .247, .071, 0, 0, .004, .042}, 0},
			"RKDA, joint": {93.33, 1.52, []float64{.014, .331, .316, .010, .242, .044, 0, .001, .003, .039}, 0},
		}},
		{"satimage, 6 classes", "satimage", "satimage", 0.6, 6, map[string]printedRow{
			"RKDA":        {87.97, 1.74, []float64{.108, .448, .094, .143, .123, .046, 0, .002, .006, .031}, 0},
			"RKDA, joint": {87.26, 1.81, []float64{.277, .299, .112, .106, .114, .032, .003, .005, .006, .024}, 0},
		}},
		{"segment, 3 classes", "segment", "segment", 0.6, 3, map[string]printedRow{
			"RKDA":        {99.17, 0.69, []float64{.312, .049, .073, .263, .118, .093, .003, 0, 0, .090}, 0},
			"RKDA, joint": {99.03, 0.76, []float64{.210, .083, .071, .222, .128, .078, 0, 0, 0, .085}, 0},
		}},
		{"segment, 4 classes", "segment", "segment", 0.6, 4, map[string]printedRow{
			"RKDA":        {97.02, 1.12, []float64{.372, .110, .117, .028, .310, .033, 0, 0, 0, .030}, 0},
			"RKDA, joint": {96.81, 1.26, []float64{.369, .075, .112, .031, .267, .033, 0, 0, 0, .027}, 0},
		}},
	}
}
