package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// dlvPeer is the debugger's `dlv trace`: a breakpoint at enter and exit, and a line for
// each.
func dlvPeer() peer {
	return peer{
		name:   "dlv trace",
		absent: func(b *bench) string { return missing("cd dev/tools && GOWORK=off go build -o ../../bin/ tool", b.dlv) },
		round: func(b *bench) ([]measure.Result, error) {
			command := strings.Fields(b.untracedCommand(max(b.slowCalls/100, 5)))
			args := append([]string{"trace", "--exec", command[0], "^" + regexp.QuoteMeta(tracedLeaf) + "$", "--"}, command[1:]...)
			ctx, cancel := context.WithTimeout(b.ctx, limit)
			defer cancel()
			cmd := exec.CommandContext(ctx, b.dlv, args...)
			cmd.Dir = b.dir
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				return nil, failure(cmd, err, stderr.String())
			}
			list, err := measure.Read(bytes.NewReader(out))
			if err != nil {
				return nil, fmt.Errorf("dlv trace: %w", err)
			}
			var kept uint64
			for line := range strings.Lines(stderr.String()) {
				if strings.HasPrefix(line, "> ") || strings.HasPrefix(line, ">> ") {
					kept++
				}
			}
			r := &list[0]
			r.Rung = "lines to stderr"
			r.Lost = lost(r.Events, kept)
			r.Bytes = uint64(stderr.Len())
			return list, nil
		},
	}
}
