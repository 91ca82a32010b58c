package models

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// suffix ends the names of model files in a folder, and mostModels bounds their number.
const (
	suffix     = ".model"
	mostModels = 1000
)

// Entry is a model of a shelf.
type Entry struct {
	Name    string
	Version int
	*Holder
}

// Shelf has models by name and version: the model of one file, or the models of a folder.
//
// A folder has files NAME.model, which are version 1 of a model, and folders NAME with files VERSION.model. The
// memory is shared out evenly, with one share to spare for the model that replaces another.
type Shelf struct {
	path    string
	folder  bool
	options Options
	entries atomic.Pointer[[]Entry] // the models in service, by name and then version
	// failed are the models of a folder that were never in service, so a look at the folder does not
	// try the same file again.
	failed map[string]*Holder
	// fault is what was wrong with the folder itself at the last call of Load.
	fault     string
	reloading sync.Mutex
}

// NewShelf returns a shelf of a file or a folder that has no models before the first call of Load.
// Options.Memory is for all models together.
func NewShelf(path string, o Options) *Shelf {
	s := &Shelf{path: path, options: o, failed: map[string]*Holder{}}
	if info, err := files.Stat(path); err == nil {
		s.folder = info.IsDir()
	}
	s.entries.Store(new([]Entry))
	return s
}

// Entries returns the models in service, by name and then version.
func (s *Shelf) Entries() []Entry { return *s.entries.Load() }

// Find returns a model in service, or false. Without a version it is the newest, and without a name the
// only model.
func (s *Shelf) Find(name string, version int) (Entry, bool) {
	list := s.Entries()
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if name == "" && e.Name != list[0].Name {
			break
		}
		if (name == "" || e.Name == name) && (version == 0 || e.Version == version) {
			return e, true
		}
	}
	return Entry{}, false
}

// Load loads models one by one and puts each into service once it is whole: all of them, or those whose files are new or
// have changed. Models whose files are gone leave service, unless the shelf has one file. told hears of each
// model. What cannot be loaded leaves the model that was there in service. Errors are the errors of Holder.Reload,
// joined.
func (s *Shelf) Load(ctx context.Context, all bool, told func(error)) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	found, err := s.scan()
	s.fault = ""
	if err != nil {
		s.fault = err.Error()
		told(err)
		return err
	}
	old := s.Entries()
	// Another number of models makes other shares.
	all = all || len(found) != len(old)+len(s.failed)
	share := s.options.Memory / int64(len(found)+1)
	kept := slices.DeleteFunc(slices.Clone(old), func(e Entry) bool { return found[e.path] == nil })
	s.publish(kept)
	for _, e := range old {
		if found[e.path] == nil {
			e.retire()
		}
	}
	var faults []error
	load := func(h *Holder) bool {
		err := h.load(ctx, share)
		if told(err); err != nil {
			faults = append(faults, err)
		}
		return err == nil
	}
	for _, e := range kept {
		delete(found, e.path)
		if all || e.Changed() {
			load(e.Holder)
		}
	}
	if slices.ContainsFunc(faults, func(err error) bool { return errors.Is(err, fail.Budget) }) {
		return errors.Join(faults...) // The shares of what is in service leave no room for more.
	}
	before := s.failed
	s.failed = map[string]*Holder{}
	for _, e := range sorted(found) {
		if h := before[e.path]; h != nil && !all && !h.Changed() {
			s.failed[e.path] = h
			continue
		}
		if !load(e.Holder) {
			s.failed[e.path] = e.Holder
			continue
		}
		kept = append(kept, *e)
		s.publish(kept)
	}
	return errors.Join(faults...)
}

// publish puts a copy of the list into service, in order, since requests read what is in service.
func (s *Shelf) publish(list []Entry) {
	list = slices.Clone(list)
	slices.SortFunc(list, order)
	s.entries.Store(&list)
}

// Changed reports whether Load has anything new to load.
func (s *Shelf) Changed() bool {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	found, err := s.scan()
	if err != nil {
		return err.Error() != s.fault
	}
	list := s.Entries()
	if s.fault != "" || len(found) != len(list)+len(s.failed) {
		return true
	}
	for _, e := range list {
		if found[e.path] == nil || e.Changed() {
			return true
		}
	}
	for path, h := range s.failed {
		if found[path] == nil || h.Changed() {
			return true
		}
	}
	return false
}

// order compares models by name and version.
func order(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
}

// sorted returns models in order.
func sorted(found map[string]*Entry) (list []*Entry) {
	for _, e := range found {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *Entry) int { return order(*a, *b) })
	return list
}

// The names that models of a folder and their versions may have: those that need no escapes in a path.
var (
	nameForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`) })
	versionForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,8}$`) })
)

// scan lists the models of the shelf by their paths.
func (s *Shelf) scan() (map[string]*Entry, error) {
	found := map[string]*Entry{}
	if !s.folder {
		name := strings.TrimSuffix(filepath.Base(s.path), suffix)
		found[s.path] = &Entry{name, 1, New(s.path, s.options)}
		return found, nil
	}
	list, err := files.ReadDir(s.path)
	if err != nil {
		return nil, files.InputFault("cannot read the folder", s.path, err)
	}
	seen := map[string]bool{}
	add := func(path, name, version string) error {
		if !nameForm().MatchString(name) || !versionForm().MatchString(version) {
			return fail.New(fail.Input, "the file has no name for a model to be served").At(path, 0, 0).
				WithHint("NAME.model or NAME/VERSION.model, of letters, digits, '_', '-' and '.', and versions from 1")
		}
		v, _ := strconv.Atoi(version)
		if key := name + "/" + version; seen[key] || len(seen) == mostModels {
			return fail.New(fail.Input, "the folder has two files of a version, or more than %d models", mostModels).At(path, 0, 0)
		} else {
			seen[key] = true
		}
		found[path] = &Entry{name, v, New(path, s.options)}
		return nil
	}
	for _, item := range list {
		path := filepath.Join(s.path, item.Name())
		name, isModel := strings.CutSuffix(item.Name(), suffix)
		if strings.HasPrefix(item.Name(), ".") {
			continue
		}
		if info, err := files.Stat(path); err != nil || !info.IsDir() { // A link to a folder is one.
			if isModel {
				if err := add(path, name, "1"); err != nil {
					return nil, err
				}
			}
			continue
		}
		inside, err := files.ReadDir(path)
		if err != nil {
			return nil, files.InputFault("cannot read the folder", path, err)
		}
		for _, v := range inside {
			if version, ok := strings.CutSuffix(v.Name(), suffix); ok && !strings.HasPrefix(v.Name(), ".") {
				if err := add(filepath.Join(path, v.Name()), item.Name(), version); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, fail.New(fail.Input, "the folder has no models").At(s.path, 0, 0).
			WithHint("NAME.model or NAME/VERSION.model")
	}
	return found, nil
}
