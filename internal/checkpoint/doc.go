// Package checkpoint keeps the state of a run in a folder, so that a run that was killed goes on where it was.
//
// Purpose. A Folder holds up to two checkpoints, the last and the one before. Each is a file of named sections of bytes; what
// they mean is the business of who writes them. A checkpoint is written beside the others, synced, renamed and its name synced
// before anything older is removed: at every moment the folder holds the last whole one.
//
// Invariants. One process has a folder open at a time: it holds an flock on the file "lock", which ends with the process,
// however that ends. A section is handed out only if its checksum is right. Nothing is allocated on the word of a file: sizes
// are compared with the size of the file first.
//
// Format, little-endian. Head: the eight bytes "bigmklcp", a version (uint32), the number of sections (uint32), the size of
// the file (uint64), the xxhash64 of these 24 bytes. A section: its name, padded with zeros to 24 bytes, the length of its
// contents (uint64), the xxhash64 of these 32 bytes, the contents, the xxhash64 of the contents. Any byte that changes, is
// missing or is added makes the file one that is refused.
//
// Concurrency. A Folder and a Reader belong to one goroutine.
//
// Memory. Contents are written from, and read into, the memory of the caller.
package checkpoint
