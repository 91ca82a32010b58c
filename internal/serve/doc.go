// Package serve answers predictions over HTTP.
//
// Purpose. A Server has the model of a file, or the models of a folder, which Reload replaces while requests go
// on. It answers POST /v1/predict, the paths of the Open Inference Protocol, those for health and /metrics.
// docs/SERVE.md describes them, and openapi.json lists them all.
//
// A connection is read strictly (conn): heads that net/http would reject by itself, or that two parsers
// could read in two ways, have the error object that all rejections have. One that begins with the preface of
// HTTP/2 is handed to net/http as it is.
//
// Invariants. Predictions are to the bit those of predict.Model.Predict. Whatever the bytes of a
// request are, it ends in an answer or in one error object, and never in a panic. Every request
// ends on the model that it began with, whose file stays mapped until then.
//
// Concurrency. All methods may be called at the same time. A request computes in one goroutine, and
// as many compute at once as the memory budget has threads; the others wait.
//
// Memory. A request takes at most bodyCopies times Limits.Body, and Limits.Requests bound the
// requests; predictions have what that leaves of the budget. Requests that wait for a place have sent
// no body. A connection without a request takes some buffers and Limits.Connections bound them.
package serve
