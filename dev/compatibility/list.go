package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Suite is what one line of the list says.
type Suite struct {
	Module   string   // path@version, or std
	Packages []string // patterns, ./... if the line has none
	Flags    []string // for go test
	Race     bool     // is run with -race too, when that is asked for
	Env      []string
}

// Path returns the module's path without its version.
func (s Suite) Path() string {
	path, _, _ := strings.Cut(s.Module, "@")
	return path
}

// std is the suite of packages of the standard library, which are instrumented by name.
const std = "std"

// readList parses a list: on each line a module, then variables for the environment
// (A=B), the word race, flags (-…) and packages in any order. # begins a comment.
func readList(name string) ([]Suite, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []Suite
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		s := Suite{Module: words[0]}
		if s.Module != std && !strings.Contains(s.Module, "@v") {
			return nil, fmt.Errorf("%s:%d: %q: want a module at a version, path@v1.2.3, or std", name, n, s.Module)
		}
		for _, w := range words[1:] {
			switch {
			case w == "race":
				s.Race = true
			case strings.HasPrefix(w, "-"):
				s.Flags = append(s.Flags, w)
			case strings.Contains(w, "="):
				s.Env = append(s.Env, w)
			default:
				s.Packages = append(s.Packages, w)
			}
		}
		if len(s.Packages) == 0 {
			s.Packages = []string{"./..."}
		}
		if slices.ContainsFunc(list, func(o Suite) bool { return o.Module == s.Module }) {
			return nil, fmt.Errorf("%s:%d: %s is listed twice", name, n, s.Module)
		}
		list = append(list, s)
	}
	return list, lines.Err()
}
