// Facility switches groups of its own functions on and off while it runs. Each time that something
// goes wrong it watches for a while what the functions concerned do, and its errors say what was
// being done.
//
//	waymark build -o facility . && ./facility
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/examples/facility/stream"
	"github.com/waymark-go/waymark/monitor"
)

// Jobs is for what the program does on its own.
var Jobs = waymark.NewGroup("Jobs")

// operations knows what is being done, for errors.
var operations = monitor.NewOperationTracer()

func main() {
	jobs := flag.Int("jobs", 20, "`number` of jobs")
	seed := flag.Int64("seed", 1, "of their contents")
	monitor.FlagGroups(flag.CommandLine)
	flag.Parse()
	if err := monitor.Register(Jobs, operations); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r := rand.New(rand.NewSource(*seed))
	var watch *waymark.Attachment // of IO
	watched := 0                  // jobs left to be watched
	for i := range *jobs {
		err := job(i, r.Intn(4), r.Intn(5))
		switch {
		case err != nil && watched == 0:
			fmt.Printf("%v: watching IO for 2 jobs\n", err)
			watched = 2
			if watch, err = waymark.Attach(stream.IO, waymark.Print(os.Stdout)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		case err != nil:
			fmt.Println(err)
		case watched > 0:
			if watched--; watched == 0 {
				watch.Close()
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// job writes some values and reads some.
//
//waymark:group Jobs
func job(number, write, read int) error {
	s := new(stream.Stream)
	for i := range write {
		s.WriteLong(int64(number + i))
	}
	for range read {
		if _, err := s.ReadLong(); err != nil {
			return operations.Wrap(err)
		}
	}
	return nil
}
