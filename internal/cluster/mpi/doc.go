// Package mpi is the exchange between ranks by MPI, which has launched them: a cluster.Collective
// over the library that mpirun belongs to, found when the program runs. It is behind the build tag
// mpi, so the ordinary program stays static and without it, and needs no C compiler.
//
// Open MPI 4 and 5 and MPICH are told apart by the version that the library reports: their handles for
// all processes and for bytes are not the same. The handles of the binary interface of MPI 5 are taken
// where the file reports this. One call is made at a time, on one thread where the library does not allow
// others to call.
package mpi
