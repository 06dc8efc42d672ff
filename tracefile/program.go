package tracefile

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/waymark-go/waymark/internal/format"
)

// sameProgram tells in what files differ that are not of one build of one program.
func sameProgram(files []*File) error {
	if len(files) == 0 {
		return errors.New("no files to join")
	}
	// The one with most functions has them all, if it is the same program.
	most := files[0]
	for _, f := range files {
		if f.sites.count() > most.sites.count() {
			most = f
		}
	}
	for _, f := range files {
		a, b := files[0], f
		if x, y := a.program(), b.program(); x != y && x != "" && y != "" {
			return fmt.Errorf("%s is of the program %s, %s of %s: give files of one program", a.path, x, b.path, y)
		}
		if f == most || f.sites.agree(most.sites) {
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

// program gives the program's name without folder: waymark run builds it in a new
// one each time.
func (f *File) program() string {
	name := strings.ReplaceAll(f.meta[format.MetaProgram], `\`, "/")
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".exe")
}

// An identity is what tells functions apart.
type identity struct {
	pkg, name, file string
	line            int
}

func identify(s Site) identity { return identity{s.Package, s.Name, s.File, s.Line} }

// agree tells whether no id means one function in t and another in o. A program
// gives ids in the same order each time that it runs.
func (t siteTables) agree(o siteTables) bool {
	for i := range t {
		for id := t[i].base; id < t[i].end(); id++ {
			if other := o.of(id); other != nil && identify(other.site(id)) != identify(t[i].site(id)) {
				return false
			}
		}
	}
	return true
}

// differentBuilds says in which functions a and b differ, nil if in none.
func differentBuilds(a, b *File) error {
	in := func(f *File) map[string]map[identity]bool {
		m := make(map[string]map[identity]bool)
		f.Sites(func(_ uint32, s Site) bool {
			if m[s.Name] == nil {
				m[s.Name] = make(map[identity]bool)
			}
			m[s.Name][identify(s)] = true
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

func sameSites(a, b map[identity]bool) bool {
	for s := range a {
		if !b[s] {
			return false
		}
	}
	return len(a) == len(b)
}

// place says where the first of functions with one name is.
func place(sites map[identity]bool) string {
	var places []string
	for s := range sites {
		places = append(places, fmt.Sprintf("%s:%d", s.file, s.line))
	}
	sort.Strings(places)
	return places[0]
}
