package setting

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Value is what a setting is set to.
type Value struct {
	N     int64   // a number, bytes, ns; 1 or 0 of a switch; the index of a choice
	Text  string  // as it was given; empty: the share is none, or there is no path
	Share float64 // 1 is 100 %

	Strict bool // no more than Share, whatever it takes
}

// On reports whether a switch is on.
func (v Value) On() bool { return v.N != 0 }

// An Error is a value that a setting can't have.
type Error struct{ Key, Value, Want string }

func (e *Error) Error() string { return e.Key + "=" + e.Value + ": want " + e.Want }

// Parse reads a value. Errors call the setting name: the key as it was given, or the flag.
func (s *Setting) Parse(name, value string) (v Value, err error) {
	v.Text = value
	wrong := func(want string) (Value, error) { return Value{}, &Error{name, value, want} }
	switch s.Kind {
	case Switch, SwitchPath:
		on, err := strconv.ParseBool(value)
		if err != nil && value != "" && s.Kind == Switch {
			return wrong("1 or 0")
		}
		if on || err != nil {
			v.N = 1
		}
		if err == nil {
			v.Text = ""
		}
	case Number:
		v.N, err = strconv.ParseInt(value, 10, strconv.IntSize)
		if err == nil && v.N >= s.Least && v.N <= s.Most {
			break
		}
		if s.Want != "" {
			return wrong(s.Want)
		}
		return wrong(fmt.Sprintf("%d to %d%s", s.Least, s.Most, s.Unit))
	case Size:
		if v.N, err = parseSize(value); err != nil {
			return wrong("a number of bytes, as in 65536, 64MB or 64MiB")
		}
		if v.N < s.Least || s.Most > 0 && v.N > s.Most {
			return wrong(fmt.Sprintf("at least %d bytes%s", s.Least, s.Unit))
		}
	case Duration:
		d, err := ParseDuration(value)
		if err != nil || d < 0 || d == 0 && s.Default != "0s" {
			return wrong(s.Want)
		}
		v.N = int64(d)
	case Choice:
		for i, name := range s.Choices {
			if value == name {
				v.N = int64(i)
				return v, nil
			}
		}
		last := len(s.Choices) - 1
		return wrong(strings.Join(s.Choices[:last], ", ") + " or " + s.Choices[last])
	case Share:
		if v.Text = ""; value == "none" {
			break
		}
		number, strict := strings.CutSuffix(value, ",strict")
		number = strings.TrimSuffix(strings.TrimSpace(number), "%")
		percent, err := strconv.ParseFloat(number, 64)
		if err != nil || percent < 0 || math.IsNaN(percent) || math.IsInf(percent, 0) {
			return wrong(s.Want)
		}
		if v.Text, v.Share = number+"%", percent/100; !strict {
			break
		}
		if percent == 0 {
			return wrong("more than 0 with strict, or 0 alone: all calls are counted then, whatever that costs")
		}
		v.Text, v.Strict = v.Text+",strict", true
	case Path:
		if value == "" {
			return v, fmt.Errorf("%s: want the path of a file", name)
		}
	case Pattern:
		if value == "" {
			return v, fmt.Errorf("%s: want a pattern, as in mymod/..., mymod/pkg.Func or @Group", name)
		}
	}
	return v, nil
}

// units of sizes, by the names that people write.
var units = []struct {
	name  string
	bytes int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"b", 1}, // last: the others end in it
}

// parseSize reads a number of bytes, such as 65536, 64MB or 64MiB.
func parseSize(s string) (int64, error) {
	number, unit := s, int64(1)
	for _, u := range units {
		if i := len(s) - len(u.name); i > 0 && strings.EqualFold(s[i:], u.name) {
			number, unit = strings.TrimRight(s[:i], " "), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err == nil && (n < 0 || n > math.MaxInt64/unit) {
		err = strconv.ErrRange
	}
	return n * unit, err
}

// ParseDuration returns the duration that a text is: a number without a unit is seconds.
func ParseDuration(text string) (time.Duration, error) {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "s"
	}
	return time.ParseDuration(text)
}
