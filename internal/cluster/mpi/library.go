//go:build mpi && linux

package mpi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"bigmkl/internal/fail"
)

// names are the files of the libraries that are known, those of Open MPI first and those with the common
// binary interface of MPI 5 last.
var names = []string{"libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi.so", "libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"}

// libraryVariable names the file of the library of MPI, where it is none of these or another one is wanted.
const libraryVariable = "BIGMKL_MPI"

// library is the functions of MPI that are used, and the handles that they take. Each returns 0 if it
// has succeeded.
type library struct {
	version string // the version that the library reports

	world, bytes, noStatus uintptr
	errorsReturn           uintptr // what makes functions return errors, in place of ending the process
	serialized             int32   // the level at which any thread may call, one at a time

	init     func(argc, argv uintptr, level int32, provided *int32) int32
	finalize func() int32
	abort    func(world uintptr, code int32) int32
	handle   func(world, handler uintptr) int32
	rank     func(world uintptr, rank *int32) int32
	size     func(world uintptr, size *int32) int32
	// These begin an operation, and test reports whether it has ended.
	bcast func(buffer unsafe.Pointer, count int32, of uintptr, root int32, world uintptr, request *request) int32
	send  func(buffer unsafe.Pointer, count int32, of uintptr, to, tag int32, world uintptr, request *request) int32
	recv  func(buffer unsafe.Pointer, count int32, of uintptr, from, tag int32, world uintptr, request *request) int32
	test  func(request *request, ended *int32, status uintptr) int32
	wait  func(request *request, status uintptr) int32
}

// request is an operation that goes on: a pointer or a number of 4 bytes, as the library has it.
type request uintptr

// load opens the library of MPI. Where several are installed it opens the launcher's.
func load() (*library, error) {
	list := names
	if os.Getenv("OMPI_COMM_WORLD_SIZE") == "" && os.Getenv("PMI_RANK") != "" {
		list = append([]string{"libmpich.so.12", "libmpi.so.12"}, names...) // a launcher of MPICH
	}
	if name := os.Getenv(libraryVariable); name != "" {
		list = []string{name}
	}
	var reasons []string
	for _, name := range list {
		// Open MPI opens parts of itself, which have to find its symbols.
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		return bind(handle, strings.HasPrefix(filepath.Base(name), "libmpi_abi."))
	}
	return nil, fail.New(fail.Budget, "no library of MPI can be opened: %s",
		strings.Join(reasons, "; ")).
		WithHint("Debian has Open MPI in openmpi-bin and MPICH in mpich; " +
			"LD_LIBRARY_PATH names other folders, and " + libraryVariable + " a file")
}

// bind finds the functions and handles of an open library. common means that it has the binary interface of
// MPI 5, whoever made it.
func bind(handle uintptr, common bool) (*library, error) {
	l := &library{}
	var version func(text *byte, length *int32) int32
	for name, function := range map[string]any{
		"MPI_Get_library_version": &version, "MPI_Init_thread": &l.init, "MPI_Finalize": &l.finalize,
		"MPI_Abort": &l.abort, "MPI_Comm_set_errhandler": &l.handle, "MPI_Comm_rank": &l.rank, "MPI_Comm_size": &l.size,
		"MPI_Ibcast": &l.bcast, "MPI_Isend": &l.send, "MPI_Irecv": &l.recv, "MPI_Test": &l.test, "MPI_Wait": &l.wait,
	} {
		at, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("the library of MPI has no %s: %w", name, err)
		}
		purego.RegisterFunc(function, at)
	}
	text, length := make([]byte, 1<<16), int32(0)
	version(&text[0], &length)
	l.version, _, _ = strings.Cut(string(text[:min(int(length), len(text))]), "\n")
	l.version = strings.TrimRight(l.version, "\x00")
	switch {
	case common:
		// These are numbers in mpi.h of MPI 5.
		l.world, l.bytes, l.noStatus, l.errorsReturn, l.serialized = 0x101, 0x247, 0, 0x142, 2048
		return l, nil
	case strings.Contains(l.version, "Open MPI"):
		var err error
		l.serialized = 2
		if l.world, err = purego.Dlsym(handle, "ompi_mpi_comm_world"); err == nil {
			l.bytes, err = purego.Dlsym(handle, "ompi_mpi_byte")
		}
		if err == nil {
			l.errorsReturn, err = purego.Dlsym(handle, "ompi_mpi_errors_return")
		}
		return l, err
	case strings.Contains(l.version, "MPICH"), strings.Contains(l.version, "Intel(R) MPI"):
		// These are numbers in mpi.h of all libraries with the interface of MPICH 3.1 and later.
		l.world, l.bytes, l.noStatus, l.errorsReturn, l.serialized = 0x44000000, 0x4c00010d, 1, 0x54000001, 2
		return l, nil
	}
	return nil, fail.New(fail.Budget, "a library of MPI that is not known: %s",
		fail.Quote(l.version)).
		WithHint("Open MPI 4 and 5, MPICH 3.1 and later, Intel MPI and libmpi_abi are")
}
