package cli

import (
	"encoding/base64"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/condition"
)

// onlyFlag is the flag --if: which calls are printed.
type onlyFlag struct {
	text     string   // empty: all
	patterns []string // of the functions whose calls are printed
	program  *condition.Program
}

func (o *onlyFlag) define(set *pflag.FlagSet) {
	set.StringVar(&o.text, "if", "", "with --print: only calls for which `EXPRESSION` is true, such as 'args.n > 10 && duration > 5ms'")
}

// compile compiles the condition, and has the values recorded that it reads.
func (o *onlyFlag) compile(set *pflag.FlagSet) (err error) {
	if !set.Changed("if") {
		return nil
	}
	if o.patterns, _ = set.GetStringArray("print"); len(o.patterns) == 0 {
		return usagef("--if needs --print: add a pattern, as in --print main.handle --if '%s'", o.text)
	}
	if o.program, err = expression.Compile(o.text, nil); err != nil {
		return usagef("%v", err)
	}
	args, results := o.program.Reads()
	for name, reads := range map[string]bool{"args": args, "results": results} {
		if !reads || set.Changed(name) {
			continue
		}
		for _, p := range o.patterns { // in the value: the user has not given the flag, which is for building only
			if err := set.Lookup(name).Value.Set(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits returns an error if the condition fits none of the functions that are instrumented and whose
// calls are to be printed.
func (o *onlyFlag) fits(funcs []build.Func) error {
	if o.program == nil {
		return nil
	}
	set, err := pattern.CompileSet(o.patterns, "")
	if err != nil {
		return nil // the program says so
	}
	set.Loosen()
	var first error
	for i := range funcs {
		f := &funcs[i]
		if ok, _ := set.Match(pattern.Of(&f.Func)); !ok || !f.Instrumented {
			continue
		}
		sig := expression.Signature{Function: f.Name}
		for _, v := range f.Args {
			sig.Args = append(sig.Args, expression.Value(v))
		}
		for _, v := range f.Results {
			sig.Results = append(sig.Results, expression.Value(v))
		}
		if _, err := expression.Compile(o.text, &sig); err == nil {
			return nil
		} else if first == nil {
			first = err
		}
	}
	if first != nil {
		return usagef("%v", first)
	}
	return nil
}

// setting returns the setting of WAYMARK, with a comma before it; empty: all calls are meant.
func (o *onlyFlag) setting() string {
	if o.program == nil {
		return ""
	}
	return ",if=" + base64.RawURLEncoding.EncodeToString(o.program.Append(nil))
}
