package recorder

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
)

func TestSet(t *testing.T) {
	var c Config
	var known []string
	for _, s := range []struct{ key, value string }{
		{"overflow", "ring"}, {"buffers", "4MiB"}, {"window", "500ms"}, {"dump-at-exit", ""}, {"max-size", "1MB"}, {"rotate", "3"}, {"budget", "10%"},
		{"disk", "1GB"}, {"timeout", "10m"}, {"waiting", ""}, {"objects", ""},
	} {
		ok, err := c.Set(s.key, s.value)
		if !ok || err != nil {
			t.Errorf("%s=%s: %v, %v", s.key, s.value, ok, err)
		}
		known = append(known, s.key)
	}
	if !slices.Equal(known, Keys) {
		t.Errorf("keys %v, want %v", Keys, known)
	}
	if c.Overflow != rt.Ring || c.Buffers != 4<<20 || c.Window != 500*time.Millisecond || !c.DumpAtExit || c.MaxSize != 1e6 || c.Rotate != 3 ||
		c.Budget.Share != 0.1 || c.Disk != 1e9 || c.Timeout != 10*time.Minute || !c.Waiting || !c.Objects {
		t.Errorf("%+v", c)
	}
	if ok, err := c.Set("colour", "red"); ok || err != nil {
		t.Errorf("colour: %v, %v; want false, nil", ok, err)
	}
	if ok, err := c.Set("dump-at-exit", "0"); !ok || err != nil || c.DumpAtExit {
		t.Errorf("dump-at-exit=0: %v, %v, %v", ok, err, c.DumpAtExit)
	}
	for _, s := range []struct{ key, value, want string }{
		{"overflow", "wait", "overflow=wait: want block, drop or ring"},
		{"buffers", "1MiB", "buffers=1MiB: want at least 2097152 bytes, and what memory holds"},
		{"buffers", "much", "buffers=much: want a number of bytes, as in 65536, 64MB or 64MiB"},
		{"window", "0", "window=0: want a time above 0, as in 10s or 500ms"},
		{"dump-at-exit", "2", "dump-at-exit=2: want 1 or 0"},
		{"waiting", "2", "waiting=2: want 1 or 0"},
		{"objects", "2", "objects=2: want 1 or 0"},
		{"max-size", "1000", "max-size=1000: want at least 1000000 bytes"},
		{"max-size", "-1", "max-size=-1: want a number of bytes, as in 65536, 64MB or 64MiB"},
		{"rotate", "0", "rotate=0: want the number of parts to keep, 1 or more"},
		{"budget", "much", "budget=much: want a share of the program's CPU time, as in 10%; or 0, which only counts calls; or none"},
		{"budget", "-3%", "budget=-3%: want a share of the program's CPU time, as in 10%; or 0, which only counts calls; or none"},
		{"disk", "1MB", "disk=1MB: want at least 64000000 bytes"},
		{"timeout", "-1s", "timeout=-1s: want a time above 0, as in 10m"},
	} {
		ok, err := c.Set(s.key, s.value)
		if !ok || !errors.As(err, new(*SettingError)) || err.Error() != s.want {
			t.Errorf("%s=%s: %v, %v; want %s", s.key, s.value, ok, err, s.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		config Config
		key    string // that is wrong
	}{
		{Config{}, ""},
		{Config{Overflow: rt.Ring, Window: 1, DumpAtExit: true}, ""},
		{Config{MaxSize: 1, Rotate: 1}, ""},
		{Config{Window: 1}, "window"},
		{Config{Overflow: rt.Drop, DumpAtExit: true}, "dump-at-exit"},
		{Config{Overflow: rt.Ring, MaxSize: 1}, "max-size"},
		{Config{Rotate: 1}, "rotate"},
		{Config{Disk: 1}, ""},
		{Config{Disk: 1, MaxSize: 1}, "disk"},
		{Config{Overflow: rt.Ring, Disk: 1}, "disk"},
	} {
		var wrong *SettingError
		err := test.config.Check()
		if errors.As(err, &wrong); test.key == "" && err != nil || test.key != "" && (wrong == nil || wrong.Key != test.key) {
			t.Errorf("%+v: %v; want an error of %q", test.config, err, test.key)
		}
	}
}
