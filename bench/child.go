package main

import (
	"context"
	"io"
)

const childCommand = "train-one"

func child(ctx context.Context, in io.Reader, out io.Writer) error { return nil }
