package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"runtime/debug"
	"strings"
	"time"
)

// A document is a bill of materials in the format of CycloneDX 1.6.
type document struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Timestamp time.Time `json:"timestamp"`
		Component component `json:"component"`
	} `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// bill returns what a program was linked of: modules and the standard library.
func bill(info *buildinfo.BuildInfo, when time.Time) document {
	d := document{Format: "CycloneDX", Spec: "1.6", Version: 1}
	d.Metadata.Timestamp = when.UTC()
	d.Metadata.Component = part("application", &info.Main)
	uses := dependency{Ref: d.Metadata.Component.Ref}
	std := &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range append(info.Deps, std) {
		c := part("library", m)
		d.Components = append(d.Components, c)
		uses.On = append(uses.On, c.Ref)
	}
	d.Dependencies = []dependency{uses}
	return d
}

// part returns a module. Its hash is that of go.sum: of the list of its files' hashes.
func part(kind string, m *debug.Module) component {
	ref := "pkg:golang/" + m.Path + "@" + m.Version
	c := component{Type: kind, Ref: ref, Name: m.Path, Version: m.Version, PURL: ref}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	}
	return c
}
