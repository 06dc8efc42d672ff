package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// valueFlags say what is recorded of arguments and results.
type valueFlags struct {
	args, results []string
	shown         shownFlags
	stringers     bool
}

// shownFlags say how much values show.
type shownFlags struct {
	redact, redactTypes []string
	set                 *pflag.FlagSet
}

// define defines the flags. words is what usage says of those that are masked without.
func (f *shownFlags) define(set *pflag.FlagSet, words string) {
	f.set = set
	defineFlags(set, setting.Values)
	set.StringArrayVar(&f.redactTypes, "redact-type", nil, "mask values of types named `PATTERN` too: Card, pay.Card or example.com/pay.Card (repeatable)")
	set.StringArrayVar(&f.redact, "redact", nil, "mask parameters and fields with this `WORD` in their names too"+words)
}

// shownKeys are the settings of these flags, whose names are the same.
var shownKeys = []string{"arg-depth", "arg-bytes", "redact", "redact-type"}

// live returns the settings of a patched program that were given, as WAYMARK has them. They mask no less than without.
func (f *shownFlags) live() (settings string, err error) {
	if _, _, err := f.limits(); err != nil {
		return "", err
	}
	for _, list := range f.redact {
		for _, word := range strings.Split(list, ",") {
			switch words := format.AddRedactWords([]string{""}, word); len(words) {
			case 0:
				return "", usagef("--redact=%s is for builds: in a patched program --redact can only add words", list)
			case 1:
				return "", usagef("--redact=%s: want a word of the names to mask, as in iban", list)
			}
		}
	}
	for _, list := range f.redactTypes {
		for _, name := range strings.Split(list, ",") {
			if strings.TrimSpace(name) == "" {
				return "", usagef("--redact-type=%s: want a type's name, as in Card, pay.Card or example.com/pay.Card", list)
			}
		}
	}
	var list []*setting.Setting
	for _, key := range shownKeys {
		if config.From(f.set.Lookup(key)) == "" { // what waymark.toml has is for packages
			list = append(list, setting.Find(key))
		}
	}
	return given(f.set, list), nil
}

func (f *shownFlags) limits() (depth, bytes int, err error) {
	d, err := readFlag(f.set, setting.Find("arg-depth"))
	if err != nil {
		return 0, 0, err
	}
	b, err := readFlag(f.set, setting.Find("arg-bytes"))
	return int(d.N), int(b.N), err
}

// fixed is the error of settings that were given for values of a program that waymark has built.
func fixed(command, settings string) error {
	name := strings.FieldsFunc(settings, func(r rune) bool { return r == ',' || r == '=' })[0]
	return usagef("%s: --%s is for builds and for programs of plain Go: for this program give --%s to waymark build", command, name, name)
}

func (f *valueFlags) define(set *pflag.FlagSet) {
	set.StringArrayVar(&f.args, "args", nil, "record arguments, with =`PATTERN` of matching functions only (repeatable)")
	set.StringArrayVar(&f.results, "results", nil, "record results, with =`PATTERN` of matching functions only (repeatable)")
	config.Mark(set, config.IsPattern, "args", "results")
	set.Lookup("args").NoOptDefVal = build.Everything
	set.Lookup("results").NoOptDefVal = build.Everything
	f.shown.define(set, "; none: nothing else (repeatable; default "+strings.ReplaceAll(format.DefaultRedact, ",", ", ")+")")
	set.BoolVar(&f.stringers, "stringers", false, "record values as the text of their methods String and Error: runs the program's code")
}

// ofPatched are the names of flags that patched programs have, too.
var ofPatched = append([]string{"args", "results"}, shownKeys...)

// live returns the settings by which values of a patched program are recorded, as WAYMARK has them.
func (f *valueFlags) live() (settings string, err error) {
	for _, of := range []struct {
		name string
		list []string
	}{{"args", f.args}, {"results", f.results}} {
		switch {
		case len(of.list) == 1 && of.list[0] == build.Everything:
			settings += "," + of.name
		case len(of.list) > 0:
			return "", usagef("record: --%s=%s is for builds: leave the pattern out, for values of all recorded functions", of.name, of.list[0])
		}
	}
	shown, err := f.shown.live()
	return settings + shown, err
}

func (f *valueFlags) options() (build.Values, error) {
	depth, bytes, err := f.shown.limits()
	if err != nil {
		return build.Values{}, err
	}
	words := format.AddRedactWords(nil, format.DefaultRedact)
	for _, list := range f.shown.redact {
		words = format.AddRedactWords(words, list)
	}
	var types []string
	for _, list := range f.shown.redactTypes {
		types = append(types, strings.Split(list, ",")...)
	}
	return build.Values{Args: f.args, Results: f.results, Redact: words, RedactTypes: types, Depth: depth, Bytes: bytes, Stringers: f.stringers}, nil
}
