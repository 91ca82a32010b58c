// Package packed writes and reads packed stores (.pack): rows that were read once and are mapped
// from then on.
//
// Purpose. A training that does not scale its rows works with points of float32 in panels, or with
// their non-zeros. A packed store holds just these, so a training maps them and begins at once.
// Values that are not a float32 are held as float64 as well, so every other use of the rows, such
// as scaling them, gives the numbers of the file that was packed, to the bit.
//
// Format. All numbers are little-endian.
//
//	offset  bytes
//	0       8      magic "bigmklPK"
//	8       8      version, 1
//	16      ..     sections, each at a multiple of 4096 bytes
//	..      ..     table: for each section its name (8 bytes), offset and length, and an xxhash64
//	               for each MiB of it
//	end-40  8      offset of the table
//	end-32  8      length of the table
//	end-24  8      length of the file
//	end-16  8      xxhash64 of the first 16 bytes, the table, and the three numbers before
//	end-8   8      magic again
//
// The table is at the end, so a file can be written to a pipe. These are the sections:
//
//	meta    a JSON object: sizes, kind of labels, alphabet, columns, views, digest of the rows
//	words   the different labels, each with its length in 4 bytes before it
//	labels  an int32 for each row: its place in words, or -1
//	targets a float64 for each row, in place of words and labels; NaN if there is none
//	mean    the mean of each feature, as float32
//	panels  the points as float32 in panels of 32, or else
//	offset  an int64 for each row and one more: where its entries begin
//	index   an int32 for each entry: its feature
//	value   a float32 for each entry, if the points are stored as their non-zeros
//	exact   a float64 for each entry, where float32 does not suffice
//
// Invariants. Whatever the bytes are, rows have ascending indices and finite values. Open compares
// the length of the file and the checksum of the table, and checks that the sections have the
// lengths that the sizes ask for, before it allocates anything by them. A source of rows compares
// the checksum of each MiB before it uses it. Points that are mapped are checked beside their use,
// offsets and indices beforehand. Damage is of class fail.Corrupt, and a version that is not known
// of class fail.Version. The checksums do not detect a file that was made to mislead: such a file
// may hold other numbers than its digest states, and nothing worse.
//
// Memory. A source takes a MiB for each section that it reads, and a panel of 32 rows.
//
// Concurrency. A Source belongs to one goroutine.
package packed
