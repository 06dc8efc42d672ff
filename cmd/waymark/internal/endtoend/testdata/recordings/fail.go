package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/recordings/truth"
)

// fail makes recordings that fail, each followed by a good one.
func fail() {
	const none = ^uint64(0)
	limit := func(size uint64) {
		check(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: none}))
	}
	ended := func(r *recorder.Recorder) {
		for !r.Ended() {
			leaves(1000)
		}
		truth.End()
	}

	_, err := recorder.Start(config(dir+"/none/a.wmt", "block"))
	if !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	r := begin("block")
	if _, err := recorder.Start(config(dir+"/other.wmt", "block")); err != fault.ErrRecording {
		panic(err)
	}
	good(r)

	r = begin("block")
	limit(100 << 10)
	ended(r)
	limit(none)
	good(begin("block")) // what the failed one holds is given back when this one begins

	r = begin("block")
	check(os.Remove(r.Path()))
	ended(r)
	check(r.Close())
	good(begin("block"))

	r = begin("block")
	check(os.Truncate(r.Path()+".live", 0))
	leaves(1000)
	end(r)
	good(begin("block"))

	if n := mappings(); n != 0 {
		panic(n)
	}
	printAll()
}

// good makes calls, and ends a recording. It is open then.
func good(r *recorder.Recorder) {
	truth.Enter("good")
	leaves(1000)
	end(r)
}
