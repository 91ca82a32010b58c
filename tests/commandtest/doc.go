// Package commandtest has what the tests of the command share: command lines that are run within the
// process or as processes of their own, folders that must hold no more than what a command writes,
// rows, and checks of what is printed. A package of tests registers the command in its TestMain. So
// package command can use this package in tests as well.
package commandtest
