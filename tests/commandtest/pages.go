package commandtest

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// Page reads a page and fails unless it is well-formed XML.
func (f Folder) Page(name string) string {
	f.T.Helper()
	text := f.Read(name)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return text
		} else if err != nil {
			f.T.Fatalf("%s is not well-formed: %v", name, err)
		}
	}
}

// Shows fails unless a page has all of these texts.
func (f Folder) Shows(page string, texts ...string) {
	f.T.Helper()
	for _, s := range texts {
		if !strings.Contains(page, s) {
			f.T.Errorf("the page does not show %q", s)
		}
	}
}

const (
	Docs = "../../../docs"
	// generatedFrom and generatedTo enclose the part of a document that is made by a test.
	GeneratedFrom = "<!-- From here on: go test ./cmd/bigmkl/command -run TestReference -update -->\n"
	GeneratedTo   = "<!-- To here. -->\n"
)
