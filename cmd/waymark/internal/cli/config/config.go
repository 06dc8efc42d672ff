package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/internal/pattern"
)

// Annotations of flags.
const (
	IsPattern = "waymark: pattern" // its values are patterns
	IsFile    = "waymark: file"    // its value is the name of a file or a folder
	IsOutput  = "waymark: output"  // it has the command write to its value, a file or an address
	from      = "waymark: from"    // where in a file its value is
)

// Mark says of flags what their values are: IsPattern or IsFile.
func Mark(set *pflag.FlagSet, what string, names ...string) {
	for _, name := range names {
		set.SetAnnotation(name, what, nil)
	}
}

// From returns where in a file the flag's value is, "" if it comes from elsewhere.
func From(f *pflag.Flag) string {
	if at := f.Annotations[from]; len(at) > 0 {
		return at[0]
	}
	return ""
}

// Apply sets the flags of a command that the command line leaves open to their values in the file
// at path. commands has the flags of all commands that the file may name. The command takes
// relative patterns as relative to dir. Unless the user has named the file, it is whoever's made
// the project, and flags that are IsOutput are a mistake.
func Apply(path string, named bool, dir, command string, commands map[string]*pflag.FlagSet) error {
	settings, err := parse(path)
	if err != nil {
		return err
	}
	set := commands[command]
	chosen := make(map[string]setting)
	for _, s := range settings {
		if err := s.check(commands, named); err != nil {
			return err
		}
		if f := set.Lookup(s.key); f == nil || f.Changed || s.table != "" && s.table != command {
			continue
		}
		if _, ok := chosen[s.key]; !ok || s.table != "" {
			chosen[s.key] = s
		}
	}
	base := filepath.Dir(path)
	for _, key := range slices.Sorted(maps.Keys(chosen)) {
		if err := chosen[key].apply(set, base, dir); err != nil {
			return err
		}
	}
	return nil
}

// check reports whether a setting is of flags that there are, and of their type, and that a file may
// set.
func (s *setting) check(commands map[string]*pflag.FlagSet, named bool) error {
	sets := commands
	if s.table != "" {
		set, ok := commands[s.table]
		if !ok {
			return fmt.Errorf("%s: [%s]: no such command takes flags from a file%s", s.at, s.table, isIt(s.table, slices.Sorted(maps.Keys(commands))))
		}
		sets = map[string]*pflag.FlagSet{s.table: set}
	}
	var known []string
	found := false
	for _, command := range slices.Sorted(maps.Keys(sets)) {
		sets[command].VisitAll(func(f *pflag.Flag) {
			if f.Name != "config" && f.Name != "help" {
				known = append(known, f.Name)
			}
		})
		f := sets[command].Lookup(s.key)
		if f == nil || !slices.Contains(known, s.key) {
			continue
		}
		found = true
		if _, output := f.Annotations[IsOutput]; output && !named {
			return fmt.Errorf("%s: %s: a file that comes with a project may not say where to write: give --%[2]s, or name the file by --config", s.at, s.key)
		}
		if _, err := s.values(f); err != nil {
			return err
		}
	}
	if !found {
		slices.Sort(known)
		where := ""
		if s.table != "" {
			where = " of waymark " + s.table
		}
		if _, ok := commands[s.key]; ok {
			return fmt.Errorf("%s: %s: want a table of flags, as in [%[2]s]", s.at, s.key)
		}
		return fmt.Errorf("%s: %s: no such flag%s%s", s.at, s.key, where, isIt(s.key, slices.Compact(known)))
	}
	return nil
}

func isIt(name string, known []string) string { return pattern.IsIt(name, known, 1) }

// values returns what to set the flag to, one after the other.
func (s *setting) values(f *pflag.Flag) ([]string, error) {
	want := ""
	switch kind := f.Value.Type(); {
	case kind == "bool":
		if s.kind == unstable.Bool {
			return []string{s.text}, nil
		}
		want = "true or false"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		if s.kind == unstable.Integer {
			return []string{s.text}, nil
		}
		want = "an integer"
	case strings.HasPrefix(kind, "float"):
		if s.kind == unstable.Integer || s.kind == unstable.Float {
			return []string{s.text}, nil
		}
		want = "a number"
	case s.kind == unstable.String:
		return []string{s.text}, nil
	case s.kind == unstable.Bool && f.NoOptDefVal != "":
		if s.text == "true" { // a flag that may stand without a value
			return []string{f.NoOptDefVal}, nil
		}
		return nil, nil
	case strings.HasPrefix(kind, "string") && kind != "string":
		if s.kind == unstable.Array {
			return s.list, nil
		}
		want = "a list of strings, or a string"
	case kind == "duration":
		want = `a duration in quotes, as in "10us"`
	default:
		want = "a string"
	}
	value := s.text
	if s.kind == unstable.Array {
		value = "a list"
	}
	return nil, fmt.Errorf("%s: %s = %s: want %s", s.where, s.key, value, want)
}

// apply sets the flag.
func (s setting) apply(set *pflag.FlagSet, base, dir string) error {
	f := set.Lookup(s.key)
	values, err := s.values(f)
	if err != nil {
		return err
	}
	for _, v := range rebase(values, f, base, dir) {
		if err := set.Set(s.key, v); err != nil {
			return fmt.Errorf("%s: %w", s.where, err)
		}
	}
	return set.SetAnnotation(s.key, from, []string{s.where})
}

// rebase makes relative patterns and files relative to the folder base. Patterns that are relative
// to base already stay as they are.
func rebase(values []string, f *pflag.Flag, base, dir string) []string {
	_, patterns := f.Annotations[IsPattern]
	_, file := f.Annotations[IsFile]
	_, output := f.Annotations[IsOutput]
	var out []string
	for _, v := range values {
		switch {
		case patterns && base != dir:
			out = append(out, pattern.Rebase(v, base)...)
		case (file || output) && v != "" && !filepath.IsAbs(v):
			out = append(out, filepath.Join(base, v))
		default:
			out = append(out, v)
		}
	}
	return out
}

// Locate adds the value's place in a file to an error about a flag's value. The error begins with
// the flag's name and dashes.
func Locate(set *pflag.FlagSet, err error) error {
	text := err.Error()
	name, ok := strings.CutPrefix(text, "--")
	if i := strings.IndexAny(name, "=: "); ok && i > 0 {
		if f := set.Lookup(name[:i]); f != nil && From(f) != "" {
			return fmt.Errorf("%s: %w", From(f), err)
		}
	}
	return err
}
