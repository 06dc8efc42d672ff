package syntax

import (
	"cmp"
	"go/types"
)

// A Kind says which of a folder's packages a Unit is.
type Kind int

const (
	Package Kind = iota // the package itself
	Test                // its _test.go files of the same package
	XTest               // the external test package, package p_test
)

// A Unit is a set of files of one package that are rewritten together and share one site table.
type Unit struct {
	// ImportPath is the package's path as the compiler gets it, which begins the names of its
	// functions. For an XTest unit it ends in "_test". Main says that the package is linked as a
	// command, whose path is "main". (A main package under test isn't: the go command compiles it
	// as a library.)
	ImportPath string
	Main       bool

	Kind Kind

	// GoVersion is the language version of go.mod, such as "go1.22"; empty means the newest.
	GoVersion string

	// Files are the Go files to rewrite, in the order in which the go command lists them: by name.
	Files []File

	// With are Go files that are compiled with Files and are rewritten in a unit of their own: a
	// Test unit's package files. They come first in the compiler's order.
	With []File

	// Others are the remaining files of the folder. Their names, and their sources where given,
	// keep generated names unique.
	Others []File
}

// A File is one source file.
type File struct {
	Path   string // for positions; absolute, if those of functions are to be
	Source []byte
	Cgo    bool // the cgo command reads it; a file with an import "C" need not say so
}

// A Config says what the files of a Unit are compiled with. The zero Config is of use.
type Config struct {
	// Importer finds the types of other packages. They make the estimate of costs better, and show
	// that a loop over a value of an imported type isn't one over a function. A nil Importer knows
	// the standard library's.
	Importer types.Importer

	// PackageNames are the names of packages, by import path. They say which import a directive
	// means. The name of a package that isn't there is guessed.
	PackageNames map[string]string

	// GOOS and GOARCH are the target's. They decide which literals there are that depend on
	// runtime.GOOS and runtime.GOARCH; empty means not known.
	GOOS, GOARCH string

	// Toolchain is the version of the Go release that compiles the files, such as "go1.26.8":
	// literals in range-over-func loops have other names since Go 1.27. Empty means 1.26.
	Toolchain string

	// Hooks is the path of the package with the hooks; empty means "runtime".
	Hooks string
}

// HooksPath returns the path of the package with the hooks.
func (c *Config) HooksPath() string { return cmp.Or(c.Hooks, "runtime") }
