package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// lttngPeer is LTTng-UST with its library for programs compiled with
// -finstrument-functions. The thread of each event is recorded, too.
func lttngPeer() peer {
	c := cBuild{name: "lttng", compiler: "gcc", traced: []string{"-finstrument-functions"}}
	preload := []string{"LD_PRELOAD=" + lttngLibrary}
	return peer{
		name: "LTTng-UST",
		absent: func(*bench) string {
			const install = "apt-get install lttng-tools liblttng-ust-dev gcc"
			if why := missing(install, "lttng", "lttng-sessiond", "gcc"); why != "" {
				return why
			}
			return missingLibrary(install, "gcc", lttngLibrary)
		},
		build: c.build,
		round: func(b *bench) ([]measure.Result, error) {
			list, _, err := b.run(preload, c.path(b), b.turnArgs("off", 20)...) // no session yet
			if err != nil {
				return nil, err
			}
			stop, err := b.lttngDaemon()
			if err != nil {
				return nil, err
			}
			defer stop()
			var on, counted []measure.Result
			var took time.Duration
			if _, _, err := b.lttngSession(func() (err error) {
				on, _, err = b.run(preload, c.path(b), b.turnArgs("to file", 300)...)
				return err
			}); err != nil {
				return nil, err
			}
			size, discarded, err := b.lttngSession(func() (err error) {
				counted, took, err = b.run(preload, c.path(b), b.callArgs("to file")...)
				return err
			})
			if err != nil {
				return nil, err
			}
			return first(append(list, on...), counted, func(r *measure.Result) {
				r.Bytes, r.Lost, r.PerSecond = size, &discarded, perSecond(r.Events, took)
			}), nil
		},
	}
}

const lttngLibrary = "liblttng-ust-cyg-profile-fast.so"

// lttngDaemon starts the session daemon, unless one is running, and returns a function
// that ends it.
func (b *bench) lttngDaemon() (stop func(), err error) {
	running := func() bool { return exec.Command("lttng", "list").Run() == nil }
	if running() {
		return func() {}, nil
	}
	var said bytes.Buffer
	cmd := exec.Command("lttng-sessiond", "--no-kernel")
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}
	for range 100 {
		if running() {
			return stop, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	return nil, fmt.Errorf("lttng-sessiond: not ready after 10 s: %s", firstLine(said.String()))
}

// lttngSession records while f runs, and returns the size of the recording and the
// number of discarded events.
func (b *bench) lttngSession(f func() error) (size, discarded uint64, err error) {
	const name = "waymark-peers"
	dir, err := os.MkdirTemp(b.dir, "lttng-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	data := filepath.Join(dir, "data") // the daemon makes it
	lttng := func(args string) error {
		_, _, err := b.command(nil, "lttng", strings.Fields(args)...)
		return err
	}
	if err := lttng("create " + name + " --output=" + data); err != nil {
		return 0, 0, err
	}
	defer exec.Command("lttng", "destroy", name).Run() // when interrupted, too
	for _, args := range []string{"enable-event -u -a -s " + name, "add-context -u -t vtid -s " + name, "start " + name} {
		if err := lttng(args); err != nil {
			return 0, 0, err
		}
	}
	if err := f(); err != nil {
		return 0, 0, err
	}
	if err := lttng("stop " + name); err != nil {
		return 0, 0, err
	}
	out, _, err := b.command(nil, "lttng", "--mi", "xml", "list", name)
	if err != nil {
		return 0, 0, err
	}
	if discarded, err = lttngDiscarded(out); err != nil {
		return 0, 0, err
	}
	size, err = sizeOf(data, "channel*_[0-9]*")
	return size, discarded, err
}

// lttngDiscarded adds up the numbers of discarded events in what lttng list printed.
func lttngDiscarded(list []byte) (uint64, error) {
	var out struct {
		Discarded []uint64 `xml:"output>sessions>session>domains>domain>channels>channel>attributes>discarded_events"`
	}
	if err := xml.Unmarshal(list, &out); err != nil {
		return 0, fmt.Errorf("lttng list: %w", err)
	}
	if len(out.Discarded) == 0 {
		return 0, fmt.Errorf("lttng list: no channel in %q", list)
	}
	var n uint64
	for _, d := range out.Discarded {
		n += d
	}
	return n, nil
}
