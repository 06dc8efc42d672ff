//go:build linux && amd64

package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/units"
)

// An inlined function is one whose calls, in some places, are no calls: the compiler has put its code there.
type inlined struct {
	name   pattern.Func
	text   string // as runtime.CallersFrames has it
	places int
}

// inlinedIn returns the functions that are inlined in functions of a program, in the order of their names.
func inlinedIn(im *image.Image, list []*image.Func) (all []inlined) {
	places := make(map[string]int)
	for _, f := range list {
		for _, name := range f.Inlined() {
			places[name]++
		}
	}
	for name, n := range places {
		path := image.PackageOf(name)
		if image.IsRuntime(path) {
			continue
		}
		if path == "main" {
			path = im.Main
		}
		all = append(all, inlined{pattern.FromRuntime(path, patch.NameOf(name)), patch.NameOf(name), n})
	}
	slices.SortFunc(all, func(a, b inlined) int { return strings.Compare(a.text, b.text) })
	return all
}

// few returns as many of a list as a message has room for, and how many there are more.
func few(list []control.Listed) (some []control.Listed, more int) {
	const most = 2000
	some = list[:min(len(list), most)]
	return some, len(list) - len(some)
}

// inlinedOf returns those that a set of patterns names.
func (h *host) inlinedOf(set *pattern.Set) (list []control.Listed) {
	h.findInlined.Do(func() { h.inlined = inlinedIn(h.t.Image, h.funcs) })
	for _, f := range h.inlined {
		if in, _ := set.Match(f.name); !in {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Name == f.text { // another instance of a generic function
			list[n-1].Functions += f.places
			continue
		}
		list = append(list, control.Listed{Name: f.text, Functions: f.places})
	}
	return list
}

// notSeen says in how many places functions are inlined.
func notSeen(list []control.Listed) string {
	if len(list) == 0 {
		return ""
	}
	what, places := list[0].Name+" is", 0
	if n := len(list); n > 1 {
		what = units.Things(uint64(n), "function") + " are"
	}
	for _, f := range list {
		places += f.Functions
	}
	return fmt.Sprintf("; %s inlined in %s, and not seen there, see waymark status --inlined", what, units.Things(uint64(places), "place"))
}
