//go:build linux && amd64

package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/value"
)

// values are what is known of the values of the program's calls.
type values struct {
	*patch.Values
	err   error // why there are none
	show  show
	notes []string // what the user should know of the masks
}

// A show says how much values show.
type show struct {
	words  []string // that names of what is masked have
	limits capture.Limits
}

func usualShow() show {
	return show{strings.Split(format.DefaultRedact, ","), capture.Limits{Bytes: format.DefaultBytes, Depth: format.DefaultDepth}}
}

// showOf returns what settings say, as WAYMARK has them.
func showOf(settings string) (show, error) {
	s := usualShow()
	err := setting.Each(settings, func(_ int, key, text string) error {
		if v, err := parseSetting(key, text); err != nil {
			return err
		} else if !s.set(key, v) {
			return &control.Error{Code: control.CodeRequest, Text: key + " is no setting of values"}
		}
		return nil
	})
	return s, err
}

// set sets what a setting says, and reports whether it is one of values. Nothing takes words back.
func (s *show) set(key string, v setting.Value) bool {
	switch key {
	case "arg-depth":
		s.limits.Depth = int(v.N)
	case "arg-bytes":
		s.limits.Bytes = int(v.N)
	case "redact":
		s.words = append(s.words, format.AddRedactWords(nil, v.Text)...)
	case "redact-type":
		for _, name := range strings.Split(v.Text, ",") {
			s.words = append(s.words, format.TypePrefix+strings.TrimSpace(name))
		}
	default:
		return false
	}
	return true
}

// useValues returns what values of calls are copied. They are the same for all that is going on.
func (h *host) useValues(s show) (*values, error) {
	switch v := h.values; {
	case v != nil && v.show.limits == s.limits && slices.Equal(v.show.words, s.words):
		return v, nil
	case v != nil && len(h.tasks)+len(h.files) > 0:
		return nil, &control.Error{Code: control.CodeState, Text: "another request has other limits or masks of values: end it first"}
	}
	h.values = &values{show: s}
	h.values.Values, h.values.err = h.t.Values(s.words, s.limits)
	if h.values.err == nil {
		h.values.notes = h.values.unknownTypes()
	}
	return h.values, nil
}

// unknownTypes says which types were named to be masked that the program doesn't have.
func (v *values) unknownTypes() (notes []string) {
	wanted := slices.DeleteFunc(slices.Clone(v.show.words), func(w string) bool { return !strings.HasPrefix(w, format.TypePrefix) })
	if len(wanted) == 0 {
		return nil
	}
	var names []string
	v.Types.Maskable(func(pkg, name string) {
		wanted = slices.DeleteFunc(wanted, func(w string) bool { return format.TypeLooksSecret(pkg, name, []string{w}) })
		_, own, _ := strings.Cut(name, ".")
		names = append(names, pkg+"."+own)
	})
	slices.Sort(names)
	names = slices.Compact(names)
	for _, w := range wanted {
		name := strings.TrimPrefix(w, format.TypePrefix)
		notes = append(notes, "--redact-type "+name+" masks nothing: no text, slice, array, map or struct type of the program is named so"+pattern.IsIt(name, names, 3))
	}
	return notes
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

// labels returns the labels of a call's goroutine, as control.Call has them.
func (v *values) labels(c *patch.Call) (labels map[string]string, more int) {
	list, more := v.Labels(c)
	for _, l := range list {
		if labels == nil {
			labels = make(map[string]string)
		}
		switch {
		case l.Masked:
			labels[l.Key] = "***"
		case l.Cut > 0:
			labels[l.Key] = fmt.Sprintf("%s…+%d", l.Value, l.Cut)
		default:
			labels[l.Key] = l.Value
		}
	}
	return labels, more
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
