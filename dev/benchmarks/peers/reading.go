package main

import (
	"path/filepath"
	"strconv"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// readingPeer measures waymark's readers, and uftrace's on as many events if there is
// uftrace. Each reads a recording of calls of one function, written once for all rounds.
func readingPeer() peer {
	trace, data := "read.wmt", "read.data"
	var events uint64
	pg := cBuild{name: "reading", compiler: "gcc", traced: []string{"-pg"}}
	noUftrace := missing("", "uftrace", "gcc") != ""
	return peer{
		name:   readingName,
		absent: waymarkPeer().absent,
		build: func(b *bench) error {
			env := []string{"WAYMARK=record,o=" + filepath.Join(b.dir, trace)}
			r, _, err := b.run(env, b.ladder, "-rung", rungFile, "-calls", strconv.Itoa(b.calls))
			if err != nil {
				return err
			}
			events = r[0].Events
			if noUftrace {
				return nil
			}
			if err := pg.build(b); err != nil {
				return err
			}
			args := []string{"record", "--no-libcall", "--no-event", "-d", filepath.Join(b.dir, data), pg.path(b)}
			_, _, err = b.run(nil, "uftrace", append(args, b.callArgs("reading")...)...)
			return err
		},
		round: func(b *bench) ([]measure.Result, error) {
			var list []measure.Result
			read := func(rung string, name string, args ...string) error {
				took, memory, err := b.discard(name, args...)
				if err != nil {
					return err
				}
				list = append(list, measure.Result{
					Rung: rung, Shape: cCalls, Events: events, PerSecond: perSecond(events, took), Memory: memory,
				})
				return nil
			}
			for _, c := range []string{"report", "tree", "replay"} {
				if err := read("waymark "+c, b.waymark, c, trace); err != nil {
					return nil, err
				}
			}
			if noUftrace {
				return list, nil
			}
			for _, c := range []string{"report", "replay"} {
				if err := read("uftrace "+c, "uftrace", c, "--no-pager", "-d", data); err != nil {
					return nil, err
				}
			}
			return list, nil
		},
	}
}

const readingName = "reading"
