package monitor

import (
	"strings"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Compose makes a factory of monitors that pass everything on to the monitors of
// several factories: beginnings in their order, ends in the opposite one. Nil factories
// are left out.
func Compose(factories ...Factory) Factory {
	var list []Factory
	for _, f := range factories {
		if f != nil {
			list = append(list, f)
		}
	}
	return &compose{list}
}

type compose struct{ factories []Factory }

func (c *compose) Kind() string {
	var kinds []string
	for _, f := range c.factories {
		kinds = append(kinds, switchboard.KindOf(f))
	}
	return "Compose(" + strings.Join(kinds, ", ") + ")"
}

func (c *compose) Create(pkg string) Monitor {
	m := &composite{pkg: pkg}
	for _, f := range c.factories {
		if one := f.Create(pkg); one != nil {
			m.list = append(m.list, one)
		}
	}
	if len(m.list) == 0 {
		return nil
	}
	return m
}

type composite struct {
	pkg  string
	list []Monitor
}

func (c *composite) Package() string { return c.pkg }

func (c *composite) Enter(id int, args ...any) {
	for _, m := range c.list {
		m.Enter(id, args...)
	}
}

func (c *composite) Info(args []any, caller, self int, point waymark.Point) {
	for _, m := range c.list {
		m.Info(args, caller, self, point)
	}
}

func (c *composite) Exit(id int) {
	for i := len(c.list) - 1; i >= 0; i-- {
		c.list[i].Exit(id)
	}
}

func (c *composite) ExitResults(id int, results ...any) {
	for i := len(c.list) - 1; i >= 0; i-- {
		c.list[i].ExitResults(id, results...)
	}
}

func (c *composite) Panic(id int, value any) {
	for _, m := range c.list {
		m.Panic(id, value)
	}
}

func (c *composite) Clear() {
	for _, m := range c.list {
		m.Clear()
	}
}
