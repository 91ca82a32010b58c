// Command bigmkl trains, applies and checks classifiers, regressors and other models of l_p-norm
// multiple kernel learning. Package command has all of it.
package main

import "bigmkl/cmd/bigmkl/command"

func main() { command.Main(command.Grace) }
