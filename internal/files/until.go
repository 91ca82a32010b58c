package files

import (
	"context"
	"io"
)

// Until returns a writer that passes everything on to w until ctx has ended, and then fails with the
// error of ctx. It is for files that take long to write.
func Until(ctx context.Context, w io.Writer) io.Writer { return until{ctx, w} }

type until struct {
	ctx context.Context
	to  io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.to.Write(p)
}
