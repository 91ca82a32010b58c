package packed

import (
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset"
)

const (
	// Magic begins a packed store, and ends it.
	Magic = "bigmklPK"
	// version is the version of the files that are written, and the only one that is read.
	version = 1
	// headSize and footSize are the bytes before the first section and behind the table.
	headSize, footSize = 16, 40
	// align is the multiple of bytes at which sections begin. It is the size of a page, because
	// sections are mapped as arrays of numbers.
	align = 4096
	// blockBytes is the number of bytes of a section that have a checksum.
	blockBytes = 1 << 20
	// maxMeta bounds the bytes of the meta section, which names and categories of columns fill.
	maxMeta = 16 << 20
	// widePanel is the number of features beyond which rows are not read from panels, because a
	// panel has to be in memory then. The entries are in the file as well.
	widePanel = 1 << 16
)

// These are the names of the sections.
const (
	metaSection    = "meta"
	wordsSection   = "words"
	labelsSection  = "labels"
	targetsSection = "targets"
	meanSection    = "mean"
	panelsSection  = "panels"
	offsetSection  = "offset"
	indexSection   = "index"
	valueSection   = "value"
	exactSection   = "exact"
)

// meta is the meta section.
type meta struct {
	Rows     int   `json:"rows"`
	Features int   `json:"features"`
	Nonzeros int64 `json:"nonzeros"`
	// Words is the number of different labels.
	Words int `json:"words"`
	// Sequences is the alphabet if the rows are sequences.
	Sequences dataset.Alphabet `json:"sequences,omitempty"`
	Columns   *dataset.Columns `json:"columns,omitempty"`
	Views     []dataset.View   `json:"views,omitempty"`
	// Digest is the state of datahash.Hasher behind the last row.
	Digest []byte `json:"digest"`
}

// section is a part of a file.
type section struct {
	name           string
	offset, length int64
	// sums holds the xxhash64 of each block.
	sums []uint64
}

// blocks returns the number of blocks of so many bytes.
func blocks(length int64) int64 {
	return length/blockBytes + min(1, length%blockBytes)
}

// lengths returns the length that each section has by the sizes of the meta section, or -1 if it
// reports nothing about the section.
func (m *meta) length(name string) int64 {
	switch name {
	case labelsSection:
		return 4 * int64(m.Rows)
	case targetsSection:
		return 8 * int64(m.Rows)
	case meanSection:
		return 4 * int64(m.Features)
	case panelsSection:
		panels := (int64(m.Rows) + dataset.PanelWidth - 1) / dataset.PanelWidth
		panel := 4 * dataset.PanelWidth * int64(m.Features)
		if panel > 0 && panels > math.MaxInt64/panel {
			return math.MaxInt64
		}
		return panels * panel
	case offsetSection:
		return 8 * (int64(m.Rows) + 1)
	case indexSection, valueSection:
		return 4 * m.Nonzeros
	case exactSection:
		return 8 * m.Nonzeros
	}
	return -1
}

// readable reports whether rows of so many features are read from panels if there are no entries.
// Rows without features take no bytes there, so a file could claim any number of them.
func readable(features int) bool { return features > 0 && features <= widePanel }

// appendTable appends the table of the sections.
func appendTable(b []byte, sections []section) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(sections)))
	for _, s := range sections {
		var name [8]byte
		copy(name[:], s.name)
		b = append(b, name[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.offset))
		b = binary.LittleEndian.AppendUint64(b, uint64(s.length))
		for _, sum := range s.sums {
			b = binary.LittleEndian.AppendUint64(b, sum)
		}
	}
	return b
}

// head returns the first bytes of a file.
func head() []byte {
	return binary.LittleEndian.AppendUint64([]byte(Magic), version)
}

// foot returns the last bytes of a file whose table begins at an offset.
func foot(table []byte, offset int64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(offset))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(table)))
	b = binary.LittleEndian.AppendUint64(b, uint64(offset+int64(len(table))+footSize))
	b = binary.LittleEndian.AppendUint64(b, sumOf(head(), table, b))
	return append(b, Magic...)
}

// sumOf returns the checksum of first bytes, table and numbers of the end.
func sumOf(head, table, numbers []byte) uint64 {
	d := xxhash.New()
	d.Write(head)
	d.Write(table)
	d.Write(numbers)
	return d.Sum64()
}
