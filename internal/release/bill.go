package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"time"
)

// bom is the part of a CycloneDX bill of materials (version 1.5) that the build information of a program
// has: see https://cyclonedx.org/docs/1.5/json.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// billOfMaterials lists the modules that are linked into a program, and what it was built with.
func billOfMaterials(info *debug.BuildInfo, target string, at time.Time) ([]byte, error) {
	main := newComponent("application", &info.Main)
	main.Properties = []property{{"go:target", target}}
	for _, s := range info.Settings {
		main.Properties = append(main.Properties, property{"go:" + s.Key, s.Value})
	}
	list := []component{{Type: "library", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
		URL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := newComponent("library", m)
		if m.Sum != "" {
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		list = append(list, c)
	}
	return json.MarshalIndent(bom{Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata:   metadata{at.Format(time.RFC3339), main},
		Components: list}, "", " ")
}

// newComponent describes a module.
func newComponent(kind string, m *debug.Module) component {
	return component{Type: kind, Name: m.Path, Version: m.Version,
		URL: "pkg:golang/" + m.Path + "@" + m.Version}
}
