/* A library with the binary interface of MPI 5 over Open MPI, for a test: it takes the handles of that interface
 * alone, and ends the process where it is given another one. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *found(void *at)
{
	if (!at) {
		fprintf(stderr, "%s\n", dlerror());
		exit(99);
	}
	return at;
}

/* real is a function or a handle of Open MPI. */
static void *real(const char *name)
{
	static void *library;
	if (!library)
		library = found(dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL));
	return found(dlsym(library, name));
}

/* handle is what Open MPI has for a handle that has to be the wanted one. */
static void *handle(intptr_t given, intptr_t wanted, const char *name)
{
	if (given != wanted) {
		fprintf(stderr, "%#lx is not the handle that stands for %s\n", (long)given, name);
		exit(99);
	}
	return real(name);
}

#define WORLD(w) handle(w, 0x101, "ompi_mpi_comm_world")
#define BYTE(b) handle(b, 0x247, "ompi_mpi_byte")

/* ignored checks that a status is MPI_STATUS_IGNORE, which is 0 in both. */
static void *ignored(intptr_t status)
{
	if (status != 0) {
		fprintf(stderr, "%#lx is not MPI_STATUS_IGNORE\n", (long)status);
		exit(99);
	}
	return 0;
}

int MPI_Get_library_version(char *text, int *n) { return ((int (*)(char *, int *))real("MPI_Get_library_version"))(text, n); }
int MPI_Init_thread(int *n, char ***list, int level, int *provided)
{
	/* Levels are 0, 1024, 2048 and 4096, and 0 to 3 of Open MPI. */
	static const int levels[] = {0, 1024, 2048, 4096};
	int at = 0, code;
	while (at < 3 && levels[at] < level)
		at++;
	code = ((int (*)(int *, char ***, int, int *))real("MPI_Init_thread"))(n, list, at, &at);
	*provided = levels[at];
	return code;
}
int MPI_Finalize(void) { return ((int (*)(void))real("MPI_Finalize"))(); }
int MPI_Abort(intptr_t w, int code) { return ((int (*)(void *, int))real("MPI_Abort"))(WORLD(w), code); }
int MPI_Comm_rank(intptr_t w, int *x) { return ((int (*)(void *, int *))real("MPI_Comm_rank"))(WORLD(w), x); }
int MPI_Comm_size(intptr_t w, int *x) { return ((int (*)(void *, int *))real("MPI_Comm_size"))(WORLD(w), x); }
int MPI_Comm_set_errhandler(intptr_t w, intptr_t h)
{
	return ((int (*)(void *, void *))real("MPI_Comm_set_errhandler"))(WORLD(w), handle(h, 0x142, "ompi_mpi_errors_return"));
}
int MPI_Ibcast(void *at, int n, intptr_t b, int root, intptr_t w, void **r)
{
	return ((int (*)(void *, int, void *, int, void *, void **))real("MPI_Ibcast"))(at, n, BYTE(b), root, WORLD(w), r);
}
int MPI_Isend(void *at, int n, intptr_t b, int to, int tag, intptr_t w, void **r)
{
	return ((int (*)(void *, int, void *, int, int, void *, void **))real("MPI_Isend"))(at, n, BYTE(b), to, tag, WORLD(w), r);
}
int MPI_Irecv(void *at, int n, intptr_t b, int from, int tag, intptr_t w, void **r)
{
	return ((int (*)(void *, int, void *, int, int, void *, void **))real("MPI_Irecv"))(at, n, BYTE(b), from, tag, WORLD(w), r);
}
int MPI_Test(void **r, int *ended, intptr_t status)
{
	return ((int (*)(void **, int *, void *))real("MPI_Test"))(r, ended, ignored(status));
}
int MPI_Wait(void **r, intptr_t status) { return ((int (*)(void **, void *))real("MPI_Wait"))(r, ignored(status)); }
