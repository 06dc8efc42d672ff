package cli

import "github.com/waymark-go/waymark/tracefile"

// explainObjects says on stderr which recordings of a set don't say what was made, which a flag asks for.
func (a *app) explainObjects(flag string, set *tracefile.Set) {
	for _, f := range set.Processes {
		if !f.Info().Objects {
			a.note(flag + ": " + f.Path() + " has no objects: record with --objects")
		}
	}
}

// explainTypes says on stderr which recordings of a set have objects without their types, which a flag
// asks for, and why.
func (a *app) explainTypes(flag string, set *tracefile.Set) {
	for _, f := range set.Processes {
		info := f.Info()
		if !info.Objects || info.Complete || f.Objects() != nil {
			continue
		}
		why := "recording ended before they were written, which is done first when a buffer is full"
		switch {
		case info.Live:
			why = "the program has not written them yet"
		case info.Ring:
			why = "a flight recorder writes them when it dumps its window, not when the program is killed or crashes"
		}
		a.note(flag + ": " + f.Path() + " has no types of objects: " + why)
	}
}
