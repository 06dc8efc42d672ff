package agent

import (
	"os"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/control"
)

// suspension holds the program up before its first init function, until a command resumes it.
var suspension struct {
	gate *control.Gate // nil: WAYMARK doesn't ask for it
	on   atomic.Bool
}

// suspend lets commands connect to a program that hold is to hold up. Where none can connect, it
// isn't held up.
func suspend(s socketSetting) {
	gate, err := control.NewGate()
	if err != nil {
		console.Say("WAYMARK: suspend: %v; the program goes on", err)
		return
	}
	suspension.gate = gate
	suspension.on.Store(true)
	if !listen(s) {
		resume()
	}
}

// hold waits until a suspended program is resumed.
func hold() {
	if suspension.gate == nil {
		return
	}
	if suspension.on.Load() {
		console.Say("WAYMARK: suspend: the program waits for waymark resume %d", os.Getpid())
	}
	suspension.gate.Wait()
}

// resume lets a suspended program go on. It reports whether it was suspended.
func resume() bool {
	was := suspension.on.Swap(false)
	if was {
		suspension.gate.Open()
	}
	return was
}

func (l *live) Resume() error {
	if !resume() {
		return &control.Error{Code: control.CodeState, Text: "the program isn't suspended: WAYMARK=suspend has it wait when it starts"}
	}
	return nil
}
