package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/pattern"
)

// A kind is that of an argument's values.
type kind string

const (
	word     kind = "text"
	words    kind = "list of texts"
	number   kind = "whole number"
	yes      kind = "true or false"
	duration kind = "duration, as in 10ms or 5s"
)

// A param is an argument that a tool takes.
type param struct {
	name  string
	kind  kind
	about string
	flag  string // of the command; "": the value stands behind the flags; own: the command doesn't get it
	need  bool

	usual any // value if none is given; nil: the command's own
	most  int // of numbers, and seconds of durations; durations with 0 have no limit

	as func(string) (string, error) // makes the command's word of the value; nil: they are the same
}

// own is the flag of a param that the command doesn't get.
const own = "-"

// usually returns p with another default.
func (p param) usually(v any) param {
	p.usual = v
	return p
}

// schema returns the JSON schema of the arguments.
func (t *tool) schema() map[string]any {
	properties := make(map[string]any)
	var need []string
	for _, p := range t.params {
		s := map[string]any{"description": p.about}
		switch p.kind {
		case words:
			s["type"], s["items"] = "array", map[string]any{"type": "string"}
		case number:
			s["type"], s["minimum"], s["maximum"] = "integer", 1, p.most
		case yes:
			s["type"] = "boolean"
		default:
			s["type"] = "string"
		}
		if p.usual != nil {
			s["default"] = p.usual
		}
		properties[p.name] = s
		if p.need {
			need = append(need, p.name)
		}
	}
	all := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if need != nil {
		all["required"] = need
	}
	return all
}

// arguments are those of a call.
type arguments struct {
	tool   *tool
	dir    string
	most   bounds
	values map[string][]string // by name, as the command gets them
}

// parse reads the arguments of a call, a JSON object.
func (t *tool) parse(raw json.RawMessage) (*arguments, error) {
	given := make(map[string]json.RawMessage)
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, fmt.Errorf("the arguments of %s: want a JSON object: %w", t.name, err)
		}
	}
	a := &arguments{tool: t, values: make(map[string][]string)}
	var names []string
	for _, p := range t.params {
		names = append(names, p.name)
		v, ok := given[p.name]
		delete(given, p.name)
		if !ok || string(v) == "null" {
			if p.need {
				return nil, fmt.Errorf("%s: want the argument %s: %s", t.name, p.name, p.about)
			}
			if p.usual == nil {
				continue
			}
			v, _ = json.Marshal(p.usual) // numbers, texts
		}
		list, err := p.read(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", t.name, p.name, err)
		}
		a.values[p.name] = list
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		return nil, fmt.Errorf("%s has no argument %s%s; it has %s", t.name, name, pattern.IsIt(name, names, 1), strings.Join(names, ", "))
	}
	a.dir = a.text("dir")
	a.most.rows, _ = strconv.Atoi(a.text("rows"))
	a.most.bytes, _ = strconv.Atoi(a.text("bytes"))
	return a, nil
}

// text returns the value of a param that has one.
func (a *arguments) text(name string) string { return strings.Join(a.values[name], " ") }

// read returns the words of a JSON value.
func (p *param) read(v json.RawMessage) (list []string, err error) {
	wrong := func() ([]string, error) { return nil, fmt.Errorf("%s: want a %s", v, p.kind) }
	switch p.kind {
	case yes:
		var b bool
		if json.Unmarshal(v, &b) != nil {
			return wrong()
		}
		return []string{strconv.FormatBool(b)}, nil
	case number:
		var n int
		if json.Unmarshal(v, &n) != nil {
			return wrong()
		}
		if n < 1 || n > p.most {
			return nil, fmt.Errorf("%d: want 1 to %d", n, p.most)
		}
		return []string{strconv.Itoa(n)}, nil
	case words:
		if json.Unmarshal(v, &list) == nil {
			break
		}
		fallthrough
	default:
		var s string
		if n := json.Number(""); json.Unmarshal(v, &s) != nil {
			if json.Unmarshal(v, &n) != nil { // of a process
				return wrong()
			}
			s = n.String()
		}
		list = []string{s}
	}
	if p.kind == duration {
		d, err := time.ParseDuration(list[0])
		if err != nil || d < 0 {
			return wrong()
		}
		if most := time.Duration(p.most) * time.Second; p.most > 0 && (d == 0 || d > most) {
			return nil, fmt.Errorf("%v: want more than 0, and %v at most", d, most)
		}
	}
	if p.need && len(list) == 0 {
		return wrong()
	}
	for i, s := range list {
		if p.flag == "" && (s == "" || s[0] == '-') {
			return nil, fmt.Errorf("%q: want a text that is not empty and doesn't begin with a dash", s)
		}
		if p.as != nil {
			if list[i], err = p.as(s); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// commandLine returns what the command gets.
func (a *arguments) commandLine() []string {
	args := slices.Clone(a.tool.command)
	if a.tool.form(a) != "" {
		args = append(args, "--format", a.tool.form(a))
	}
	var behind []string
	for _, p := range a.tool.params {
		for _, v := range a.values[p.name] {
			switch p.flag {
			case own:
			case "":
				behind = append(behind, v)
			default:
				args = append(args, p.flag+"="+v)
			}
		}
	}
	if len(behind) == 0 {
		return args
	}
	return append(append(args, "--"), behind...)
}

// narrower returns the arguments that choose less.
func (t *tool) narrower() (list []string) {
	for _, p := range t.params {
		switch p.name {
		case "include", "exclude", "root", "callers", "min", "depth", "slowest", "key", "if", "n", "packages", "run":
			list = append(list, p.name)
		}
	}
	return list
}

// wider says how to get more.
func (t *tool) wider() string {
	list := t.narrower()
	if list == nil {
		return "raise rows or bytes"
	}
	return "raise rows or bytes, or choose by " + strings.Join(list, ", ")
}
