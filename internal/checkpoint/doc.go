// Package checkpoint keeps the state of a run in a folder, so a killed run can continue.
//
// Purpose. A Folder holds up to two checkpoints, the last one and the one before. Each is a file of
// named sections of bytes, whose meaning only their writer knows. A checkpoint is written beside
// the others and synced, then renamed, and then its name is synced, all before anything older is
// removed. So the folder always holds the last complete checkpoint.
//
// Invariants. One process has a folder open at a time. It holds an flock on the file "lock", which
// ends with the process, however that ends. A section is returned only if its checksum is right.
// Sizes are compared with the size of the file before anything is allocated.
//
// Format, little-endian. The head is the eight bytes "bigmklcp", a version (uint32), the number of
// sections (uint32), the size of the file (uint64), and the xxhash64 of these 24 bytes. A section
// is its name, padded with zeros to 24 bytes, the length of its contents (uint64), the xxhash64 of
// these 32 bytes, the contents, and the xxhash64 of the contents. A file in which any byte was
// changed, removed or added is rejected.
//
// Concurrency. A Folder and a Reader belong to one goroutine.
//
// Memory. Contents are written from the memory of the caller and read into it.
package checkpoint
