// Command exported counts the exported names of the packages that other modules can import: constants, variables,
// functions and types, and the methods of exported types. It prints them by package, and their sum.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

func main() {
	counts, err := count(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "exported:", err)
		os.Exit(1)
	}
	sum := 0
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%5d  %s\n", counts[folder], folder)
		sum += counts[folder]
	}
	fmt.Printf("%5d  in %d packages\n", sum, len(counts))
}
