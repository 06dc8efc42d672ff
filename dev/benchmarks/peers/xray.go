package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// xrayPeer is LLVM's XRay in its flight data recorder mode. It has buffers in memory, as
// much as waymark's, and writes them at the end; the oldest are given up.
func xrayPeer() peer {
	c := cBuild{
		name: "xray", compiler: "clang-14",
		traced: []string{"-fxray-instrument", "-fxray-instruction-threshold=1"},
		link:   []string{"-fxray-instrument"},
		extra:  []string{"xray.c"},
	}
	return peer{
		name: "LLVM XRay",
		absent: func(b *bench) string {
			const install = "apt-get install clang-14 libclang-rt-14-dev"
			if why := missing(install, "clang-14"); why != "" {
				return why
			}
			return missingLibrary(install, "clang-14", "libclang_rt.xray-x86_64.a")
		},
		build: c.build,
		round: func(b *bench) ([]measure.Result, error) {
			list, _, err := b.run(nil, c.path(b), b.turnArgs("off", 20)...)
			if err != nil {
				return nil, err
			}
			dir, err := os.MkdirTemp(b.dir, "xray-")
			if err != nil {
				return nil, err
			}
			defer os.RemoveAll(dir)
			env := []string{
				"XRAY_OPTIONS=patch_premain=true xray_mode=xray-fdr xray_logfile_base=" + dir + "/log.",
				// By default it leaves out calls of less than 5 us.
				"XRAY_FDR_OPTIONS=func_duration_threshold_us=0 buffer_size=16384 buffer_max=4096",
			}
			on, _, err := b.run(env, c.path(b), b.turnArgs("to memory, written at the end", 200)...)
			if err != nil {
				return nil, err
			}
			if err := removeAll(dir, "log.*"); err != nil {
				return nil, err
			}
			counted, took, err := b.run(env, c.path(b), b.callArgs("to memory, written at the end")...)
			if err != nil {
				return nil, err
			}
			logs, err := filepath.Glob(filepath.Join(dir, "log.*"))
			if err != nil || len(logs) != 1 {
				return nil, fmt.Errorf("logs of XRay: got %q, want one: %w", logs, err)
			}
			log, err := os.ReadFile(logs[0])
			if err != nil {
				return nil, err
			}
			kept, err := xrayCount(log)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", logs[0], err)
			}
			return first(append(list, on...), counted, func(r *measure.Result) {
				r.Bytes, r.Lost, r.PerSecond = uint64(len(log)), lost(r.Events, kept), perSecond(r.Events, took)
			}), nil
		},
	}
}

// xrayCount returns the number of function records in a log: llvm-xray rejects those that
// begin in the middle of a call. Records without the lowest bit in their first byte are
// functions', of 8 bytes; the others are metadata, of 16. See LLVM's documentation,
// XRayFDRFormat.
func xrayCount(log []byte) (uint64, error) {
	const header = 32
	if len(log) < header {
		return 0, fmt.Errorf("%d bytes are less than the header, %d", len(log), header)
	}
	var n uint64
	for i := header; i < len(log); {
		if log[i]&1 == 0 {
			n++
			i += 8
		} else {
			i += 16
		}
	}
	return n, nil
}

// removeAll removes the files of a folder that match the pattern.
func removeAll(dir, pattern string) error {
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	return nil
}
