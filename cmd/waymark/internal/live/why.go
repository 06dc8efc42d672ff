package live

import (
	"fmt"
	"os"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live/linked"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
)

// why returns the error of an answer. Of targets that name no instrumented function it says what the
// program's binary knows of them.
func (c *Conn) why(answer *control.Response) error {
	if len(answer.Lacking) == 0 {
		return answer.Error
	}
	binary := c.binary()
	if binary == nil {
		return answer.Error
	}
	err := *answer.Error
	for _, lack := range answer.Lacking {
		if why, found := binary.Why(lack.Target); found || !lack.Near {
			err.Text += "\n" + names.PrintableLines(why)
		}
	}
	return &err
}

// binary returns what the program's binary knows; nil if it can't be read, as that of another mount
// or process namespace.
func (c *Conn) binary() *linked.Program {
	if IsRemote(c.path) {
		return nil
	}
	answer, err := c.Ask(control.Request{Do: control.DoStatus})
	if err != nil || answer.Status == nil {
		return nil
	}
	exe := fmt.Sprintf("/proc/%d/exe", answer.Status.PID)
	if path, err := os.Readlink(exe); err != nil || names.Printable(strings.TrimSuffix(path, " (deleted)")) != answer.Status.Program {
		return nil
	}
	p, err := linked.Open(exe)
	if err != nil {
		return nil
	}
	return p
}
