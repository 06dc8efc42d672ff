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
	Record          bool // record: write a trace file
	recorder.Config      // its Path has placeholders, see expand

	Include []string // p, include: names of the groups whose functions are recorded; none is all
	Print   []string // t, print: names of groups whose calls are printed

	Capture   recorder.Values // args, results, arg-depth, arg-bytes, redact
	Stringers bool            // stringers: values as text, as far as the program was built for it
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
	return options{Config: recorder.Config{Path: "waymark.wmt"}, Stringers: true, Capture: recorder.Values{
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
	return o.Capture
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
	places := make(map[string]int) // of keys
	for at := 0; at < len(env); {
		item, size := next(env[at:])
		key, value, _ := strings.Cut(item, "=")
		if key = strings.TrimSpace(key); key != "" {
			places[key] = at + 1
			if err := o.set(key, strings.TrimSpace(value)); err != nil {
				return fmt.Errorf("%s, character %d: %w", source, at+1, err)
			}
		}
		at += size
	}
	var wrong *recorder.SettingError
	if err := o.Check(); errors.As(err, &wrong) {
		return fmt.Errorf("%s, character %d: %w", source, places[wrong.Key], err)
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
	case "p", "include":
		return addGroup(&o.Include, key, value)
	case "t", "print":
		return addGroup(&o.Print, key, value)
	case "args":
		return setBool(&o.Capture.Args, key, value)
	case "results":
		return setBool(&o.Capture.Results, key, value)
	case "arg-depth":
		return setInt(&o.Capture.Depth, key, value, 0, format.MaxDepth)
	case "arg-bytes":
		return setInt(&o.Capture.Bytes, key, value, 0, format.MaxBytes)
	case "stringers":
		return setBool(&o.Stringers, key, value)
	case "redact":
		o.Capture.Redact = format.AddRedactWords(o.Capture.Redact, value)
	case "o", "out":
		if value == "" {
			return fmt.Errorf("%s: want the path of a file", key)
		}
		if _, err := expand(value, "", 0); err != nil {
			return fmt.Errorf("%s=%s: %w", key, value, err)
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

// addGroup adds the group that a pattern names. It may be given several times.
func addGroup(to *[]string, key, value string) error {
	name, ok := strings.CutPrefix(value, "@")
	if !ok || name == "" {
		return fmt.Errorf("%s=%s: want a group, as in @IO", key, value)
	}
	*to = append(*to, name)
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
