package usdt

import (
	"fmt"
	"strings"
)

// Bounds of names, in bytes. The kernel cuts names of events at 63; perf writes sdt_ before those of
// providers.
const (
	MaxProvider = 59
	MaxName     = 63
)

// CheckProvider returns a NameError if some tracer refuses the provider's name.
func CheckProvider(name string) error { return check("provider", name, MaxProvider) }

// CheckName returns a NameError if some tracer refuses the probe's name.
func CheckName(name string) error { return check("probe", name, MaxName) }

func check(what, name string, limit int) error {
	reason := ""
	switch {
	case name == "":
		reason = "it is empty"
	case len(name) > limit:
		reason = fmt.Sprintf("it has %d bytes, at most %d can be had", len(name), limit)
	case '0' <= name[0] && name[0] <= '9':
		reason = "it begins with a digit"
	default:
		for _, c := range name {
			if !borne(c) {
				reason = fmt.Sprintf("it has %q; letters A to Z, a to z, digits and _ can be had", c)
				break
			}
		}
	}
	if reason == "" {
		return nil
	}
	return &NameError{what, name, reason}
}

func borne(c rune) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// A NameError says that tracers can't have a provider or a probe of this name.
type NameError struct {
	What   string // provider or probe
	Name   string
	Reason string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%s %q: %s", e.What, e.Name, e.Reason)
}

// Name returns a probe's name that resembles the text. It replaces what tracers refuse by _, and
// keeps the end of a text that is too long.
func Name(text string) string { return bearable(text, MaxName) }

// ProviderName returns a provider's name that resembles the text.
func ProviderName(text string) string { return bearable(text, MaxProvider) }

func bearable(text string, limit int) string {
	name := strings.Map(func(c rune) rune {
		if borne(c) {
			return c
		}
		return '_'
	}, text)
	if len(name) > limit {
		name = name[len(name)-limit:]
	}
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		name = "_" + name
		if len(name) > limit {
			name = "_" + name[2:]
		}
	}
	return name
}
