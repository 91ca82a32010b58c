package dataset

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// TestForeignFormatsAreNamed: a format other than text is named, also in the words of the tools that write it, and text is not.
func TestForeignFormatsAreNamed(t *testing.T) {
	read := func(text string) error {
		r := NewReader(strings.NewReader(text), "in", ReadOptions{})
		defer r.Close()
		_, err := r.Next()
		return err
	}
	const utf16 = "1\x00 \x001\x00:\x001\x00\n\x00"
	for name, text := range map[string]string{
		"xz": "\xfd7zXZ\x00\x00\x04", "bzip2": "BZh91AY&SY\x00", "zip": "PK\x03\x04\x14\x00", "7z": "7z\xbc\xaf\x27\x1c\x00", "lz4": "\x04\x22\x4d\x18d", "compress": "\x1f\x9d\x90", "UTF-16": "\xff\xfe" + utf16,
		"Parquet": "PAR1\x15", "Arrow": "ARROW1\x00\x00", "a stream of Arrow": "\xff\xff\xff\xff\x80\x00", "HDF5": "\x89HDF\r\n\x1a\n\x00",
	} {
		if err := read(text); !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), name+", which is not read (") && !strings.Contains(err.Error(), name+" archive, which is not read (") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, tool := range []string{"xz", "bzip2", "lz4"} {
		c := exec.Command(tool, "-c")
		c.Stdin = strings.NewReader("1 1:1\n-1 1:2\n")
		out, err := c.Output()
		if err != nil {
			continue // The tool is not there.
		}
		if err := read(string(out)); err == nil || !strings.Contains(err.Error(), "is compressed by "+tool) {
			t.Errorf("%s: %v", tool, err)
		}
	}
	for _, text := range []string{"BZh9 1:1\n", "PK 1:1\n", "7z 1:1\n", "PAR 1:1\n", "1 1:1"} {
		if err := read(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
