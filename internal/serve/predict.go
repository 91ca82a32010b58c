package serve

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bigmkl/internal/conformal"
	"bigmkl/internal/fail"
	"bigmkl/internal/serve/answers"
	"bigmkl/internal/serve/models"
)

// These are the types of bodies and of answers.
const (
	kindJSON = "application/json"
	kindNpy  = "application/x-npy"
)

// predict answers POST /v1/predict, and its equals for models by name.
func (x *exchange) predict() *reply {
	kind, _, _ := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if kind != kindJSON && kind != kindNpy {
		return reject(http.StatusUnsupportedMediaType, "the type of the body is not read", "Content-Type: "+kindJSON+" or "+kindNpy)
	}
	array := strings.Contains(x.r.Header.Get("Accept"), kindNpy)
	coverage, err := parseCoverage(x.r.URL.RawQuery, array)
	if err != nil {
		return x.rejectError(err)
	}
	return x.compute(func(ctx context.Context, _ models.Entry, l *models.Model, body []byte) (*reply, error) {
		a := answers.Answer{Model: l.Model, Digest: l.Digest, Contract: x.options.Contract, Most: x.options.Body, Array: array}
		if coverage > 0 {
			if a.Regions, err = conformal.New(&l.Model.Model, coverage); err != nil {
				return nil, err
			}
		}
		rows := l.Form.JSON
		if kind == kindNpy {
			rows = l.Form.Npy
		}
		src, err := rows(body)
		if err != nil {
			return nil, err
		}
		if a.Strange, err = x.rows(ctx, l, src, a.Add); err != nil {
			return nil, err
		}
		done := &reply{code: http.StatusOK, kind: kindJSON, head: a.Head(), body: a.Body()}
		if array {
			done.kind = kindNpy
		}
		return done, nil
	})
}

// parseCoverage returns the coverage that the query of a request asks for, 0 for none. Other parameters are not looked at.
func parseCoverage(query string, array bool) (float64, error) {
	const hint = "/v1/predict?coverage=0.9"
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, fail.New(fail.Usage, "the query of the request cannot be read").WithHint(hint)
	}
	switch list := values["coverage"]; {
	case list == nil:
		return 0, nil
	case len(list) > 1:
		return 0, fail.New(fail.Usage, "the query has %d coverages", len(list)).WithHint(hint)
	case array:
		return 0, fail.New(fail.Usage, "an array has no room for intervals or sets").WithHint("Accept: " + kindJSON)
	default:
		x, err := strconv.ParseFloat(list[0], 64)
		if err != nil || !(x > 0 && x < 1) {
			return 0, fail.New(fail.Usage, "coverage %s is not a number in (0, 1)", fail.Quote(list[0])).WithHint(hint)
		}
		return x, nil
	}
}
