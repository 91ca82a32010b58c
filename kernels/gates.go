package kernels

// Localized multiple kernel learning gives a kernel another weight at every point. With the gates
// eta_m kernel m becomes
//
//	eta_m(x) k_m(x, z) eta_m(z)                                      (Gönen 2010, eq. 3.9),
//
// which is positive semi-definite wherever k_m is, whatever the gates are. A gate is thus a factor
// for each kernel and point, as the spherical normalisation is (eq. 3.7 of Kloft 2011), and values
// are multiplied by both where they are added up. Bases contain neither, and cached rows are bases:
// gates that have moved need gradients that are computed again (gradient.Rebuild), and no row that
// is in the cache.

// Gates are weights of kernels that depend on the point.
type Gates interface {
	// Gate puts eta_m of the points with the given numbers in eta, for the kernel with the number
	// m = kernel. The values are finite and may have either sign; 0 closes the kernel at the point,
	// and 1 leaves it as it is. Several goroutines call it at once. Values may change between
	// methods of a gradient.Gradient, if the next one is Rebuild.
	Gate(kernel int32, points []int32, eta []float64)
}
