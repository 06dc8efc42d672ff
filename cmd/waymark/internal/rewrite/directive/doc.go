// Package directive reads the comments that put functions into groups, checks them, and finds the
// groups that a package declares.
//
//	own, with := candidate.List(tree, flow.Of(tree))
//	set, err := directive.Read(tree, own, with, directive.LibraryPath)
//	if err != nil {
//		... // Diagnostics: mistakes with their positions
//	}
//	for id, m := range set.Marks {
//		fmt.Println(set.First+id, m.Func.TracingName, m.Group)
//	}
//
// A directive stands over what it is about:
//
//	//waymark:group Group...      over a function, a type or a package clause
//	//waymark:ignore              the same: nothing of it is instrumented
//	//waymark:name Name           over a function: what tracing calls it
//	//waymark:info [enter|exit]   over a function with an empty body: an info function
//
// In older sources group is trace, which is understood, too.
//
// A group is a variable that waymark.NewGroup initialises. Directives name it as Go code in their
// file would. Whether a variable holds a group is for the compiler to say, but what can't hold one
// is found here.
//
// Builds call Read, and fail on mistakes. `waymark vet` calls Check, which also warns of what looks
// like a mistake and may be meant so.
package directive
