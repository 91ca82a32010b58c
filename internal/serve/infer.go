package serve

import (
	"context"
	"mime"
	"net/http"
	"strconv"

	"bigmkl/internal/serve/models"
	"bigmkl/internal/serve/tensors"
)

// kindBytes is the type of a body that may have binary tensors.
const kindBytes = "application/octet-stream"

// infer answers POST /v2/models/NAME/infer.
func (x *exchange) infer() *reply {
	header := x.r.Header.Get(tensors.HeadLength)
	// The protocol asks for no type, and clients of it send several.
	switch kind, _, _ := mime.ParseMediaType(x.r.Header.Get("Content-Type")); {
	case kind != kindJSON && kind != kindBytes && kind != "", kind == kindBytes && header == "":
		return reject(http.StatusUnsupportedMediaType, "the type of the body is not read",
			"Content-Type: "+kindJSON+", or "+kindBytes+" with "+tensors.HeadLength)
	}
	return x.compute(func(ctx context.Context, e models.Entry, l *models.Model, body []byte) (*reply, error) {
		request, err := tensors.Read(body, header)
		if err != nil {
			return nil, err
		}
		a, err := tensors.New(&l.Model.Model, request)
		if err != nil {
			return nil, err
		}
		a.Name, a.Version, a.Digest, a.Most = e.Name, e.Version, l.Digest, x.options.Body
		src, err := l.Form.Tensor(request.Input)
		if err != nil {
			return nil, err
		}
		if a.Strange, err = x.rows(ctx, l, src, a.Add); err != nil {
			return nil, err
		}
		done := &reply{code: http.StatusOK, kind: kindJSON}
		var binary bool
		if done.head, done.body, binary = a.Encode(); binary {
			done.kind = kindBytes
			done.fields = map[string]string{tensors.HeadLength: strconv.Itoa(len(done.head))}
		}
		return done, nil
	})
}

// versions lists the versions of a model, the oldest first.
func (x *exchange) versions(name string) (list []string) {
	for _, e := range x.models.Entries() {
		if e.Name == name {
			list = append(list, strconv.Itoa(e.Version))
		}
	}
	return list
}

// indexed is a model in the answer of POST /v2/repository/index.
type indexed struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
}

// index lists the models in service.
func (x *exchange) index() []indexed {
	list := []indexed{}
	for _, e := range x.models.Entries() {
		i := indexed{e.Name, strconv.Itoa(e.Version), "READY", ""}
		if x.checkModel(e) != nil {
			i.State, i.Reason = "UNAVAILABLE", "the file has changed under the server"
		}
		list = append(list, i)
	}
	return list
}
