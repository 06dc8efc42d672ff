package recorder

import (
	"errors"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

func TestSet(t *testing.T) {
	var c Config
	for key, value := range map[string]string{
		"buffers": "4MiB", "window": "500ms", "dump-at-exit": "", "max-size": "1MB", "rotate": "3", "budget": "10%",
		"disk": "1GB", "timeout": "10m", "waiting": "", "objects": "",
	} {
		if err := set(&c, key, value); err != nil {
			t.Error(err)
		}
	}
	if c.Buffers != 4<<20 || c.Window != 500*time.Millisecond || !c.DumpAtExit || c.MaxSize != 1e6 || c.Rotate != 3 ||
		c.Budget.Share != 0.1 || c.Disk != 1e9 || c.Timeout != 10*time.Minute || !c.Waiting || !c.Objects {
		t.Errorf("%+v", c)
	}
	for name, want := range map[string]rt.Overflow{"block": rt.Block, "drop": rt.Drop, "ring": rt.Ring} {
		if err := set(&c, "overflow", name); err != nil || c.Overflow != want {
			t.Errorf("overflow=%s: %d, %v, want %d", name, c.Overflow, err, want)
		}
	}
	if err := set(&c, "dump-at-exit", "0"); err != nil || c.DumpAtExit {
		t.Errorf("dump-at-exit=0: %v, %v", err, c.DumpAtExit)
	}
	if c.Set("colour", setting.Value{}) {
		t.Error("there is a colour")
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
		var wrong *setting.Error
		err := test.config.Check()
		if errors.As(err, &wrong); test.key == "" && err != nil || test.key != "" && (wrong == nil || wrong.Key != test.key) {
			t.Errorf("%+v: %v; want an error of %q", test.config, err, test.key)
		}
	}
}
