package waymark

import "embed"

// Source is the library's own source. The command waymark writes it to its cache and builds it into
// the programs that it instruments. Programs do not refer to it, so the linker leaves it out.
//
// It has no tests, which would be a fifth of the source's size: names that don't end in _test.go end in
// another letter than t, or in t behind another letter than s, and so on.
//
//go:embed go.mod probe/*.s agent/listen
//go:embed *[^t].go *[^s]t.go
//go:embed */*[^t].go */*[^s]t.go
//go:embed internal/*/*[^t].go internal/*/*[^s]t.go internal/*/*[^t]est.go
//go:embed internal/*/*/*[^t].go internal/*/*/*[^s]t.go internal/*/*/*[^e]st.go
var Source embed.FS
