package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/serve/access"
)

// folder returns a folder with models a, and b in the versions 2 and 10, and three other model files.
func folder(t testing.TB) (dir string, others [3][]byte) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a.model", "b/2.model", "b/10.model"} {
		train(t, filepath.Join(dir, name), datasettest.Clouds(datasettest.Random(t, uint64(i+10)), 60, 6), bigmkl.Options{})
		other := filepath.Join(t.TempDir(), "m")
		train(t, other, datasettest.Clouds(datasettest.Random(t, uint64(i+20)), 60, 6), bigmkl.Options{})
		others[i] = read(t, other)
	}
	for name, text := range map[string]string{"notes.txt": "x", ".hidden.model": "x", "b/.3.model": "x"} {
		overwrite(t, filepath.Join(dir, name), []byte(text))
	}
	return dir, others
}

// digests returns the models of a server as POST /v2/repository/index lists them.
func digests(t testing.TB, s *Server) (list []string) {
	t.Helper()
	var found []indexed
	if err := json.Unmarshal(ask(s, "POST", "/v2/repository/index", nil).Body.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	for _, i := range found {
		list = append(list, i.Name+"/"+i.Version+" "+i.State)
	}
	return list
}

// TestFolder: models are served by name and version, the newest version where none is named. New ones come, others
// change and go, and what is damaged leaves the others alone.
func TestFolder(t *testing.T) {
	dir, others := folder(t)
	s := openAll(t, dir)
	body := []byte(`{"rows":[[1,0,1,0,1,0]]}`)
	digest := func(path string) string {
		w := ask(s, "POST", path, body, "Content-Type", kindJSON)
		if w.Code != 200 {
			return fmt.Sprint(w.Code)
		}
		return decode(t, w.Body.Bytes()).Model
	}
	of := func(name string, version int) string {
		e, ok := s.models.Find(name, version)
		if !ok {
			t.Fatal(name, version)
		}
		return e.Current().Digest
	}
	if got := digests(t, s); !slices.Equal(got, []string{"a/1 READY", "b/2 READY", "b/10 READY"}) {
		t.Error(got)
	}
	for path, want := range map[string]string{
		"/v1/models/a/predict": of("a", 1), "/v1/models/b/predict": of("b", 10), "/v1/models/b/versions/2/predict": of("b", 2), "/v1/models/b/versions/3/predict": "404",
		"/v1/models/c/predict": "404", "/v1/predict": "404", "/invocations": "404", "/v1/models/a/versions/01/predict": "404", "/v1/models/../predict": "404",
	} {
		if got := digest(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if text := ask(s, "GET", "/v2/models/b", nil).Body.String(); !strings.Contains(text, `"versions":["2","10"]`) {
		t.Error(text)
	}
	if metric(t, s, "bigmkl_models") != "3" || metric(t, s, fmt.Sprintf(`bigmkl_model_info{model="b",version="2",digest="%s"}`, of("b", 2))) != "1" {
		t.Error("the metrics do not know the models")
	}
	// One changes and is loaded alone.
	loads := s.metrics.Loads.Load()
	replace(t, filepath.Join(dir, "a.model"), others[0])
	before := of("b", 2)
	if !s.Changed() || s.Refresh(t.Context()) != nil || s.Changed() || s.metrics.Loads.Load() != loads+1 || of("b", 2) != before {
		t.Error("the model that changed was not loaded alone")
	}
	// A new one that is damaged does not come, and is not tried again before it changes. The old ones stay.
	overwrite(t, filepath.Join(dir, "c.model"), others[1][:500])
	if err := s.Refresh(t.Context()); err == nil || s.Changed() || len(digests(t, s)) != 3 || s.Refresh(t.Context()) != nil {
		t.Error(err, digests(t, s))
	}
	replace(t, filepath.Join(dir, "c.model"), others[1])
	if err := s.Refresh(t.Context()); err != nil || digest("/v1/models/c/predict") != of("c", 1) || len(digests(t, s)) != 4 {
		t.Error(err)
	}
	// One goes, with its file closed.
	e, _ := s.models.Find("b", 10)
	old := e.Current()
	if err := os.Remove(filepath.Join(dir, "b/10.model")); err != nil {
		t.Fatal(err)
	}
	if !s.Changed() || s.Refresh(t.Context()) != nil || digest("/v1/models/b/predict") != of("b", 2) || old.Vectors != nil || e.Acquire() != nil {
		t.Error("the model that has gone is there")
	}
	// A name that none may have leaves all as it is, and is told of once.
	overwrite(t, filepath.Join(dir, "no name.model"), others[2])
	if err := s.Refresh(t.Context()); !errors.Is(err, fail.Input) || s.Changed() || len(digests(t, s)) != 3 {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "no name.model")); err != nil || !s.Changed() || s.Refresh(t.Context()) != nil {
		t.Error("the folder is not looked at again")
	}
}

// openAll is open for a folder.
func openAll(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := New(t.Context(), dir, generous())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, e := range s.models.Entries() {
			e.Current().Release()
		}
	})
	return s
}

