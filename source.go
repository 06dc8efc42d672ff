// Package waymark traces the functions of the program that imports it, when the
// program was built by the waymark command. Built by plain `go build` it does nothing.
package waymark

import "embed"

// Source is the library's own source, which the waymark command writes to its
// cache and builds into the programs that it instruments. Programs do not refer
// to it, so the linker leaves it out of them.
//
//go:embed go.mod *.go agent histogram internal/agent internal/clock internal/fault internal/format internal/function internal/names internal/pattern internal/recorder internal/rt internal/table internal/text internal/units stats timing
var Source embed.FS
