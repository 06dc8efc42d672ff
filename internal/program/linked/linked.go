// Package linked is how public packages reach the agent. Only programs that waymark has built have it:
// what plain Go builds carries no recorder, no settings and no commands.
//
//	if linked.Agent != nil {
//		path, err = linked.Agent.Dump()
//	}
package linked

import (
	"io"

	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Agent is set by package agent before other packages are initialised. It is nil where plain Go has
// built the program.
var Agent interface {
	// Record begins a recording to path, with all other settings of WAYMARK. The owner has the wish
	// until the recording ends.
	Record(path string, owner *switchboard.Owner, wish switchboard.Wish) (Recording, error)
	// Recorded makes sure that a recording is going on, with the settings of WAYMARK.
	Recorded() error
	// Dump writes the window of the flight recorder, see waymark.Dump.
	Dump() (path string, err error)
	// HideValues has no values recorded any more.
	HideValues()
	// Serve answers the requests of a command's connection until it ends. peer says who the client is.
	Serve(conn io.ReadWriter, peer string) error
}

// A Recording is a trace file that is being written, see waymark.Recording.
type Recording interface {
	Close() error
	Path() string
	Dump() (path string, err error)
}
