package stream_test

import (
	"fmt"
	"os"
	"regexp"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/examples/facility/stream"
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
	for _, g := range []*waymark.Group{stream.IORead, stream.IO} {
		fmt.Println(g.Name() + ":")
		a, err := waymark.Attach(g, waymark.Print(plain{}))
		if err != nil {
			fmt.Println(err)
			return
		}
		use()
		a.Close()
	}

	fmt.Println("nothing:")
	use()
	// Built by waymark it prints what Example_instrumented says; with plain Go nothing is reported.
}
