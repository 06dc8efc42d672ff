// Package runtime, as waymark adds to it: what is initialised first.

package runtime

import "unsafe"

// wmInitFirst initialises the packages listed in wmFirst, the agent and all that
// it imports, before any other package. So recording sees the first function of
// every other package. The order of the other packages stays as it was.
func wmInitFirst() {
	wmRankLocks()
	for _, t := range firstmoduledata.inittasks {
		if path := wmInitialised(t); path != "" && wmListed(path) {
			doInit1(t)
		}
	}
}

// wmInitialised gives the path of the package that t initialises, "" if that is nothing or has no
// name.
func wmInitialised(t *initTask) string {
	if t.nfns == 0 {
		return ""
	}
	f := findfunc(*(*uintptr)(add(unsafe.Pointer(t), 8)))
	// The program's first function has no name here, and funcpkgpath wants one. It is below
	// package runtime, which nobody asks about.
	if !f.valid() || funcname(f) == "" {
		return ""
	}
	return funcpkgpath(f)
}

// WMLinked reports whether the program has the package of that path, which has something to
// initialise.
func WMLinked(path string) bool {
	for _, t := range firstmoduledata.inittasks {
		if wmInitialised(t) == path {
			return true
		}
	}
	return false
}

// wmListed tells whether path is a line of wmFirst.
func wmListed(path string) bool {
	rest := wmFirst
	for len(rest) > 0 {
		i := 0
		for i < len(rest) && rest[i] != '\n' {
			i++
		}
		if rest[:i] == path {
			return true
		}
		if i == len(rest) {
			break
		}
		rest = rest[i+1:]
	}
	return false
}
