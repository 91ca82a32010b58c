package command

import "strings"

// spillingTo is a command line that spills cached rows to disk.
func spillingTo(f folder, data, out string, more ...string) []string {
	return append([]string{"train", "--kernels", "gauss:0.05..0.4/3,laplace:0.2,poly:2", "--precision", "32", "-C", "0.3", "--memory", "40MiB",
		"--cache", "always", "-o", out, data}, more...)
}

// lastLine returns the last line of a text.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
