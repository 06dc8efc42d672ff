// Package runtime, as waymark adds to it: what is initialised first.

package runtime

import "unsafe"

// wmInitFirst initialises the packages listed in wmFirst, the agent and all that
// it imports, before any other package: recording then sees the first
// function of every other package, and the order among those stays what it was.
func wmInitFirst() {
	for _, t := range firstmoduledata.inittasks {
		if t.nfns == 0 {
			continue
		}
		pc := *(*uintptr)(add(unsafe.Pointer(t), 8))
		if f := findfunc(pc); f.valid() && wmListed(funcpkgpath(f)) {
			doInit1(t)
		}
	}
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
