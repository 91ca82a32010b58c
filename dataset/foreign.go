package dataset

import (
	"bytes"

	"bigmkl/internal/fail"
)

// foreignFormat is a format of files that is recognised by its first bytes and not read.
type foreignFormat struct {
	magic string
	// at is the place of the magic bytes.
	at int
	// is completes the sentence "the file ..", and hint states how to come to text.
	is, hint string
}

// foreign lists the formats that people hand over for text most often. No text that is read begins
// with any of these bytes. The magic of bzip2 is the magic of its first block, because three
// letters and a digit could be a label.
var foreign = []foreignFormat{
	{"\xfd7zXZ\x00", 0, "is compressed by xz", "xz -dc FILE | bigmkl .. -, or use gzip or zstd"},
	{"1AY&SY", 4, "is compressed by bzip2", "bzip2 -dc FILE | bigmkl .. -, or use gzip or zstd"},
	{"PK\x03\x04", 0, "is a zip archive", "unzip -p FILE | bigmkl .. -, or use gzip or zstd"},
	{"7z\xbc\xaf\x27\x1c", 0, "is a 7z archive", "7z x -so FILE | bigmkl .. -, or use gzip or zstd"},
	{"\x04\x22\x4d\x18", 0, "is compressed by lz4", "lz4 -dc FILE | bigmkl .. -, or use gzip or zstd"},
	{"\x1f\x9d", 0, "is compressed by compress", "zcat FILE | bigmkl .. -, or use gzip or zstd"},
	{"bigmklPK", 0, "is a packed store", "give it as a file, and alone"},
	{"\xff\xfe", 0, utf16, "iconv -f UTF-16 -t UTF-8 FILE | bigmkl .. -"},
	{"\xfe\xff", 0, utf16, "iconv -f UTF-16 -t UTF-8 FILE | bigmkl .. -"},
	{"PAR1", 0, "is in Parquet", "give it as a file of its own and not by a pipe"},
	{"ARROW1", 0, "is in the file format of Arrow", "give it as a file of its own and not by a pipe"},
	{"\xff\xff\xff\xff", 0, "is a stream of Arrow", "give it as a file of its own, or as standard input: bigmkl .. -"},
	{"\x89HDF\r\n\x1a\n", 0, "is in HDF5", "write it as text, LABEL INDEX:VALUE .."},
}

const utf16 = "is text in UTF-16"

// longestMagic is the number of bytes that have to be looked at.
const longestMagic = 10

// rejectForeign returns an error of class fail.Input if a stream begins like a format that is not
// read, and nil otherwise.
func rejectForeign(start []byte, name string) error {
	for _, f := range foreign {
		// A mark of UTF-16 alone may be a label in no encoding at all.
		if f.is == utf16 && !bytes.ContainsRune(start, 0) {
			continue
		}
		if len(start) > f.at && bytes.HasPrefix(start[f.at:], []byte(f.magic)) {
			return fail.New(fail.Input, "the file %s, which is not read", f.is).At(name, 0, 0).
				WithHint("%s", f.hint)
		}
	}
	return nil
}
