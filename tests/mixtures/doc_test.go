// Package mixtures tests maximum entropy discrimination and maximum likelihood with mixtures.
package mixtures

import "bigmkl/tests/bigmkltest"

func init() { bigmkltest.CollectRarely() }
