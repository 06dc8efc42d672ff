package stream_test

import (
	"fmt"
	"os"
	"regexp"

	"github.com/waymark-go/waymark/examples/facility/stream"
	"github.com/waymark-go/waymark/monitor"
)

// times takes out what differs from run to run.
var times = regexp.MustCompile(`\S+ \[\d+\] |\(\*stream\.Stream\)\(0x[0-9a-f]+\)(, )?`)

type plain struct{}

func (plain) Write(p []byte) (int, error) { return os.Stdout.Write(times.ReplaceAll(p, nil)) }

func use() {
	s := new(stream.Stream)
	s.WriteInt(5)
	s.WriteLong(7)
	s.ReadInt()
	s.ReadLong()
}

func Example() {
	report := func(err error) {
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("IORead:")
	report(monitor.Register(stream.IORead, monitor.Print(plain{})))
	use()
	monitor.Clear(stream.IORead)

	fmt.Println("IO:")
	report(monitor.Register(stream.IO, monitor.Print(plain{})))
	use()
	monitor.Clear(stream.IO)

	fmt.Println("nothing:")
	use()
	// Built by waymark it prints what Example_instrumented says; with plain Go nothing is reported.
}
