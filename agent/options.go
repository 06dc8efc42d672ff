package agent

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/recorder"
)

// options are the settings in WAYMARK.
type options struct {
	Record bool // record: write a trace file
	recorder.Config
}

// parse reads key=value pairs separated by commas, or with @FILE from a file,
// where lines end like commas do. A backslash takes the meaning from the
// character that follows, for paths with commas.
func parse(env string) (options, error) {
	o := options{Config: recorder.Config{Path: "waymark.wmt"}}
	source := "WAYMARK"
	if strings.HasPrefix(env, "@") {
		source = env[1:]
		b, err := os.ReadFile(source)
		if err != nil {
			return o, fmt.Errorf("WAYMARK: %w", err)
		}
		env = strings.ReplaceAll(string(b), "\n", ",")
	}
	places := make(map[string]int) // of keys
	for at := 0; at < len(env); {
		item, size := next(env[at:])
		key, value, _ := strings.Cut(item, "=")
		if key = strings.TrimSpace(key); key != "" {
			places[key] = at + 1
			if err := o.set(key, strings.TrimSpace(value)); err != nil {
				return o, fmt.Errorf("%s, character %d: %w", source, at+1, err)
			}
		}
		at += size
	}
	var wrong *recorder.SettingError
	if err := o.Check(); errors.As(err, &wrong) {
		return o, fmt.Errorf("%s, character %d: %w", source, places[wrong.Key], err)
	}
	return o, nil
}

// next gives the text before the first comma, unescaped, and its size in s with the comma.
func next(s string) (item string, size int) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == ',':
			return b.String(), i + 1
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

func (o *options) set(key, value string) error {
	switch key {
	case "record":
		on, err := strconv.ParseBool(value)
		if value != "" && err != nil {
			return fmt.Errorf("record=%s: want 1 or 0", value)
		}
		o.Record = value == "" || on
	case "o", "out":
		if value == "" {
			return fmt.Errorf("%s: want the path of a file", key)
		}
		o.Path = value
	default:
		known, err := o.Set(key, value)
		if err == nil && !known {
			err = fmt.Errorf("unknown key %q", key)
		}
		return err
	}
	return nil
}
