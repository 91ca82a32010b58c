// Package bigmkltest has what the tests of several packages under tests share: trainings that leave
// nothing behind, rows, banks of kernels, budgets that are just enough, interrupts, and decision
// values by their definition. BIGMKL_DATA names the folder of real data; a test that needs them is
// skipped without.
package bigmkltest
