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
	args, results, redact, redactTypes []string
	set                                *pflag.FlagSet
	stringers                          bool
}

func (f *valueFlags) define(set *pflag.FlagSet) {
	set.StringArrayVar(&f.args, "args", nil, "record arguments, with =`PATTERN` of matching functions only (repeatable)")
	set.StringArrayVar(&f.results, "results", nil, "record results, with =`PATTERN` of matching functions only (repeatable)")
	config.Mark(set, config.IsPattern, "args", "results")
	set.Lookup("args").NoOptDefVal = build.Everything
	set.Lookup("results").NoOptDefVal = build.Everything
	f.set = set
	defineFlags(set, setting.Values)
	set.BoolVar(&f.stringers, "stringers", false, "record values as the text of their methods String and Error: runs the program's code")
	set.StringArrayVar(&f.redactTypes, "redact-type", nil, "mask values of types named `PATTERN` too: Card, pay.Card or example.com/pay.Card (repeatable)")
	set.StringArrayVar(&f.redact, "redact", nil, "mask parameters and fields with this `WORD` in their names too; none: nothing else (repeatable; default "+strings.ReplaceAll(format.DefaultRedact, ",", ", ")+")")
}

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
			return "", usagef("record: --%s=%s is of builds: without a pattern it is of all functions that are recorded", of.name, of.list[0])
		}
	}
	return settings, nil
}

func (f *valueFlags) options() (build.Values, error) {
	depth, err := readFlag(f.set, setting.Find("arg-depth"))
	if err != nil {
		return build.Values{}, err
	}
	bytes, err := readFlag(f.set, setting.Find("arg-bytes"))
	if err != nil {
		return build.Values{}, err
	}
	words := format.AddRedactWords(nil, format.DefaultRedact)
	for _, list := range f.redact {
		words = format.AddRedactWords(words, list)
	}
	var types []string
	for _, list := range f.redactTypes {
		types = append(types, strings.Split(list, ",")...)
	}
	return build.Values{Args: f.args, Results: f.results, Redact: words, RedactTypes: types, Depth: int(depth.N), Bytes: int(bytes.N), Stringers: f.stringers}, nil
}
