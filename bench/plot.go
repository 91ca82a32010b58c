package main

import "io"

type plotted struct {
	name  string
	write func(w io.Writer) error
}
