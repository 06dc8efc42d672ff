package stats

import (
	"github.com/waymark-go/waymark/internal/function"
)

// A Func is an instrumented function. Functions of this package set these fields:
//
//	Name    string   // as runtime.FuncForPC returns it: example.com/app/store.(*Store).Get
//	Package string   // import path
//	File    string
//	Line    int      // of the keyword func
//	Groups  []string // names of the groups that the function is in, directly or not, sorted
//	Tiny    []string // names of functions that the compiler inlines into this function
//
// The functions in Tiny are not instrumented: their time is this function's own.
type Func = function.Func
