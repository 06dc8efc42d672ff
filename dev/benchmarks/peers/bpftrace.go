package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// bpftracePeer counts calls with uprobes: entries of functions of the C program and of
// a Go program, and of the C program also returns. Probes of returns change return
// addresses on the stack, which Go's runtime doesn't survive (golang/go#22008).
func bpftracePeer() peer {
	c := cBuild{name: "uprobes", compiler: "gcc"}
	return peer{
		name: "bpftrace",
		absent: func(*bench) string {
			if why := missing("apt-get install bpftrace gcc", "bpftrace", "gcc"); why != "" {
				return why
			}
			if os.Getuid() != 0 {
				return "only root may place uprobes; `sudo make bench-peers` would"
			}
			if _, err := os.Stat("/sys/kernel/tracing/uprobe_events"); err != nil {
				return "no uprobes: `mount -t tracefs nodev /sys/kernel/tracing` may help"
			}
			return ""
		},
		build: c.build,
		round: func(b *bench) ([]measure.Result, error) {
			entries := fmt.Sprintf("uprobe:%[1]s:traced_leaf, uprobe:%[1]s:traced_recurse", c.path(b))
			returns := fmt.Sprintf("uretprobe:%[1]s:traced_leaf, uretprobe:%[1]s:traced_recurse", c.path(b))
			args := func(rung string) string {
				return strings.Join([]string{c.path(b), rung, strconv.Itoa(b.slowCalls), strconv.Itoa(b.turns.Count)}, " ")
			}
			entry, err := b.bpftrace(entries, args("uprobe"), 1)
			if err != nil {
				return nil, err
			}
			both, err := b.bpftrace(entries+", "+returns, args("uprobe+uretprobe"), 2)
			if err != nil {
				return nil, err
			}
			onGo, err := b.bpftrace(fmt.Sprintf("uprobe:%s:%q", b.self, tracedLeaf), b.untracedCommand(b.slowCalls), 1)
			if err != nil {
				return nil, err
			}
			onGo[0].Rung = "uprobe of a Go function"
			return append(append(entry, both...), onGo...), nil
		},
	}
}

// tracedLeaf is the function that runUntraced calls, as the linker names it.
const tracedLeaf = "github.com/waymark-go/waymark/dev/benchmarks/traced.Leaf"

// untracedCommand is the command line of a Go program that calls it n times in a turn.
func (b *bench) untracedCommand(n int) string {
	return fmt.Sprintf("%s -child %s -turns %d -turn %dns", b.self, untraced, b.turns.Count, n*untracedNS)
}

// bpftrace runs a command while the probes count; per is the number of probes that a
// call hits.
func (b *bench) bpftrace(probes, command string, per uint64) ([]measure.Result, error) {
	out, _, err := b.command(nil, "bpftrace", "-e", probes+" { @ = count(); }", "-c", command)
	if err != nil {
		return nil, err
	}
	list, err := measure.Read(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("bpftrace: %w", err)
	}
	m := bpfCount.FindSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("bpftrace: no count in %q", out)
	}
	counted, err := strconv.ParseUint(string(m[1]), 10, 64)
	if err != nil {
		return nil, err
	}
	var events uint64
	for i := range list {
		list[i].Events = list[i].Events / 2 * per
		events += list[i].Events
	}
	for i := range list { // the count is of all shapes together
		n := *lost(events, counted) * list[i].Events / events
		list[i].Lost = &n
	}
	return list, nil
}

var bpfCount = regexp.MustCompile(`(?m)^@: (\d+)$`)
