package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// uftracePeer is uftrace, a function tracer for C and C++, in both of its ways. The
// compiler adds calls of mcount, or it leaves room at functions' starts that uftrace
// patches.
func uftracePeer() peer {
	builds := []struct {
		rung string
		cBuild
		record []string
	}{
		{"mcount", cBuild{name: "uftrace-pg", compiler: "gcc", traced: []string{"-pg"}}, nil},
		{"patched", cBuild{name: "uftrace-patch", compiler: "gcc", traced: []string{"-fpatchable-function-entry=5"}}, []string{"-P", "^traced_"}},
	}
	return peer{
		name:   "uftrace",
		absent: func(*bench) string { return missing("apt-get install uftrace gcc", "uftrace", "gcc") },
		build: func(b *bench) error {
			for _, c := range builds {
				if err := c.build(b); err != nil {
					return err
				}
			}
			return nil
		},
		round: func(b *bench) ([]measure.Result, error) {
			var list []measure.Result
			for _, c := range builds {
				off, _, err := b.run(nil, c.path(b), b.turnArgs(c.rung+", off", 20)...)
				if err != nil {
					return nil, err
				}
				data := filepath.Join(b.dir, "uftrace.data")
				record := append([]string{"record", "--no-libcall", "--no-event", "-d", data}, c.record...)
				record = append(record, c.path(b))
				on, _, err := b.run(nil, "uftrace", append(record, b.turnArgs(c.rung+", to file", 100)...)...)
				if err != nil {
					return nil, err
				}
				list = append(append(list, off...), on...)
				counted, took, err := b.run(nil, "uftrace", append(record, b.callArgs(c.rung+", to file")...)...)
				if err != nil {
					return nil, err
				}
				kept, err := b.uftraceCount(data)
				if err != nil {
					return nil, err
				}
				size, err := sizeOf(data, "*.dat")
				if err != nil {
					return nil, err
				}
				list = first(list, counted, func(r *measure.Result) {
					r.Bytes, r.Lost, r.PerSecond = size, lost(r.Events, kept), perSecond(r.Events, took)
				})
				if err := os.RemoveAll(data); err != nil {
					return nil, err
				}
			}
			return list, nil
		},
	}
}

// uftraceCount returns the number of enters and exits in a recording, by uftrace's report.
func (b *bench) uftraceCount(data string) (uint64, error) {
	out, _, err := b.command(nil, "uftrace", "report", "--no-pager", "-d", data, "-f", "call")
	if err != nil {
		return 0, err
	}
	var calls uint64
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 2 || !strings.HasPrefix(f[1], "traced_") {
			continue
		}
		n, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("uftrace report: %q: %w", line, err)
		}
		calls += n
	}
	return 2 * calls, nil
}
