package claims

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// node is a value of JSON whose keys keep their order, in which some families compare their settings.
type node struct {
	keys  []string // of an object
	items []*node  // of an object or a list
	text  string   // of anything else
	open  byte     // { or [, and 0 for anything else
}

// parse reads the next value.
func parse(d *json.Decoder) *node {
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	open, ok := token.(json.Delim)
	if !ok {
		b, _ := json.Marshal(token)
		return &node{text: string(b)}
	}
	n := &node{open: byte(open)}
	for d.More() {
		if n.open == '{' {
			key, _ := d.Token()
			n.keys = append(n.keys, key.(string))
		}
		n.items = append(n.items, parse(d))
	}
	_, _ = d.Token()
	return n
}

func parseText(text string) *node {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return parse(d)
}

func (n *node) String() string {
	if n.open == 0 {
		return n.text
	}
	var b strings.Builder
	b.WriteByte(n.open)
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			fmt.Fprintf(&b, "%q:", n.keys[i])
		}
		b.WriteString(item.String())
	}
	b.WriteByte(n.open + 2) // the bracket that closes
	return b.String()
}

// edit is one change of the settings: a key by its path, and what becomes of it.
type edit struct {
	path, what string
	do         func()
	undo       func()
}

// words lists the words that a key may have, by its path. Every other string gets a letter more.
var words = map[string][]string{
	"task": {"class", "logistic", "svr", "square", "quantile", "huber", "expectile", "survival", "survival-ranking", "cox", "rank", "oneclass", "rkda", "med", "mixture"}, "loss": {"squared-hinge"},
	"multiclass": {"ovr", "ovo", "labels", "single", "quantiles"}, "precision": {"auto", "32", "64"}, "store": {"dense", "sparse"},
	"scaling": {"none", "minmax", "standard", "global"}, "normalization.kind": {"none", "multiplicative", "spherical", "centred"},
	"certificate.kind": {"gap", "stationary"}, "certificates[]": {"gap", "stationary"}, "discriminant.rule": {"means", "indicator"},
	"weight_rule.rule":     {"align", "alignf", "kandola:0", "frobenius", "fsm", "accuracy:0", "accuracy:0.5", "correlation", "mse"},
	"family.settings.kind": {"softmax", "sigmoid", "gauss", "regions", "fixed"}, "family.settings.gates.kind": {"softmax", "sigmoid", "gauss"},
	"family.settings.entropy": {"exact", "drop"}, "family.settings.scale": {"minmax", "standard", "global"}, "impute": {"median", "mean", "zero", "indicator"},
	"family.name": {"gates", "projection", "mixture"}, "sequences": {"dna", "protein"}, "posteriors_of": {"given", "knn:3", "knn:6"},
}

// replaced is the change of a value at its place.
func replaced(path, what string, at **node, by string) edit {
	old := *at
	return edit{path, what, func() { *at = &node{text: by} }, func() { *at = old }}
}

// edits lists the changes of a value and of all within it. For a list it changes its first element, and
// its length.
func (n *node) edits(path string) (list []edit) {
	switch n.open {
	case '{':
		for i, key := range n.keys {
			own := strings.TrimPrefix(path+"."+key, ".")
			keys, items := n.keys, n.items
			list = append(list, edit{own, "deleted", func() {
				n.keys, n.items = slices.Delete(slices.Clone(keys), i, i+1), slices.Delete(slices.Clone(items), i, i+1)
			}, func() { n.keys, n.items = keys, items }})
			list = append(list, leaf(own, &n.items[i])...)
			list = append(list, n.items[i].edits(own)...)
		}
	case '[':
		items := n.items
		if len(items) == 0 {
			return nil
		}
		list = append(list, edit{path, "cut", func() { n.items = items[:len(items)-1] }, func() { n.items = items }})
		list = append(list, edit{path, "repeated", func() { n.items = append(slices.Clone(items), items[0]) }, func() { n.items = items }})
		list = append(list, leaf(path+"[]", &n.items[0])...)
		list = append(list, n.items[0].edits(path+"[]")...)
	}
	return list
}

// leaf lists the changes of a value that is neither an object nor a list.
func leaf(path string, at **node) (list []edit) {
	text := (*at).text
	switch {
	case (*at).open != 0:
	case text == "true" || text == "false":
		list = append(list, replaced(path, "toggled", at, map[string]string{"true": "false", "false": "true"}[text]))
	case strings.HasPrefix(text, `"`):
		word, _ := strconv.Unquote(text)
		for _, other := range append(slices.Clone(words[path]), word+"x", "") {
			if other != word {
				list = append(list, replaced(path, fmt.Sprintf("%q", other), at, strconv.Quote(other)))
			}
		}
	default:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		other := []string{strconv.FormatFloat(2*x, 'g', -1, 64), strconv.FormatFloat(-x, 'g', -1, 64)}
		if x == 0 {
			other = []string{"1", "-1"}
		} else {
			other = append(other, "0", "7")
		}
		for _, v := range other {
			if v != text {
				list = append(list, replaced(path, v, at, v))
			}
		}
	}
	return list
}
