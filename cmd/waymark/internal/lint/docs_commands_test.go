package lint

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// commandFlags returns the flags of each command, out of its help.
func commandFlags(t *testing.T) map[string][]string {
	t.Helper()
	help := func(args ...string) string {
		var out strings.Builder
		if status := cli.Main(args, nil, strings.NewReader(""), &out, &out); status != 0 {
			t.Fatalf("waymark %s: status %d, want 0\n%s", args, status, &out)
		}
		return out.String()
	}
	flags := map[string][]string{"completion": nil, "help": nil, "toolexec": nil}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+)  +`).FindAllStringSubmatch(help("help"), -1) {
		name := m[1]
		if _, ok := flags[name]; ok {
			continue
		}
		flags[name] = nil
		for _, m := range regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`).FindAllStringSubmatch(help(name, "--help-all"), -1) {
			flags[name] = append(flags[name], m[1])
		}
	}
	return flags
}

// TestDocsCommands checks that commands, flags and keys of WAYMARK that documents mention exist.
func TestDocsCommands(t *testing.T) {
	flags := commandFlags(t)
	if len(flags) < 10 || !slices.Contains(flags["report"], "sort") {
		t.Fatalf("commands with their flags: %v; want report with --sort, and others", flags)
	}
	every := []string{"no-event", "help-all"} // uftrace's; of all commands, but in no list
	for _, names := range flags {
		every = append(every, names...)
	}
	command := regexp.MustCompile(`(?:^|[\s/(])waymark ([a-z][\w-]*)([^|;&>#)]*)`)
	settingText := regexp.MustCompile(`\bWAYMARK=([^\s@'"]+)`)
	checked := 0
	for _, d := range documents(t) {
		if d.name == "CHANGELOG.md" {
			continue // it names what is gone, too
		}
		for _, l := range d.lines {
			pieces := l.inline()
			if l.code {
				pieces = []string{l.text}
			}
			for _, code := range pieces {
				for _, m := range command.FindAllStringSubmatch(code, -1) {
					own, ok := flags[m[1]]
					if !ok {
						if !l.code || strings.HasPrefix(strings.TrimSpace(code), "waymark") {
							t.Errorf("%s: waymark %s: there is no such command: %s", d.at(l), m[1], code)
						}
						continue
					}
					checked++
					for _, f := range longFlags(m[2]) {
						if !slices.Contains(own, f) {
							t.Errorf("%s: waymark %s has no flag --%s: %s", d.at(l), m[1], f, code)
						}
					}
				}
				if !command.MatchString(code) && !l.code {
					for _, f := range longFlags(code) {
						if !slices.Contains(every, f) {
							t.Errorf("%s: no command has the flag --%s", d.at(l), f)
						}
					}
				}
				for _, m := range settingText.FindAllStringSubmatch(code, -1) {
					for _, key := range keysOf(m[1]) {
						if setting.Find(key) == nil {
							t.Errorf("%s: WAYMARK has no key %q: %s", d.at(l), key, code)
						}
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("found %d commands in the documents, want 50 at least", checked)
	}
}

// longFlags returns the names of the flags with two dashes.
func longFlags(code string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(?:^|\s)--([a-z][\w-]*)`).FindAllStringSubmatch(code, -1) {
		names = append(names, m[1])
	}
	return names
}

// keysOf returns the keys of a value of WAYMARK, in its form with commas or with number signs.
func keysOf(value string) []string {
	separator, equals := ",", "="
	if len(value) > 1 && value[1] == ':' {
		separator, equals = "#", ":"
	}
	var keys []string
	for _, item := range strings.Split(value, separator) {
		key, _, _ := strings.Cut(item, equals)
		if regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(key) {
			keys = append(keys, key)
		}
	}
	return keys
}
