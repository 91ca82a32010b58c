package model

// Worst returns the certificate with the largest gap, and its classifier.
func (m *Model) Worst() (Certificate, int) { return m.Convergence().Worst() }

// Converged reports whether the gap that was asked for was reached.
func (m *Model) Converged() bool { return m.Convergence().Reached() }

// Doubt returns a sentence about a model that has not converged.
func (m *Model) Doubt() string { return m.Convergence().Doubt() }

// Trained reports whether a step was taken for classifier k.
func (m *Model) Trained(k int) bool { return m.Convergence().Trained(k) }

// Untrained counts the classifiers for which no step was taken.
func (m *Model) Untrained() int { return m.Convergence().Untrained() }

// Together returns the norm of each kernel over all classifiers.
func Together(m *Model) []float64 { return m.SharedNorms() }
