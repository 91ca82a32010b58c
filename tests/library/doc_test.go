// Package library tests what users of the library call: trainings of rows that keep coming,
// predictions, errors and warnings.
package library

import "bigmkl/tests/bigmkltest"

func init() { bigmkltest.CollectRarely() }
