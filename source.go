package waymark

import "embed"

// Source is the library's own source. The command waymark writes it to its cache and builds it into
// the programs that it instruments. Programs do not refer to it, so the linker leaves it out.
//
//go:embed go.mod *.go agent callgraph histogram internal monitor probe remote sampler stats timing trace tracefile value
var Source embed.FS
