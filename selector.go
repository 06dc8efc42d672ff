package waymark

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Selector selects functions: a *Group, or what Pattern returns. It prints itself as the name or as
// the patterns.
type Selector = switchboard.Selector

// selecting is what makes a Selector of a type.
type selecting = switchboard.Selecting

// Pattern selects the functions that one of the patterns names, as the command's flag --include
// does: mymod/..., mymod/pkg, mymod/pkg.Func, pkg.Type.*, /regexp/, or @Group. What is wrong with a
// pattern is an error where the selector is used. A pattern that names no function is no error, as
// packages may be loaded and groups made later. Funcs returns the functions that it names now.
func Pattern(patterns ...string) Selector {
	return &patternSelector{switchboard.Selects(func() (switchboard.Selection, string, error) { return selection(patterns) }), patterns}
}

type patternSelector struct {
	selecting
	patterns []string
}

// String returns the patterns.
func (p *patternSelector) String() string { return strings.Join(p.patterns, ", ") }

// selection returns the functions that patterns name, and the names of groups if they name only such.
func selection(p []string) (s switchboard.Selection, group string, err error) {
	if len(p) == 0 {
		return s, "", errors.New("no pattern: want one, as in mymod/..., mymod/pkg.Func or @Group")
	}
	for _, text := range p {
		name, ok := strings.CutPrefix(text, "@")
		if !ok || !format.ValidGroupName(name) {
			s.Groups = nil
			break
		}
		s.Groups = append(s.Groups, name)
	}
	if s.Groups != nil {
		return s, strings.Join(s.Groups, ", "), nil
	}
	set, err := pattern.CompileSet(p, "")
	if err != nil {
		return s, "", err
	}
	set.Loosen() // packages come one by one
	var mu sync.Mutex
	s.Has = func(f *function.Func) bool {
		mu.Lock()
		defer mu.Unlock()
		in, _ := set.Match(pattern.Of(f))
		return in
	}
	return s, "", nil
}

// selected returns what s selects.
func selected(s Selector) (switchboard.Selection, string, error) {
	if g, ok := s.(*Group); s == nil || ok && g == nil {
		return switchboard.Selection{}, "", fmt.Errorf("the group %w", ErrNil)
	}
	return switchboard.Selected(s)
}

// Funcs returns the functions that s selects at this moment, by package in the order of
// initialisation, then in that of the source. It returns nil if something is wrong with s.
func Funcs(s Selector) []Func {
	selection, _, err := selected(s)
	if err != nil {
		return nil
	}
	return values(switchboard.Default.Funcs(selection))
}

func values(list []*function.Func) []Func {
	funcs := make([]Func, len(list))
	for i, f := range list {
		funcs[i] = *f
	}
	return funcs
}