// TestFoldersRefused: a folder without models, with two files of a version or with one that is damaged is not served.
func TestFoldersRefused(t *testing.T) {
	dir, _ := folder(t)
	for name, change := range map[string]func(string){
		"empty": func(dir string) { os.RemoveAll(filepath.Join(dir, "a.model")); os.RemoveAll(filepath.Join(dir, "b")) },
		"twice": func(dir string) {
			overwrite(t, filepath.Join(dir, "b.model"), nil)
			overwrite(t, filepath.Join(dir, "b/1.model"), nil)
		},
		"damaged": func(dir string) { overwrite(t, filepath.Join(dir, "d.model"), []byte("x")) },
		"version": func(dir string) { overwrite(t, filepath.Join(dir, "b/007.model"), nil) },
	} {
		copied := t.TempDir()
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		change(copied)
		var e *fail.Error
		if _, err := New(t.Context(), copied, generous()); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFolderReloads: while models of a folder are loaded again, come and go, every request is answered by a whole model.
func TestFolderReloads(t *testing.T) {
	dir, others := folder(t)
	s := openAll(t, dir)
	known := map[string]bool{}
	var mu sync.Mutex
	note := func() {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range s.models.Entries() {
			known[e.Current().Digest] = true
		}
	}
	note()
	stop := make(chan struct{})
	var group sync.WaitGroup
	type seen struct{ path, digest string }
	answers := make(chan seen, 1<<16)
	for i := range 4 {
		group.Go(func() {
			path := []string{"/v1/models/a/predict", "/v1/models/b/predict", "/v1/models/c/predict", "/v1/models/b/versions/2/predict"}[i]
			for n := 0; n < 1<<13; n++ {
				select {
				case <-stop:
					return
				default:
				}
				w := ask(s, "POST", path, []byte(`{"rows":[[1,0,1,0,1,0]]}`), "Content-Type", kindJSON)
				switch {
				case w.Code == 200:
					answers <- seen{path, decode(t, w.Body.Bytes()).Model}
				case w.Code != 404 || i != 2:
					t.Errorf("%s: code %d", path, w.Code)
				}
			}
		})
	}
	c := filepath.Join(dir, "c.model")
	for i := range 20 {
		replace(t, filepath.Join(dir, "a.model"), others[i%2])
		if i%3 == 0 {
			replace(t, c, others[2])
		} else {
			os.Remove(c)
		}
		load := s.Refresh
		if i%4 == 3 {
			load = s.Reload
		}
		if err := load(context.Background()); err != nil {
			t.Fatal(err)
		}
		note()
	}
	close(stop)
	group.Wait()
	close(answers)
	for a := range answers {
		if !known[a.digest] {
			t.Errorf("%s: an answer of %s", a.path, a.digest)
		}
	}
}

// certificate writes a certificate for 127.0.0.1 and its key, and returns what knows it.
func certificate(t testing.TB, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bigmkl"}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(dir, "cert"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	overwrite(t, filepath.Join(dir, "key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(read(t, filepath.Join(dir, "cert")))
	return pool
}

// TestProtocols: HTTP/1.1 and HTTP/2 have the same answers, with TLS and without. A certificate that was renewed is in use after a
// reload, and one that is damaged is not.
func TestProtocols(t *testing.T) {
	dir := t.TempDir()
	pool := certificate(t, dir)
	body := `{"rows":[[1,1,1,1,1,1]]}`
	for _, encrypted := range []bool{false, true} {
		o := generous()
		scheme := "http"
		if encrypted {
			c, err := access.ReadCertificate(filepath.Join(dir, "cert"), filepath.Join(dir, "key"))
			if err != nil {
				t.Fatal(err)
			}
			o.Certificate, scheme = c, "https"
		}
		s, _ := start(t, o)
		want := post(s, kindJSON, "", []byte(body)).Body.String()
		r := listenOn(t, s, time.Minute)
		ask := func(major int, pool *x509.CertPool) error {
			var p http.Protocols
			p.SetHTTP1(major == 1)
			p.SetHTTP2(major == 2)
			p.SetUnencryptedHTTP2(major == 2)
			transport := &http.Transport{Protocols: &p, TLSClientConfig: &tls.Config{RootCAs: pool}}
			defer transport.CloseIdleConnections()
			var group sync.WaitGroup
			faults := make(chan error, 40)
			for range 40 { // at once, in one connection of HTTP/2
				group.Go(func() {
					a, err := (&http.Client{Transport: transport}).Post(scheme+"://"+r.address+"/v1/predict", kindJSON, strings.NewReader(body))
					if err != nil {
						faults <- err
						return
					}
					defer a.Body.Close()
					text, err := io.ReadAll(a.Body)
					if err != nil || a.ProtoMajor != major || string(text) != want {
						faults <- fmt.Errorf("%v, %s, %s", err, a.Proto, text)
					}
				})
			}
			group.Wait()
			close(faults)
			return <-faults
		}
		for _, major := range []int{1, 2} {
			if err := ask(major, pool); err != nil {
				t.Errorf("HTTP/%d, encrypted %v: %v", major, encrypted, err)
			}
		}
		if encrypted {
			newer := certificate(t, dir)
			if err := s.Reload(t.Context()); err != nil || ask(1, newer) != nil || ask(2, pool) == nil {
				t.Errorf("the certificate was not renewed: %v", err)
			}
			overwrite(t, filepath.Join(dir, "key"), []byte("x"))
			if err := s.Reload(t.Context()); !errors.Is(err, fail.Input) || ask(2, newer) != nil {
				t.Errorf("a damaged key: %v", err)
			}
		}
		r.end()
		if err := <-r.ended; err != nil {
			t.Errorf("HTTP/2 does not end: %v", err)
		}
	}
}

// TestSlowHTTP2: a connection that sends the preface and nothing more is closed, and large bodies are rejected.
func TestSlowHTTP2(t *testing.T) {
	t.Parallel()
	o := generous()
	o.Body, o.Timeout = 1000, 200*time.Millisecond
	s, _ := start(t, o)
	r := listenOn(t, s, time.Minute)
	for _, sent := range []string{preface[:10], preface[:18], preface, preface + "garbage of some length"} {
		c, from := r.dial(t)
		c.SetDeadline(time.Now().Add(2 * time.Minute))
		io.WriteString(c, sent)
		if _, err := io.Copy(io.Discard, from); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: open", sent)
		}
	}
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &p}
	defer transport.CloseIdleConnections()
	a, err := (&http.Client{Transport: transport}).Post("http://"+r.address+"/v1/predict", kindJSON, io.MultiReader(strings.NewReader(strings.Repeat(" ", 100_000))))
	if err != nil || a.StatusCode != 413 {
		t.Errorf("%v, %v", err, a)
	}
}

