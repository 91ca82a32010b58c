// Package files is the only way in which the program touches a file system, so that tests can make any operation fail.
//
// Purpose. The functions and the type File are those of package os that the program uses, no more, and do nothing but
// call them; with Reserve, Free, Map, Space and Lock come the system calls that os lacks. In tests Inject puts an Injector in between,
// which sees each operation before it happens, may fail it, and may change what was read. OwnFault and InputFault are
// the one place where errors of the system get their class.
//
// Invariants. An injected error looks like a real one: an *fs.PathError or *fs.LinkError around it. A File is closed
// even if Close reports an error. No other package of the program opens, renames or removes files by itself; a test
// here reads their sources. Standard input and output are streams, not files.
//
// Concurrency. As package os: functions from any number of goroutines. There is one Injector for the process.
//
// Memory. None; without an Injector an operation costs one atomic load.
//
// References: the file system of pebble (vfs/errorfs) for tests that fail one operation after the other; fallocate(2),
// flock(2), statfs(2).
package files
