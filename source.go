package waymark

import "embed"

// Source is the library's own source. The command waymark writes it to its cache and builds it into
// the programs that it instruments. Programs do not refer to it, so the linker leaves it out.
//
//go:embed go.mod *.go agent callgraph histogram internal/actions internal/agent internal/budget internal/clock internal/condition internal/console internal/control internal/counts internal/cputime internal/ending internal/estimate internal/fault internal/firings internal/format internal/function internal/gather internal/goroutine internal/inspect internal/names internal/objects internal/pattern internal/printer internal/profile internal/recorder internal/rt internal/seen internal/setting internal/switchboard internal/table internal/text internal/tracetext internal/turns internal/units internal/usdt internal/wire monitor probe remote sampler stats timing trace tracefile value
var Source embed.FS
