package tracefile

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// sameProgram tells in what files differ that are not of one build of one program.
func sameProgram(files []*File) error {
	if len(files) == 0 {
		return errors.New("no files to join")
	}
	// The one with most functions has them all, if it is the same program.
	most := files[0]
	for _, f := range files {
		if f.funcs.count() > most.funcs.count() {
			most = f
		}
	}
	for _, f := range files {
		a, b := files[0], f
		if x, y := a.program(), b.program(); x != y && x != "" && y != "" {
			return fmt.Errorf("%s is of the program %s, %s of %s: give files of one program", a.path, x, b.path, y)
		}
		if f == most || f.funcs.agree(most.funcs) {
			continue
		}
		if a, b = f, most; most == files[0] {
			a, b = most, f
		}
		if err := differentBuilds(a, b); err != nil {
			return err
		}
	}
	return nil
}

// program returns the program's name without folder: waymark run builds it in a new
// one each time.
func (f *File) program() string {
	name := strings.ReplaceAll(f.meta[format.MetaProgram], `\`, "/")
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".exe")
}

// agree reports whether no id means one function in t and another in o. A program
// gives ids in the same order each time that it runs.
func (t funcTables) agree(o funcTables) bool {
	for i := range t {
		for id := t[i].base; id < t[i].end(); id++ {
			if other := o.of(id); other != nil && other.identity(id) != t[i].identity(id) {
				return false
			}
		}
	}
	return true
}

// differentBuilds says in which functions a and b differ, nil if in none.
func differentBuilds(a, b *File) error {
	in := func(f *File) map[string]map[function.Identity]bool {
		m := make(map[string]map[function.Identity]bool)
		f.Funcs(func(_ uint32, fn Func) bool {
			if m[fn.Name] == nil {
				m[fn.Name] = make(map[function.Identity]bool)
			}
			m[fn.Name][fn.Identity()] = true
			return true
		})
		return m
	}
	ina, inb := in(a), in(b)
	var differ []string
	for name, sites := range ina {
		if !sameSites(sites, inb[name]) {
			differ = append(differ, name)
		}
	}
	for name := range inb {
		if ina[name] == nil {
			differ = append(differ, name)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	sort.Strings(differ)
	name := differ[0]
	var how string
	switch {
	case inb[name] == nil:
		how = "which only " + a.path + " has"
	case ina[name] == nil:
		how = "which only " + b.path + " has"
	default:
		how = fmt.Sprintf("at %s in the one and at %s in the other", place(ina[name]), place(inb[name]))
	}
	count := fmt.Sprintf("%d functions differ", len(differ))
	if len(differ) == 1 {
		count = "1 function differs"
	}
	return fmt.Errorf("%s and %s are of different builds of %s: %s, such as %s, %s; give files of one build",
		a.path, b.path, a.program(), count, name, how)
}

func sameSites(a, b map[function.Identity]bool) bool {
	for s := range a {
		if !b[s] {
			return false
		}
	}
	return len(a) == len(b)
}

// place says where the first of functions with one name is.
func place(sites map[function.Identity]bool) string {
	var places []string
	for s := range sites {
		places = append(places, fmt.Sprintf("%s:%d", s.File, s.Line))
	}
	sort.Strings(places)
	return places[0]
}
