package instrument

import (
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A rewritten is a file as it is to be compiled.
type rewritten struct {
	path    string
	source  []byte
	changed bool
	reason  string // why nothing of it could be rewritten, if so
}

// A result is a unit for which a Plan has been applied.
type result struct {
	*Plan
	files     []rewritten
	generated *Generated
	funcs     []*Func
}

// rewrite rewrites a unit. decide may change the decision about a function that can be
// instrumented; nil leaves all as they are. The table is namesTable.
func rewrite(u *syntax.Unit, o *Options, decide func(*Func)) (*result, error) {
	a, err := Analyze(u, o)
	if err != nil {
		return nil, err
	}
	for _, f := range a.Funcs {
		if decide != nil && f.Never == "" {
			decide(f)
		}
	}
	p, err := a.Plan()
	if err != nil {
		return nil, err
	}
	res := &result{Plan: p, generated: p.Generate(namesTable(p)), funcs: a.Funcs}
	for i := range p.Files {
		f := rewritten{path: p.Files[i].Path, source: u.Files[i].Source, reason: p.Files[i].Reason}
		if p.Files[i].Edits != nil {
			f.changed = true
			if f.source, err = p.Files[i].Text(); err != nil {
				return nil, err
			}
		}
		res.files = append(res.files, f)
	}
	return res, nil
}

// mustRewrite is rewrite where it can't fail.
func mustRewrite(t testing.TB, u *syntax.Unit, o *Options, decide func(*Func)) *result {
	t.Helper()
	res, err := rewrite(u, o, decide)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// allValues has the arguments and the results of every function recorded.
func allValues(f *Func) { f.Args, f.Results = true, true }
