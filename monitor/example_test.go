package monitor_test

import (
	"fmt"
	"sync/atomic"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/monitor"
)

var Jobs = waymark.NewGroup("example.Jobs")

// job is in the group.
//
//waymark:group Jobs
func job() {}

// A counter counts the calls of a package's functions.
type counter struct {
	monitor.Base
	calls *atomic.Int64
}

func (c counter) Enter(id int, args ...any) { c.calls.Add(1) }

// Built by waymark this prints that one call was seen. Built by plain go build none is.
func ExampleRegister() {
	var calls atomic.Int64
	f := monitor.FactoryFunc(func(pkg string) monitor.Monitor { return counter{monitor.Base{Path: pkg}, &calls} })
	if err := monitor.Register(Jobs, f); err != nil {
		fmt.Println(err)
		return
	}
	job()
	monitor.Clear(Jobs)
	fmt.Println(calls.Load() <= 1)
	// Output: true
}
