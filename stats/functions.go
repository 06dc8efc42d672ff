package stats

import (
	"fmt"

	"github.com/waymark-go/waymark/internal/function"
)

// A Function is an instrumented function.
type Function struct {
	Name    string   `json:"name"`    // as runtime.FuncForPC gives it
	Package string   `json:"package"` // import path
	File    string   `json:"file"`
	Line    int      `json:"line"`             // of the func keyword
	Groups  []string `json:"groups,omitempty"` // names of those that it is in, directly or not, sorted

	// Tiny are the names of functions that run as part of its calls and weren't instrumented, because the
	// compiler inlines them: their time is this one's own.
	Tiny []string `json:"tiny,omitempty"`
}

func (f Function) String() string { return fmt.Sprintf("%s (%s:%d)", f.Name, f.File, f.Line) }

// functionOf returns what the board knows of a function.
func functionOf(f *function.Func) Function {
	return Function{Name: f.Name, Package: f.Package, File: f.File, Line: f.Line, Groups: f.Groups, Tiny: f.Tiny}
}
