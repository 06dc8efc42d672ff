package manifest

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Timing says which timers and timer groups package timing makes of the groups and functions in a
// Manifest.
type Timing struct {
	Groups   []TimerGroup    `json:"groups"`
	Packages []TimingPackage `json:"packages"`
}

// A TimerGroup stands for a group of functions.
type TimerGroup struct {
	Name        string   `json:"name"` // the variable's, if the group's isn't known
	Description string   `json:"description"`
	Subgroups   []string `json:"subgroups,omitempty"` // by name
}

// A TimingPackage lists the timers of a package: first those of functions, by name, then those of
// info functions.
type TimingPackage struct {
	Path   string  `json:"package"`
	Timers []Timer `json:"timers"`
}

// A Timer measures calls of a function, or what info functions begin and end.
type Timer struct {
	Name        string   `json:"name"` // without the package
	Description string   `json:"description"`
	Group       string   `json:"group,omitempty"` // by name, that a function is in
	Enter       []string `json:"enter,omitempty"` // info functions that begin it
	Exit        []string `json:"exit,omitempty"`  // and end it
}

// Timing returns the timers and timer groups.
func (m *Manifest) Timing() *Timing {
	t := &Timing{Groups: []TimerGroup{}, Packages: []TimingPackage{}}
	for _, g := range m.Groups {
		group := TimerGroup{Name: g.label(), Subgroups: g.Subgroups}
		group.Description = format.GroupDoc{Name: group.Name, Doc: directive.FirstSentence(g.Doc)}.Describe()
		t.Groups = append(t.Groups, group)
	}
	for _, p := range m.Packages {
		if timers := p.timers(); len(timers) > 0 {
			t.Packages = append(t.Packages, TimingPackage{p.Path, timers})
		}
	}
	return t
}

// timers makes the timers of a package.
func (p Package) timers() []Timer {
	var functions, points []Timer
	for _, f := range p.Functions {
		doc := directive.FirstSentence(f.Doc)
		switch f.Info {
		case "":
			functions = append(functions, Timer{
				Name: f.Name, Description: format.TracedFunction{Name: f.Name, Doc: doc}.Describe(p.Path), Group: f.Group,
			})
		case "ENTER", "EXIT":
			name := format.PointName(f.Name)
			i := slices.IndexFunc(points, func(t Timer) bool { return t.Name == name })
			if i < 0 {
				i = len(points)
				points = append(points, Timer{
					Name: name, Description: format.TracedFunction{Name: f.Name, Doc: doc, Info: format.InfoEnter}.Describe(p.Path),
				})
			}
			if f.Info == "ENTER" {
				points[i].Enter = append(points[i].Enter, f.Name)
			} else {
				points[i].Exit = append(points[i].Exit, f.Name)
			}
		}
	}
	slices.SortFunc(points, func(a, b Timer) int { return cmp.Compare(a.Name, b.Name) })
	return append(functions, points...)
}

// Write writes the timers and timer groups in one of the Formats.
func (t *Timing) Write(w io.Writer, format string) error {
	b := bufio.NewWriter(w)
	switch format {
	case "json":
		if err := writeJSON(b, t); err != nil {
			return err
		}
	case "properties":
		t.properties(b)
	default:
		t.text(b)
	}
	return b.Flush()
}

func (t *Timing) text(w io.Writer) {
	for _, g := range t.Groups {
		fmt.Fprintf(w, "timer group %s  %s\n", g.Name, g.Description)
		for _, sub := range g.Subgroups {
			fmt.Fprintf(w, "    contains %s\n", sub)
		}
	}
	for _, p := range t.Packages {
		fmt.Fprintf(w, "package %s\n", p.Path)
		for _, timer := range p.Timers {
			what := timer.Group
			if timer.Group == "" {
				what = "ENTER " + list(timer.Enter) + " EXIT " + list(timer.Exit)
			}
			fmt.Fprintf(w, "    %s  %s  %s\n", cmp.Or(timer.Name, "(package)"), what, timer.Description)
		}
	}
}

func list(names []string) string { return cmp.Or(strings.Join(names, ","), "-") }

func (t *Timing) properties(w io.Writer) {
	set := func(key, value string) {
		if value != "" {
			fmt.Fprintf(w, "waymark.%s=%s\n", key, propertyValue(value))
		}
	}
	set("timergroups.size", fmt.Sprint(len(t.Groups)))
	for i, g := range t.Groups {
		key := fmt.Sprintf("timergroup.%d", i+1)
		set(key, g.Name)
		set(key+".description", g.Description)
		set(key+".subgroups", strings.Join(g.Subgroups, ","))
	}
	n := 0
	for _, p := range t.Packages {
		n += len(p.Timers)
	}
	set("timers.size", fmt.Sprint(n))
	n = 0
	for _, p := range t.Packages {
		for _, timer := range p.Timers {
			n++
			key := fmt.Sprintf("timer.%d", n)
			set(key, strings.TrimSuffix(p.Path+"."+timer.Name, "."))
			set(key+".description", timer.Description)
			set(key+".group", timer.Group)
			set(key+".enter", strings.Join(timer.Enter, ","))
			set(key+".exit", strings.Join(timer.Exit, ","))
		}
	}
}

// propertyValue writes a text as the properties format has it: in ASCII, the rest as UTF-16.
func propertyValue(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r < 0x80:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}
