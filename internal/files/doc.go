// Package files is the only way in which the program reaches the file system, so tests can make
// any operation fail.
//
// Purpose. The functions and the type File correspond to those of package os that the program uses,
// and only call them. Reserve, Map, Space, Lock and CreateScratch add what os lacks. In tests,
// Inject installs an Injector, which sees each operation before it happens, may fail it, and may
// change what was read. OwnFault and InputFault are the only functions that give errors of the
// system their class.
//
// Invariants. An injected error looks like a real one, wrapped in an *fs.PathError or
// *fs.LinkError. A File is closed even if Close returns an error. No other package of the program
// opens, renames or removes files by itself; a test of this package reads their sources. Standard
// input and output are streams and not files.
//
// Concurrency. Functions may be called from any number of goroutines, as the functions of package
// os. There is one Injector for the process.
//
// Platforms. Files *_linux.go use what Linux alone has. Beside each, *_portable.go, or scratch_named.go,
// does the same with what every system has, and states what that costs. The build tag portable chooses
// these on Linux too, and lets Linux reject to remove open files as Windows does, so the tests of faults
// can run there.
//
// Memory. Nothing is allocated. Without an Injector an operation costs one atomic load.
//
// References. The file system of pebble (vfs/errorfs) inspired tests that fail one operation after
// the other. See also fallocate(2), flock(2) and statfs(2).
package files
