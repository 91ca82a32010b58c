package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"bigmkl/dataset"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Write writes the model to a file. The file appears under its name complete or, on failure or if
// ctx ends, not at all.
func Write(ctx context.Context, path string, m *Model) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := Encode(ctx, f, m); err != nil {
		return err
	}
	return f.Commit()
}

// Encode writes the model to w. Equal models give equal bytes. A model that Validate rejects is not
// written. If ctx ends, w is left with part of the model.
func Encode(ctx context.Context, w io.Writer, m *Model) error {
	if err := m.Validate(); err != nil {
		return err
	}
	var text []byte
	list := newSections(nil)
	fields := list.fields(m, &text)
	head, err := list.header(m, &text, fields)
	if err != nil {
		return fail.New(fail.Corrupt, "cannot encode the model: %w", err)
	}
	// The digest stands before the bytes that it covers, so the body is converted twice instead of
	// being kept.
	sum := sha256.New()
	sum.Write(head)
	if err := writeBody(files.Until(ctx, sum), fields); err != nil {
		return err
	}
	hex.Encode(head[digestAt:], sum.Sum(nil))
	if _, err := w.Write(head); err != nil {
		return err
	}
	return writeBody(files.Until(ctx, w), fields)
}

// CheckText reports, before training begins, whether a model file can hold the specifications and
// views. If it cannot, the error is of class fail.Usage.
func CheckText(kernels []string, views []dataset.View) error {
	size := 1 << 16 // This allows for everything else.
	for _, k := range kernels {
		size += len(k) + len(`"",`)
	}
	for _, v := range views {
		size += len(v.Name) + len(`{"name":"","first":2147483647,"last":2147483647},`)
	}
	if size > maxSettings || len(views) > dataset.MaxViews {
		return fail.New(fail.Usage, "%d kernel specifications and %d views are more than a "+
			"model file holds", len(kernels), len(views)).
			WithHint("ranges and @each-view stand for many kernels")
	}
	return nil
}

func writeBody(w io.Writer, fields []field) error {
	for i := range fields {
		if _, ok := fields[i].length(); ok {
			if err := fields[i].write(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// header returns the first bytes of the file, with the length of the header and with zeros for
// the digest. It stores settings that are too long for the header in text.
func (list sections) header(m *Model, text *[]byte, fields []field) ([]byte, error) {
	s, err := SettingsText(m)
	if err != nil {
		return nil, err
	}
	if len(s) > maxSettings {
		return nil, fmt.Errorf("%d bytes of kernels and views, and %d are the limit", len(s),
			maxSettings)
	}
	if len(s) > maxInline {
		*text, s = s, nil
	}
	quoted, err := encodeJSON(string(s))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(make([]byte, 8))
	fmt.Fprintf(&b, `%s%d%s%064d","model":%s}`, prefix, list.since(m), prefixDigest, 0, quoted)
	at := int64(0)
	for _, f := range fields {
		n, ok := f.length()
		if !ok {
			continue
		}
		t := tensor{Shape: f.shape(n)}
		t.Dtype = kindOf(f.name).dtype
		t.Offsets = [2]int64{at, at + n*dtypeSize[t.Dtype]}
		at = t.Offsets[1]
		entry, err := encodeJSON(t)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,"%s":%s`, f.name, entry)
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	head := b.Bytes()
	binary.LittleEndian.PutUint64(head, uint64(len(head)-8))
	return head, nil
}