// TestToken: without the token there is nothing but health, on any path and before anything is read.
func TestToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	overwrite(t, path, []byte("0123456789abcdef\n"))
	o := generous()
	var err error
	if o.Token, err = access.ReadToken(path); err != nil {
		t.Fatal(err)
	}
	s, _ := start(t, o)
	for _, c := range []struct {
		path, authorization string
		code                int
	}{
		{"/healthz", "", 200}, {"/readyz", "", 200}, {"/ping", "", 200}, {"/v2/health/live", "", 200}, {"/v2/health/ready", "", 200},
		{"/metrics", "", 401}, {"/v1/model", "", 401}, {"/v2", "", 401}, {"/v2/models/m", "", 401}, {"/openapi.json", "", 401}, {"/nothing", "", 401}, {"/v1/predict", "", 401},
		{"/v2", "Bearer 0123456789abcdef", 200}, {"/v2", "bearer  0123456789abcdef", 200}, {"/v2", "Bearer 0123456789abcdeF", 401}, {"/v2", "Bearer 0123456789abcde", 401}, {"/v2", "Basic 0123456789abcdef", 401},
		{"/v2", "0123456789abcdef", 401}, {"/v2", "Bearer ", 401}, {"/v2", "Bearer 0123456789abcdef 0123456789abcdef", 401},
	} {
		fields := []string{"Authorization", c.authorization}
		if c.authorization == "" {
			fields = nil
		}
		w := ask(s, "GET", c.path, nil, fields...)
		if w.Code != c.code || (w.Code == 401) != (w.Header().Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("%+v: code %d, %s", c, w.Code, w.Body)
		}
	}
	for _, text := range []string{"", "short", "0123456789abc def", "0123456789abcdef\x00", strings.Repeat("x", 5000), "0123456789abcdé"} {
		overwrite(t, path, []byte(text))
		if _, err := access.ReadToken(path); !errors.Is(err, fail.Input) || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDescription: openapi.json has every path that has an answer, with its method, and none besides.
func TestDescription(t *testing.T) {
	s, _ := start(t, generous())
	var d struct {
		Paths map[string]map[string]struct{ Security []any }
	}
	if err := json.Unmarshal(ask(s, "GET", "/openapi.json", nil).Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	want := map[string]route{}
	for path, r := range paths {
		want[path] = r
	}
	for end, r := range ofModels {
		for _, version := range []string{"", "/versions/{version}"} {
			want[end[:3]+"/models/{name}"+version+end[3:]] = r
		}
	}
	for path, r := range want {
		o, ok := d.Paths[path][strings.ToLower(r.method)]
		if !ok || len(d.Paths[path]) != 1 || r.public() != (o.Security != nil) {
			t.Errorf("%s %s is not described", r.method, path)
		}
		path = strings.NewReplacer("{name}", "m", "{version}", "1").Replace(path)
		if got, found := routeOf(path); !found || got.kind != r.kind {
			t.Errorf("%s has no answer", path)
		}
		if r.method == http.MethodGet {
			if w := ask(s, "GET", path, nil); w.Code != 200 {
				t.Errorf("%s: code %d", path, w.Code)
			}
		}
	}
	if len(d.Paths) != len(want) {
		t.Errorf("%d paths are described, and %d have answers", len(d.Paths), len(want))
	}
}
