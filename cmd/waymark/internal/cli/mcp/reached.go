package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/program/control"
)

// mostExamples is how many calls by one caller are shown.
const mostExamples = 3

// A reachedType is a type that calls of a method have reached.
type reachedType struct {
	Type     string          `json:"type"`
	Function string          `json:"function"`
	Calls    int             `json:"calls"`
	Callers  []*reachedPlace `json:"callers"`
}

// A reachedPlace is where calls of the method are.
type reachedPlace struct {
	control.Frame
	Calls    int           `json:"calls"`
	Examples []reachedCall `json:"examples"`
}

// A reachedCall is an example.
type reachedCall struct {
	Args       string `json:"args,omitempty"`
	Results    string `json:"results,omitempty"`
	Panic      string `json:"panic,omitempty"`
	Hidden     bool   `json:"hidden,omitempty"`
	DurationNS int64  `json:"duration_ns"`
}

// methodPattern returns the pattern for the method with that name on any type.
func methodPattern(name string) (string, error) {
	method := name[strings.LastIndexByte(name, '.')+1:]
	if !token.IsIdentifier(method) {
		return "", fmt.Errorf("%q: want the name of a method, as in Charge or Gateway.Charge", name)
	}
	return `/\.[^./]+\.` + method + `$/`, nil
}

// reached adds the calls up by type and caller.
func reached(a *arguments, out []byte) (rows []string, err error) {
	var types []*reachedType
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var c control.Call
		if err := d.Decode(&c); err != nil {
			return nil, fmt.Errorf("the command's output is no JSON: %w", err)
		}
		receiver := receiverOf(c.Function)
		at := control.Frame{Function: "the runtime, or a program of an older waymark's"}
		if c.Caller != nil {
			at = *c.Caller
		}
		if receiver == "" || !strings.Contains(at.Function, a.text("caller")) {
			continue
		}
		i := slices.IndexFunc(types, func(t *reachedType) bool { return t.Function == c.Function })
		if i < 0 {
			i = len(types)
			types = append(types, &reachedType{Type: receiver, Function: c.Function})
		}
		types[i].add(at, reachedCall{c.Args, c.Results, c.Panic, c.Hidden, c.DurationNS})
	}
	slices.SortStableFunc(types, func(a, b *reachedType) int { return b.Calls - a.Calls })
	for _, t := range types {
		row, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		rows = append(rows, string(row))
	}
	return rows, nil
}

func (t *reachedType) add(at control.Frame, call reachedCall) {
	t.Calls++
	i := slices.IndexFunc(t.Callers, func(p *reachedPlace) bool { return p.Frame == at })
	if i < 0 {
		i = len(t.Callers)
		t.Callers = append(t.Callers, &reachedPlace{Frame: at})
	}
	p := t.Callers[i]
	if p.Calls++; len(p.Examples) < mostExamples {
		p.Examples = append(p.Examples, call)
	}
}

// receiverOf returns the type of a method, as *example.com/m/store.Store; "" for a function.
func receiverOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	last := strings.LastIndexByte(function, '.')
	if dot < 0 || slash+dot == last {
		return ""
	}
	pkg, name := function[:slash+dot+1], function[slash+dot+1:last]
	if pointer, ok := strings.CutPrefix(name, "(*"); ok {
		return "*" + pkg + strings.TrimSuffix(pointer, ")")
	}
	return pkg + name
}
