package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// valueFlags say what is recorded of arguments and results.
type valueFlags struct {
	args, results, redact, redactTypes []string
	depth, bytes                       int
	stringers                          bool
}

func (f *valueFlags) define(set *pflag.FlagSet) {
	set.StringArrayVar(&f.args, "args", nil, "record arguments, with =`PATTERN` of matching functions only (repeatable)")
	set.StringArrayVar(&f.results, "results", nil, "record results, with =`PATTERN` of matching functions only (repeatable)")
	config.Mark(set, config.IsPattern, "args", "results")
	set.Lookup("args").NoOptDefVal = build.Everything
	set.Lookup("results").NoOptDefVal = build.Everything
	set.IntVar(&f.depth, "arg-depth", format.DefaultDepth, "open structs, slices, pointers in values to depth `N`")
	set.IntVar(&f.bytes, "arg-bytes", format.DefaultBytes, "record `N` bytes of each value")
	set.BoolVar(&f.stringers, "stringers", false, "record values as the text of their methods String and Error: runs the program's code")
	set.StringArrayVar(&f.redactTypes, "redact-type", nil, "mask values of types named `PATTERN` too: Card, pay.Card or example.com/pay.Card (repeatable)")
	set.StringArrayVar(&f.redact, "redact", nil, "mask parameters and fields with this `WORD` in their names too; none: nothing else (repeatable; default "+strings.ReplaceAll(format.DefaultRedact, ",", ", ")+")")
}

func (f *valueFlags) options() (build.Values, error) {
	if f.depth < 0 || f.depth > format.MaxDepth {
		return build.Values{}, usagef("--arg-depth=%d: want 0 to %d", f.depth, format.MaxDepth)
	}
	if f.bytes < 0 || f.bytes > format.MaxBytes {
		return build.Values{}, usagef("--arg-bytes=%d: want 0 to %d", f.bytes, format.MaxBytes)
	}
	words := format.AddRedactWords(nil, format.DefaultRedact)
	for _, list := range f.redact {
		words = format.AddRedactWords(words, list)
	}
	var types []string
	for _, list := range f.redactTypes {
		types = append(types, strings.Split(list, ",")...)
	}
	return build.Values{Args: f.args, Results: f.results, Redact: words, RedactTypes: types, Depth: f.depth, Bytes: f.bytes, Stringers: f.stringers}, nil
}
