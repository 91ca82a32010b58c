package model

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Read reads a whole model file into memory. The error is of class fail.Input if the file cannot be
// read, and otherwise one of Decode. families names the families that the caller knows.
func Read(path string, families ...string) (*Model, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a directory")
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		b, err := readStream(f)
		if err != nil {
			return nil, unreadable(path, err)
		}
		return Decode(bytes.NewReader(b), int64(len(b)), path, families...)
	}
	return Decode(f, info.Size(), path, families...)
}

// readStream reads a model from a pipe, whose size is not known. It reads as much as the header
// announces and one byte more, which should not be there. If the header is none, it reads the start
// only.
func readStream(f io.Reader) ([]byte, error) {
	r := bufio.NewReaderSize(f, 8+maxHeader)
	most := int64(0)
	if start, err := r.Peek(8); err == nil {
		length := binary.LittleEndian.Uint64(start)
		if length > maxHeader {
			return start, nil
		}
		text, err := r.Peek(8 + int(length))
		if err != nil && err != io.EOF {
			return nil, err
		}
		if h, err := parseHeader(text[8:]); err == nil {
			for _, t := range h.tensors {
				most = max(most, t.Offsets[1])
			}
		}
		most += int64(len(text)) + 1
	}
	return io.ReadAll(io.LimitReader(r, max(most, 16)))
}

// Decode reads a model of size bytes from r. Errors name the file as given by name. They are of
// class fail.Version for a file of a newer release, of class fail.Input if r fails, and of class
// fail.Corrupt for anything else that is not a complete and consistent model.
//
// The caller names the families that it supports. A model of any other is an error of class
// fail.Version, because its decision function is not the one that Model describes.
func Decode(r io.Reader, size int64, name string, families ...string) (*Model, error) {
	return decodeFrom(r, size, name, nil, families)
}

// decodeFrom does the work of Decode. If the file is in memory, the support vectors stay there.
func decodeFrom(r io.Reader, size int64, name string, memory []byte,
	families []string) (*Model, error) {
	m, err := decode(bufio.NewReaderSize(&source{r, name}, 1<<16), size, memory)
	if err == nil {
		err = m.Family.checkKnown(families)
	}
	if err == nil {
		err = m.Validate()
	}
	if err == nil {
		return m, nil
	}
	var e *fail.Error
	if !errors.As(err, &e) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file is shorter than it says")
		}
		e = fail.New(fail.Corrupt, "not a sound model: %w", err)
	}
	return nil, e.At(name, 0, 0)
}

// source marks the errors of reading, so they differ from faults in what is read.
type source struct {
	r    io.Reader
	name string
}

var _ io.Reader = (*source)(nil)

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = unreadable(s.name, err)
	}
	return n, err
}

func decode(r io.Reader, size int64, memory []byte) (*Model, error) {
	sum := sha256.New()
	var length [8]byte
	if size < int64(len(length)) {
		return nil, fmt.Errorf("the file is truncated: it has %d bytes", size)
	}
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader {
		return nil, errors.New("this is no model file, or its first bytes are damaged")
	}
	if int64(n) > size-int64(len(length)) {
		return nil, fmt.Errorf("this is no model file, or it is truncated: it has %d bytes, and its "+
			"header alone would have %d", size, n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	digest, version, err := cutDigest(text)
	if err != nil {
		return nil, err
	}
	sum.Write(length[:])
	sum.Write(text) // The digits of the digest are zeros now.
	h, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	names, err := checkTensors(h.tensors, size-int64(len(length))-int64(n))
	if err != nil {
		return nil, err
	}
	m := &Model{}
	if memory != nil {
		memory = memory[len(length)+int(n):]
	}
	if err := h.readBody(m, io.TeeReader(r, sum), names, memory); err != nil {
		return nil, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != digest {
		return nil, errors.New("the checksum does not match: the file is damaged")
	}
	if needed := newSections(nil).since(m); version != needed {
		return nil, fmt.Errorf("format version %d of a model that takes version %d", version, needed)
	}
	switch _, err := io.ReadFull(r, length[:1]); err {
	case io.EOF:
		return m, nil
	case nil:
		return nil, errors.New("bytes after the end")
	default:
		return nil, err
	}
}

// cutDigest checks format and version. It takes the digest out of the text of the header, leaves
// zeros in its place, and returns the digest and the version.
func cutDigest(text []byte) (digest string, v int, err error) {
	rest, ok := bytes.CutPrefix(text, []byte(prefix))
	version, rest, found := bytes.Cut(rest, []byte(`"`))
	if !ok || !found {
		return "", 0, errors.New("this is no model file, or its header is damaged")
	}
	major, _, _ := strings.Cut(string(version), ".")
	v, err = strconv.Atoi(major)
	if err != nil || v < 1 {
		return "", 0, fmt.Errorf("there is no format version %s", clip(string(version)))
	}
	if v > formatVersion {
		return "", 0, fail.New(fail.Version, "the file has format version %s, this release "+
			"reads up to %d", clip(string(version)), formatVersion).
			WithHint("it needs a release that reads version %d", v)
	}
	rest, ok = bytes.CutPrefix(rest, []byte(prefixDigest[1:]))
	if !ok || len(rest) < 2*sha256.Size {
		return "", 0, errors.New("the checksum is missing")
	}
	digits := rest[:2*sha256.Size]
	digest = string(digits)
	for i := range digits {
		digits[i] = '0'
	}
	return digest, v, nil
}

// header is the parsed JSON header.
type header struct {
	settings string
	tensors  map[string]tensor
}

func parseHeader(text []byte) (*header, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("the header is no JSON: %s", fail.Decoding(err))
	}
	var meta map[string]string
	if err := json.Unmarshal(raw["__metadata__"], &meta); err != nil {
		return nil, fmt.Errorf("the metadata is damaged: %s", fail.Decoding(err))
	}
	delete(raw, "__metadata__")
	h := &header{settings: meta["model"], tensors: map[string]tensor{}}
	for name, r := range raw {
		var t tensor
		if err := json.Unmarshal(r, &t); err != nil {
			return nil, fmt.Errorf("tensor %s: %s", clip(name), fail.Decoding(err))
		}
		h.tensors[name] = t
	}
	return h, nil
}

// readBody reads the tensors in the order of the file, and then the settings, which may be one of
// them. Support vectors stay in memory if the file is there.
func (h *header) readBody(m *Model, r io.Reader, names []string, memory []byte) error {
	var text []byte
	parts := newSections(names)
	fields := map[string]field{}
	for _, f := range parts.fields(m, &text) {
		fields[f.name] = f
	}
	for _, name := range names {
		n := int64(1)
		for _, d := range h.tensors[name].Shape {
			n *= d
		}
		f := fields[name]
		t := h.tensors[name]
		if memory != nil && kindOf(name).vectors && f.view(memory[t.Offsets[0]:t.Offsets[1]]) {
			// The checksum needs these bytes.
			if _, err := io.CopyN(io.Discard, r, t.Offsets[1]-t.Offsets[0]); err != nil {
				return err
			}
			continue
		}
		if err := f.read(r, n); err != nil {
			return err
		}
	}
	if h.settings != "" {
		if text != nil {
			return errors.New("the settings are there twice")
		}
		text = []byte(h.settings)
	}
	if err := new(settings).apply(m, text); err != nil {
		return fmt.Errorf("the settings are damaged: %w", err)
	}
	return parts.join(m, h)
}
