package serve

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"sync"

	"bigmkl/internal/serve/tensors"
)

// kind is what a path asks for.
type kind int

const (
	nothing kind = iota
	predictions
	inference
	about
	metadata
	modelReady
	index
	alive
	ready
	server
	measured
	described
)

// route is what the path of a request asks for.
type route struct {
	kind   kind
	method string
	open   bool // a path of the Open Inference Protocol, whose errors have one key more
	// name and version are the name and version of a model: empty for the only one, and 0 for the
	// newest version.
	name    string
	version int
}

// paths are those that name no model.
var paths = map[string]route{
	"/v1/predict": {kind: predictions, method: http.MethodPost}, "/invocations": {kind: predictions, method: http.MethodPost},
	"/v1/model": {kind: about, method: http.MethodGet},
	"/healthz":  {kind: alive, method: http.MethodGet}, "/ping": {kind: ready, method: http.MethodGet}, "/readyz": {kind: ready, method: http.MethodGet},
	"/metrics": {kind: measured, method: http.MethodGet}, "/openapi.json": {kind: described, method: http.MethodGet},
	"/v2": {kind: server, method: http.MethodGet, open: true}, "/v2/health/live": {kind: alive, method: http.MethodGet, open: true},
	"/v2/health/ready":     {kind: ready, method: http.MethodGet, open: true},
	"/v2/repository/index": {kind: index, method: http.MethodPost, open: true},
}

// ofModels are the ends of paths that name a model, behind /v1 or /v2.
var ofModels = map[string]route{
	"/v1/predict": {kind: predictions, method: http.MethodPost}, "/v1": {kind: about, method: http.MethodGet},
	"/v2": {kind: metadata, method: http.MethodGet, open: true}, "/v2/ready": {kind: modelReady, method: http.MethodGet, open: true},
	"/v2/infer": {kind: inference, method: http.MethodPost, open: true},
}

// modelPath is a path that names a model.
var modelPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/v[12])/models/([^/]+)(?:/versions/([1-9][0-9]{0,8}))?(/[a-z]+)?$`)
})

// routeOf returns what a path asks for, and whether it is any that has an answer.
func routeOf(path string) (route, bool) {
	if r, ok := paths[path]; ok {
		return r, true
	}
	if parts := modelPath().FindStringSubmatch(path); parts != nil {
		if r, ok := ofModels[parts[1]+parts[4]]; ok {
			r.name = parts[2]
			r.version, _ = strconv.Atoi(parts[3])
			return r, true
		}
	}
	return route{open: len(path) >= 3 && path[:3] == "/v2"}, false
}

// predicts reports whether the path asks for predictions.
func (r *route) predicts() bool { return r.kind == predictions || r.kind == inference }

// public reports whether the path is for those who have no token: they learn whether the server is well.
func (r *route) public() bool { return r.kind == alive || r.kind == ready }

//go:embed openapi.json
var openapi []byte

// answer answers a request.
func (r *route) answer(x *exchange) *reply {
	object := func(body []byte) *reply { return &reply{code: http.StatusOK, kind: kindJSON, body: body} }
	encode := func(v any) *reply {
		text, _ := json.Marshal(v) // Texts and truth values have no errors.
		return object(append(text, '\n'))
	}
	// The healthy answer of the protocol is an object, and the answer of the older paths is a
	// line.
	well := func(key string) *reply {
		if r.open {
			return encode(map[string]any{key: true})
		}
		return &reply{code: http.StatusOK, kind: "text/plain; charset=utf-8", body: []byte("ok\n")}
	}
	switch r.kind {
	case predictions:
		return x.predict()
	case inference:
		return x.infer()
	case alive:
		return well("live")
	case ready:
		if x.check() != nil {
			return reject(http.StatusServiceUnavailable, "the server is not ready", "")
		}
		return well("ready")
	case measured:
		return &reply{code: http.StatusOK, kind: "text/plain; version=0.0.4", body: x.metricsText()}
	case described:
		return object(openapi)
	case server:
		return encode(map[string]any{"name": "bigmkl", "version": x.options.Build.Version, "extensions": []string{"binary_tensor_data", "model_repository"}})
	case index:
		return encode(x.index())
	}
	e, a := x.model()
	if a != nil {
		return a
	}
	l := e.Current()
	switch {
	case l == nil:
		return reject(http.StatusNotFound, "the model has left service", "")
	case r.kind == metadata:
		return object(tensors.Describe(&l.Model.Model, e.Name, x.versions(e.Name)))
	case r.kind == modelReady && x.checkModel(e) != nil:
		return reject(http.StatusServiceUnavailable, "the model is not ready", "")
	case r.kind == modelReady:
		return encode(map[string]any{"name": e.Name, "ready": true})
	}
	return object(l.About)
}
