package dataset

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"bigmkl/internal/fail"
)

func readBytes(b []byte, o ReadOptions) ([]Row, error) {
	return readAll(NewReader(bytes.NewReader(b), "in", o))
}

func TestCompressed(t *testing.T) {
	text := benchText("fractions")[:200_000]
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	want := mustParse(t, string(text))
	half := string(text[:len(want)/2])
	skippable := append([]byte{0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0}, "abc"...)
	for name, data := range map[string][]byte{
		"gzip": gzipped(string(text)), "zstd": zstded(string(text)),
		"gzip members":   append(append(gzipped(half), gzipped("")...), gzipped(string(text[len(half):]))...),
		"zstd frames":    append(zstded(half), zstded(string(text[len(half):]))...),
		"zstd skippable": append(skippable, zstded(string(text))...),
	} {
		rows, err := readBytes(data, ReadOptions{})
		if err != nil || !sameRows(rows, want) || !samePlaces(rows, want) {
			t.Errorf("%s: %d rows of %d, %v", name, len(rows), len(want), err)
		}
		rows, err = readAll(NewReader(iotest.OneByteReader(bytes.NewReader(data)), "in", ReadOptions{}))
		if err != nil || !sameRows(rows, want) {
			t.Errorf("%s by bytes: %d rows of %d, %v", name, len(rows), len(want), err)
		}
	}
}

// TestTruncated cuts a compressed stream at every byte and adds bytes behind it.
func TestTruncated(t *testing.T) {
	text := strings.Repeat("1 1:0.5 2:7\n-1 3:4\n", 20) + "1 9:9\n"
	for name, data := range map[string][]byte{"gzip": gzipped(text), "zstd": zstded(text)} {
		for cut := 4; cut < len(data); cut++ {
			if _, err := readBytes(data[:cut], ReadOptions{}); !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), "byte") {
				t.Errorf("%s cut at %d of %d: %v", name, cut, len(data), err)
			}
		}
		for _, tail := range []string{"x", "\x00", "more", "\x1f\x8b", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", strings.Repeat("garbage", 10)} {
			_, err := readBytes(append(bytes.Clone(data), tail...), ReadOptions{})
			if !errors.Is(err, fail.Input) {
				t.Errorf("%s with %q behind: %v", name, tail, err)
			}
		}
	}
}

func TestDamaged(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var text strings.Builder
	for range 300 {
		text.WriteString("1 1:0." + strings.Repeat(string(rune('0'+rng.IntN(10))), 1+rng.IntN(5)) + "\n")
	}
	want := mustParse(t, text.String())
	for name, data := range map[string][]byte{"gzip": gzipped(text.String()), "zstd": zstded(text.String())} {
		for range 300 {
			bad := bytes.Clone(data)
			at := 4 + rng.IntN(len(bad)-4)
			bad[at] ^= byte(1 + rng.IntN(255))
			// Header bytes such as a time stamp may change without harm; rows that do must not pass.
			if rows, err := readBytes(bad, ReadOptions{}); err == nil && !sameRows(rows, want) {
				t.Errorf("%s: a changed byte %d went unnoticed", name, at)
			} else if err != nil && !errors.Is(err, fail.Input) {
				t.Errorf("%s: byte %d: %v", name, at, err)
			}
		}
	}
}

// TestBomb reads blanks, which both formats shrink by more than any text.
func TestBomb(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat(" ", 1<<20-1) + "\n")
	for range bombFloor>>20 + 4 {
		w.Write(line)
	}
	io.WriteString(w, "1 1:1\n")
	w.Close()
	_, err = readBytes(b.Bytes(), ReadOptions{})
	wantFault(t, err, fail.Input, "in", 0, 0, "bomb")
	rows, err := readBytes(b.Bytes(), ReadOptions{TrustCompressed: true})
	if err != nil || len(rows) != 1 {
		t.Errorf("trusted: %d rows, %v", len(rows), err)
	}
}

func TestZstdWindow(t *testing.T) {
	// A frame that announces a window of 1 GiB: magic, descriptor, exponent 20 (2^30), then an empty last block.
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0x01, 0x00, 0x00}
	_, err := readBytes(frame, ReadOptions{})
	wantFault(t, err, fail.Input, "in", 0, 0, "window")
}
