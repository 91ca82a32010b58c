package command

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
)

// console is the output of a command: results go to standard output, and messages about them to
// standard error. A pipe gets results alone. A user at a terminal sees both.
type console struct {
	stdout, stderr io.Writer
	// messages go to stderr.
	messages *messages
}

// print writes formatted results to standard output.
func (c *console) print(format string, args ...any) error {
	_, err := fmt.Fprintf(c.stdout, format, args...)
	return err
}

// printJSON writes v, a struct, as one JSON object and a line break to standard output. The object
// begins with the version of the contract and the name of the command.
func (c *console) printJSON(command string, v any) error {
	b, err := encodeJSON(command, v)
	if err != nil {
		return err
	}
	_, err = c.stdout.Write(b)
	return err
}

// encodeJSON returns what printJSON writes. The keys of v follow the head directly, so v must have at
// least one key that is never left out.
func encodeJSON(command string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte("{"+jsonHead(command)), b[1:], []byte{'\n'}), nil
}

// complain writes one line to standard error.
func (c *console) complain(format string, args ...any) {
	c.messages.write(fmt.Sprintf(format, args...))
}

// warn writes a line for each warning. Empty ones are none.
func (c *console) warn(warnings ...string) {
	for _, w := range warnings {
		if w != "" {
			c.complain("warning: %s", w)
		}
	}
}

// warnOf prints the warnings of a training that has no model. The result may be nil.
func (c *console) warnOf(r *bigmkl.Result) {
	if r != nil {
		c.warn(r.Warnings...)
	}
}

// jsonHead returns the first keys of an object, which follow its brace. A reader can thus reject an
// object of another version or command before it looks at any other key.
func jsonHead(command string) string {
	return fmt.Sprintf(`"contract":%d,"command":"%s",`, contract.Version, command)
}
