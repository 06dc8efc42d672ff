// Package function describes instrumented functions: one type for the build, the manifest,
// patterns, statistics, observers and trace files.
package function

import "fmt"

// A Func is a function of a program. What its user does not know is zero.
type Func struct {
	Name    string `json:"name"`    // as runtime.FuncForPC returns it
	Package string `json:"package"` // import path
	File    string `json:"file"`
	Line    int    `json:"line"` // of the func keyword

	// Groups are the names of the groups that the function is in, directly or not, sorted. Group
	// is the one that its directive names; empty if there is no directive.
	Groups []string `json:"groups,omitempty"`
	Group  string   `json:"-"`

	// Roles are the built-in groups that the function is in because of its parameters' types, such as
	// http. The program has no groups of these names.
	Roles []string `json:"-"`

	// Valued says that the function was instrumented for arguments or results.
	Valued bool `json:"-"`

	// Tiny are the names of functions that run as part of this one's calls. They are not
	// instrumented, because the compiler inlines them: their time is this one's own.
	Tiny []string `json:"tiny,omitempty"`

	// Functions with directives have a name for tracing, such as Type.Method or what a directive
	// says. They have an id: the index of that name among the package's, sorted.
	TracingName string `json:"-"`
	ID          int    `json:"-"`
	Doc         string `json:"-"` // the first sentence of the function's comment

	// Marker says that the function is an info function: its calls mark a place. Point is what
	// begins or ends there.
	Marker bool  `json:"-"`
	Point  Point `json:"-"`
}

// String returns the function's name.
func (f Func) String() string { return f.Name }

// An Identity is what tells functions apart. A function may be instrumented more than once, as its
// package is compiled again for tests.
type Identity struct {
	Name    string
	Package string
	File    string
	Line    int
}

// Identity returns what tells f from other functions.
func (f *Func) Identity() Identity { return Identity{f.Name, f.Package, f.File, f.Line} }

// A Point says what the call of an info function stands for.
type Point int

const (
	NoPoint Point = iota // nothing but itself
	Begin                // something begins
	End                  // it ends
)

// String returns the word of the directive, in capitals: ENTER for Begin, EXIT for End.
func (p Point) String() string {
	switch p {
	case NoPoint:
		return "NONE"
	case Begin:
		return "ENTER"
	case End:
		return "EXIT"
	}
	return fmt.Sprintf("Point(%d)", int(p))
}
