package main

import (
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// A cBuild says how the C program is built for a tracer.
type cBuild struct {
	name     string
	compiler string
	traced   []string // flags for the functions that are traced
	link     []string
	extra    []string // more source files, in the folder of the others
}

// build builds the C program.
func (c cBuild) build(b *bench) error {
	var objects []string
	for _, source := range append([]string{"plain.c", "traced.c", "workload.c"}, c.extra...) {
		object := filepath.Join(b.dir, c.name+"."+source+".o")
		args := []string{"-O2", "-Wall", "-c", filepath.Join(b.source, source), "-o", object}
		if source == "traced.c" {
			args = append(args, c.traced...)
		}
		if _, _, err := b.command(nil, c.compiler, args...); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	_, _, err := b.command(nil, c.compiler, append(append(objects, "-o", c.path(b)), c.link...)...)
	return err
}

func (c cBuild) path(b *bench) string { return filepath.Join(b.dir, c.name) }

// turnArgs are the C program's arguments that measure a rung whose calls take about ns.
func (b *bench) turnArgs(rung string, ns float64) []string {
	n := max(int(float64(b.turns.Length.Nanoseconds())/ns)/depth, 1) * depth
	return []string{rung, strconv.Itoa(n), strconv.Itoa(b.turns.Count)}
}

// callArgs are those that make calls to be recorded, counted and timed.
func (b *bench) callArgs(rung string) []string {
	return []string{rung, strconv.Itoa(b.calls)}
}

// cCalls is the shape of the results of callArgs.
const cCalls = "calls"

// sizeOf adds up the sizes of files in a folder, and in those below it, whose names
// match the pattern.
func sizeOf(dir, pattern string) (uint64, error) {
	var size uint64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if ok, err := filepath.Match(pattern, d.Name()); !ok {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += uint64(info.Size())
		}
		return err
	})
	return size, err
}

// first adds rs's first result to list.
func first(list, rs []measure.Result, change func(r *measure.Result)) []measure.Result {
	r := rs[0]
	change(&r)
	return append(list, r)
}
