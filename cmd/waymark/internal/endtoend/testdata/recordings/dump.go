package main

import (
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/recordings/truth"
)

// dump writes the window of a ring. It is open then.
func dump(r *recorder.Recorder) {
	began := truth.Enter("dump")
	path, err := r.Dump()
	all := truth.All()
	if all[len(all)-1].Dump = path; err != nil && err != fault.ErrNoWindow {
		panic(err)
	}
	truth.Exit("dump", began)
}
