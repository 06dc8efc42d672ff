package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/recorder"
)

// options are the settings in WAYMARK.
type options struct {
	Record   bool   // record: write a trace file
	Out      string // o, out: its path, with placeholders, see expand
	Overflow string // overflow: block or drop
	Buffers  int    // buffers: memory for events, bytes

	recorder.Values      // args, results, arg-depth, arg-bytes, redact
	Stringers       bool // stringers: values as text, as far as the program was built for it
}

// parse reads key=value pairs separated by commas, or with @FILE from a file,
// where lines end like commas do. A backslash takes the meaning from the
// character that follows, for paths with commas.
func parse(env string) (options, error) {
	o := defaults()
	err := o.read(env)
	return o, err
}

func defaults() options {
	return options{Stringers: true, Out: "waymark.wmt", Overflow: "block", Values: recorder.Values{
		Args: true, Results: true, Depth: format.DefaultDepth, Bytes: format.DefaultBytes,
		Redact: format.AddRedactWords(nil, format.DefaultRedact),
	}}
}

// values gives what is recorded of values by a program that was built with the given
// settings, in the form of WAYMARK, which has the last word.
func values(built, env string) recorder.Values {
	o := defaults()
	o.read(built) // the command wrote it
	o.read(env)   // was read before
	return o.Values
}

func (o *options) read(env string) error {
	source := "WAYMARK"
	if strings.HasPrefix(env, "@") {
		source = env[1:]
		b, err := os.ReadFile(source)
		if err != nil {
			return fmt.Errorf("WAYMARK: %w", err)
		}
		env = strings.ReplaceAll(string(b), "\n", ",")
	}
	for at := 0; at < len(env); {
		item, size := next(env[at:])
		if key, value, _ := strings.Cut(item, "="); strings.TrimSpace(key) != "" {
			if err := o.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
				return fmt.Errorf("%s, character %d: %w", source, at+1, err)
			}
		}
		at += size
	}
	return nil
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
		return setBool(&o.Record, key, value)
	case "args":
		return setBool(&o.Args, key, value)
	case "results":
		return setBool(&o.Results, key, value)
	case "arg-depth":
		return setInt(&o.Depth, key, value, 0, format.MaxDepth)
	case "arg-bytes":
		return setInt(&o.Bytes, key, value, 0, format.MaxBytes)
	case "stringers":
		return setBool(&o.Stringers, key, value)
	case "redact":
		o.Redact = format.AddRedactWords(o.Redact, value)
	case "o", "out":
		if value == "" {
			return fmt.Errorf("%s: want the path of a file", key)
		}
		if _, err := expand(value, "", 0); err != nil {
			return fmt.Errorf("%s=%s: %w", key, value, err)
		}
		o.Out = value
	case "overflow":
		if value != "block" && value != "drop" {
			return fmt.Errorf("overflow=%s: want block or drop", value)
		}
		o.Overflow = value
	case "buffers":
		n, err := strconv.Atoi(value)
		if err != nil || n < minBuffers {
			return fmt.Errorf("buffers=%s: want a number of bytes, at least %d", value, minBuffers)
		}
		o.Buffers = n
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

func setBool(to *bool, key, value string) error {
	on, err := strconv.ParseBool(value)
	if value != "" && err != nil {
		return fmt.Errorf("%s=%s: want 1 or 0", key, value)
	}
	*to = value == "" || on
	return nil
}

func setInt(to *int, key, value string, least, most int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return fmt.Errorf("%s=%s: want %d to %d", key, value, least, most)
	}
	*to = n
	return nil
}

// expand puts the program's name and process id in place of %n and %p, so that
// several processes with one environment get files of their own. %% is a percent sign.
func expand(path, program string, pid int) (string, error) {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			b.WriteByte(path[i])
			continue
		}
		if i++; i == len(path) {
			return "", errors.New("a % at the end: want %p, %n or %%")
		}
		switch path[i] {
		case 'p':
			b.WriteString(strconv.Itoa(pid))
		case 'n':
			b.WriteString(strings.TrimSuffix(filepath.Base(program), ".exe"))
		case '%':
			b.WriteByte('%')
		default:
			return "", fmt.Errorf("unknown placeholder %%%c: want %%p, the process id, %%n, the program's name, or %%%%", path[i])
		}
	}
	return b.String(), nil
}

// minBuffers lets each of a few Ps have a chunk, and the hooks that can't wait their reserve.
const minBuffers = 2 << 20
