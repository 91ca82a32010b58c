package harness

import "bigmkl"

// recordedMKL is a training of SHOGUN. Figures of other programs were recorded in November 2026 on
// a virtual machine with two processors (AMD EPYC, Zen 5), 24 GB and Debian 12. They are printed
// beside measurements where a program is not installed or cannot be installed by one command.
// Dual is the dual value, which shows whether both programs solve the same problem.
type recordedMKL struct {
	Points int
	// Norm is the block norm. SHOGUN calls p = 4/3 the norm 2, which is the norm of the weights.
	Norm    string
	Seconds float64
	Gap     float64
	Dual    float64
	memory  int64 // The unit is MB.
}

// SHOGUN lists the recorded trainings of SHOGUN 4.0.0 on MNIST.
var SHOGUN = []recordedMKL{
	{1000, "4/3", 4.3, 3.9e-3, 40.02699, 191},
	{2000, "4/3", 18.2, 4.0e-3, 65.60393, 584},
	{4000, "4/3", 91.8, 4.7e-3, 101.6482474, 1862},
	{8000, "4/3", 413.5, 4.8e-3, 161.37142, 5941},
	{2000, "1", 17.6, 4.2e-3, 281.40636, 617},
}

// SHOGUNGap is the gap at which bigmkl is compared with SHOGUN. SHOGUN stops by a criterion of its own.
// The gaps of its recorded solutions lie between 3.9e-3 and 4.8e-3.
const SHOGUNGap = 4.5e-3

// RecordedSVM is a training by svm-train of LIBSVM 3.24 (-t 2 -m 4000 -e 0.001) on one thread. Its
// seconds are wall clock from start to end.
type RecordedSVM struct {
	Set string
	// Points is 0 if all points are used.
	Points  int
	Gamma   string
	C       float64
	Seconds float64
	// Objective is minus the dual, as LIBSVM prints it.
	Objective float64
	// Support counts support vectors, and Bounded the vectors at the bound C.
	Support int
	Bounded int
	Memory  int64 // The unit is MB.
}

// LIBSVM lists the recorded trainings of LIBSVM.
var LIBSVM = []RecordedSVM{
	{"a9a", 0, "1/123", 1, 31.3, -11596.354818, 11958, 11836, 1685},
	{"w8a", 0, "0.05", 1, 10.9, -1648.508182, 3238, 1701, 752},
	{"ijcnn1", 0, "2", 8, 6.7, -20281.502656, 3571, 2745, 854},
	{"mnist", 10000, "0.02", 10, 15.1, -1200.028595, 2222, 1, 120},
	{"mnist", 0, "0.02", 10, 328.0, -4922.047210, 6707, 37, 1999},
}

// SingleKernelTraining returns the training that a recorded training of LIBSVM is compared with. The
// kernel is not normalised and features of MNIST are scaled by one factor, as for the recorded
// programs. The second value is false if the data set is absent.
func SingleKernelTraining(s *Session, theirs RecordedSVM) (Training, bool) {
	d, there := s.Data.Find(theirs.Set, "")
	// With one kernel p = 2 leaves its weight at 1.
	u := Training{Data: d, Norm: "2", Options: bigmkl.Options{
		Kernels: "gauss:" + theirs.Gamma, C: theirs.C, Gap: 1e-3, Limit: theirs.Points,
		Normalize: "none",
	}}
	if theirs.Set == "mnist" {
		u.Options.Positive, u.Options.Scale = EvenDigits, "global"
	}
	if t, ok := s.Data.Find(theirs.Set, "t"); ok {
		u.Test = &t
	}
	return u, there
}
