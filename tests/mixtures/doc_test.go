// Package mixtures tests maximum entropy discrimination and maximum likelihood with mixtures.
package mixtures
