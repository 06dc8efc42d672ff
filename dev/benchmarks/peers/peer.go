package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// A peer is a tracer that is measured.
type peer struct {
	name string
	// absent says why it can't be measured here, and what would help; "" if it can.
	absent func(b *bench) string
	// build builds what its rounds run; nil if there is nothing.
	build func(b *bench) error
	// round runs each of its rungs once.
	round func(b *bench) ([]measure.Result, error)
}

// peers returns all of them, in the order of the tables.
func peers() []peer {
	return []peer{
		waymarkPeer(),
		readingPeer(),
		goPeer("runtime/trace", regionRungs()),
		goPeer("OpenTelemetry", spanRungs()),
		goPeer("time.Now pair", pairRungs()),
		goPeer("log/slog", lineRungs()),
		dlvPeer(),
		uftracePeer(),
		xrayPeer(),
		lttngPeer(),
		bpftracePeer(),
	}
}

// missing returns a reason to leave a peer out if one of the commands isn't there.
func missing(install string, commands ...string) string {
	for _, c := range commands {
		if _, err := exec.LookPath(c); err != nil {
			return fmt.Sprintf("`%s` not found; `%s` would install it", c, install)
		}
	}
	return ""
}

// missingLibrary returns a reason if the compiler doesn't find the library.
func missingLibrary(install, compiler, library string) string {
	// It prints the path, or the name alone if there is none.
	out, err := exec.Command(compiler, "-print-file-name="+library).Output()
	if err == nil && filepath.IsAbs(strings.TrimSpace(string(out))) {
		return ""
	}
	return fmt.Sprintf("`%s` not found; `%s` would install it", library, install)
}

// firstLine shortens what a command said to what fits into a table.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
