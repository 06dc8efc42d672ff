package probe

import (
	"os"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// usdtWanted reports whether the variable WAYMARK lets tracers in: usdt=0 doesn't. A program that
// waymark has not built has nobody else who reads the variable: what else it says, right or wrong, is
// passed over.
func usdtWanted() bool {
	text := rt.Env("WAYMARK")
	if path, ok := strings.CutPrefix(text, "@"); ok {
		text = strings.ReplaceAll(readSettings(path), "\n", ",")
	}
	wanted := true
	setting.Each(text, func(_ int, key, value string) error {
		if key == "usdt" {
			on, err := strconv.ParseBool(value)
			wanted = on || err != nil
		}
		return nil
	})
	return wanted
}

// mostSettings is the largest file of settings that is read, bytes.
const mostSettings = 1 << 20

// readSettings returns what a file of settings says, empty if it can't be read.
func readSettings(path string) string {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() > mostSettings {
		return ""
	}
	text, _ := os.ReadFile(path)
	return string(text)
}
