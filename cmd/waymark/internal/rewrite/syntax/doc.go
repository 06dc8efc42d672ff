// Package syntax parses the files of a package that are rewritten together. It finds out what
// can be known of their types without the packages that they import:
//
//	unit := &syntax.Unit{ImportPath: "example.com/m/p", Files: files}
//	tree := syntax.Parse(unit, &syntax.Config{Toolchain: "go1.26.8"})
//	for src, fn := range tree.Funcs() {
//		fmt.Println(src.Path, fn.Name, tree.Info.Defs[fn.Name])
//	}
//
// # Types
//
// The files are type-checked with whatever is known of the packages that they import, by default
// the standard library. Types serve the estimate of costs, and the distinction between loops
// over functions and others. They serve the order of initialisation, by which the compiler
// numbers the function literals in initialisers. No rewriting relies on types for its
// correctness, but for names. A range clause over something unknown is taken to be over a
// function, which costs a deferred exit.
package syntax
