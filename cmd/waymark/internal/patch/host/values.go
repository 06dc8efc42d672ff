//go:build linux && amd64

package host

import (
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/value"
)

// values are what is known of the values of the program's calls.
type values struct {
	*patch.Values
	err error // why there are none
}

// useValues returns what values of calls are copied. It is opened once.
func (h *host) useValues() *values {
	if h.values == nil {
		h.values = new(values)
		h.values.Values, h.values.err = h.t.Values(strings.Split(format.DefaultRedact, ","), capture.Limits{Bytes: 256, Depth: 2})
	}
	return h.values
}

// args returns the text of a call's arguments, as control.Call has it.
func (v *values) args(c *patch.Call, width int) string {
	s := v.OfSite(c.Site)
	if s == nil || c.Args == nil {
		return ""
	}
	names, _ := s.Names()
	return strings.TrimSuffix(strings.TrimPrefix(v.text(v.Args(c), names, width), "("), ")")
}

// results returns the text of a call's results.
func (v *values) results(c *patch.Call, width int) string {
	s := v.Of(c.Site.Func)
	if s == nil || c.Results == nil {
		return ""
	}
	_, names := s.Names()
	text := v.text(v.Results(c), names, width)
	if len(names) == 1 {
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "("), names[0]+"="), ")")
	}
	return text
}

// list returns values as package format has them. Those before what is damaged are there.
func (v *values) list(data []byte) []value.Value {
	list, _ := v.List(data)
	return list
}

func (v *values) text(data []byte, names []string, width int) string {
	p := value.Printer{Width: width}
	return p.List(v.list(data), names, false)
}
