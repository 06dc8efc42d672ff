package agent

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// options are the settings in WAYMARK.
type options struct {
	Record          bool // record: write a trace file
	recorder.Config      // its Path has placeholders, see expand

	Include []string           // p, include: patterns of functions that are recorded or counted; none is all
	Exclude []string           // x, exclude: patterns of functions that are not
	Print   []string           // t, print: patterns of functions whose calls are printed
	Detail  int                // d, verbose: how much is printed of calls, 0 to 3
	If      *condition.Program // if: which calls are printed; nil: all

	Stats  statistics
	Traces traces
	Seen   seenFunctions
	Counts string // counts: file for the counts of tests, with placeholders; empty: none
	Socket socketSetting

	Suspend bool // suspend: wait for a command before the program's first init function

	USDT bool // usdt: tracers of the system see probes of functions

	objectsGiven bool // objects, for statistics or for the recording

	alias bool // patterns are regular expressions: Include matches whole names, Print parts of them

	Capture recorder.Values // args, results, arg-depth, arg-bytes, redact, stringers
}

// statistics are the settings for statistics.
type statistics struct {
	On         bool   // stats, or any of the others
	Count      bool   // count: without times
	Histograms bool   // histogram: with distributions
	Tree       bool   // tree: by path, too
	Objects    bool   // objects: of the heap, too
	Every      int    // i, every: seconds between reports, 0: only at the end
	Top        int    // top: rows of each list; 0: all
	FullNames  bool   // names: full
	Report     output // report: of reports
	Latest     string // latest: a file with the latest numbers, for the command; with placeholders
}

// seenFunctions are the settings for functions that were ever called.
type seenFunctions struct {
	On   bool   // seen
	Path string // seen=FILE, with placeholders; empty: o, unless that is of a recording
}

// set reads seen, seen=FILE, and 1 or 0.
func (s *seenFunctions) set(key, value string) error {
	s.On = true
	if on, err := strconv.ParseBool(value); err == nil || value == "" {
		s.On = on || err != nil
		return nil
	}
	return setPath(&s.Path, key, value)
}

// settings are the text of WAYMARK, or of the file that it names. They are loaded once: the program
// may change its directory, or remove the file.
type settings struct {
	env    string // WAYMARK
	source string // for errors
	text   string
	file   bool // it is a file's, which errors don't show: it may be another one than was meant
}

// wrong returns the error about the key at a place.
func (s *settings) wrong(at int, key string, err error) error {
	switch {
	case s.file && errors.As(err, new(unknownKey)):
		err = errors.New("no key that WAYMARK has")
	case s.file:
		err = fmt.Errorf("%s: a value that %[1]s can't have", key)
	}
	return fmt.Errorf("%s, character %d: %w", s.source, at, err)
}

// An unknownKey is an error about a key.
type unknownKey struct{ error }

// load reads the file that WAYMARK names as @FILE. Lines end like commas do there.
func load(env string) (settings, error) {
	path, ok := strings.CutPrefix(env, "@")
	if !ok {
		return settings{env: env, source: "WAYMARK", text: env}, nil
	}
	b, err := readFile(path, mostSettings)
	if err != nil {
		return settings{}, fmt.Errorf("WAYMARK=%s: %w", env, err)
	}
	return settings{env, path, strings.ReplaceAll(string(b), "\n", ","), true}, nil
}

// parse reads settings in one of the forms that package setting knows.
func parse(s settings) (options, error) {
	o := defaults()
	err := o.read(s)
	return o, err
}

func defaults() options {
	return options{Config: recorder.Config{Path: "waymark.wmt"}, Detail: 1, USDT: true, Stats: statistics{Top: 10}, Capture: recorder.Values{
		Args: true, Results: true, Stringers: true, Depth: format.DefaultDepth, Bytes: format.DefaultBytes,
		Redact: format.AddRedactWords(nil, format.DefaultRedact),
	}}
}

// values returns what is recorded of values in a program that was built with the given settings,
// which have the form of WAYMARK. WAYMARK has the last word. Methods of the program run, and values
// of panics are recorded, only if the program was built for values: WAYMARK can only forbid them.
func values(built, env settings) recorder.Values {
	o := defaults()
	o.Capture.Stringers = false
	o.read(built) // the command wrote it
	asked := o.Capture
	o.Capture.Args, o.Capture.Results, o.Capture.Stringers = true, true, true // info functions have arguments in any case
	o.read(env)                                                               // which was read before
	o.Capture.Stringers = asked.Stringers && o.Capture.Stringers
	o.Capture.Panics = built.text != "" && (asked.Args || asked.Results) && (o.Capture.Args || o.Capture.Results)
	return o.Capture
}

func (o *options) read(s settings) error {
	o.alias = setting.IsAlias(s.text)
	places := make(map[string]int) // of keys
	err := setting.Each(s.text, func(at int, key, value string) error {
		places[key] = at
		if err := o.set(key, value); err != nil {
			return s.wrong(at, key, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	o.whoseObjects()
	var wrong *recorder.SettingError
	err = o.Check()
	if err == nil && o.Record && o.Stats.Count && o.Budget.Given() {
		err = &recorder.SettingError{Key: "budget", Value: o.Budget.Text, Want: "stats in place of count, or no budget: beside a recording both would count the same calls"}
	}
	if err == nil {
		err = o.Traces.check()
	}
	if err == nil && o.Stats.Tree && o.Stats.Count {
		err = &recorder.SettingError{Key: "tree", Value: "1", Want: "no count with it: calls that are only counted have no callers"}
	}
	if err == nil && o.Suspend && o.Socket.Given && !o.Socket.On {
		err = &recorder.SettingError{Key: "suspend", Value: "1", Want: "no agent=0 with it: a command resumes the program, through the socket"}
	}
	if errors.As(err, &wrong) {
		return s.wrong(places[wrong.Key], wrong.Key, err)
	}
	return nil
}

// whoseObjects gives the setting objects to the recording, and to statistics if they are gathered or
// nothing is recorded.
func (o *options) whoseObjects() {
	if !o.objectsGiven {
		return
	}
	o.Objects = o.Record && o.Stats.Objects
	if !o.Record {
		o.Stats.On = true
	}
	o.Stats.Objects = o.Stats.Objects && o.Stats.On
}

// mostSettings is the largest file of settings that is read, bytes.
const mostSettings = 1 << 20

// A fileError is a file that settings can't be read from.
type fileError string

func (e fileError) Error() string { return string(e) }

const (
	errNotRegular = fileError("it is not a regular file: name one that has the settings")
	errTooLarge   = fileError("it has more than 1 MiB: name a file that has settings only")
)

func (o *options) set(key, value string) error {
	switch key {
	case "record":
		return setBool(&o.Record, key, value)
	case "p", "include":
		return o.addPattern(&o.Include, key, value, `^(?:%s)$`)
	case "x", "exclude":
		return o.addPattern(&o.Exclude, key, value, `%s`)
	case "t", "print":
		return o.addPattern(&o.Print, key, value, `%s`)
	case "d", "verbose":
		return setInt(&o.Detail, key, value, 0, 3)
	case "if":
		return o.setIf(value)
	case "stats":
		return setBool(&o.Stats.On, key, value)
	case "count":
		o.Stats.On = true
		return setBool(&o.Stats.Count, key, value)
	case "histogram":
		o.Stats.On = true
		return setBool(&o.Stats.Histograms, key, value)
	case "tree":
		o.Stats.On = true
		return setBool(&o.Stats.Tree, key, value)
	case "objects":
		o.objectsGiven = true
		return setBool(&o.Stats.Objects, key, value)
	case "i", "every":
		o.Stats.On = true
		return setInt(&o.Stats.Every, key, value, 0, 1e6)
	case "top":
		o.Stats.On = true
		return setInt(&o.Stats.Top, key, value, 0, math.MaxInt32)
	case "names":
		o.Stats.On = true
		o.Stats.FullNames = value == "full"
		if value != "full" && value != "short" {
			return fmt.Errorf("%s=%s: want short or full", key, value)
		}
	case "report":
		o.Stats.On = true
		return o.Stats.Report.set(key, value)
	case "latest":
		o.Stats.On = true
		return setPath(&o.Stats.Latest, key, value)
	case "seen":
		return o.Seen.set(key, value)
	case "counts":
		return setPath(&o.Counts, key, value)
	case "socket":
		return o.Socket.set(key, value)
	case "agent":
		o.Socket.Given = true
		return setBool(&o.Socket.On, key, value)
	case "suspend":
		return setBool(&o.Suspend, key, value)
	case "usdt":
		return setBool(&o.USDT, key, value) // package probe reads it, too, in programs without an agent
	case "traces":
		return o.addPattern(&o.Traces.Roots, key, value, `%s`)
	case "keep":
		return o.Traces.keep(key, value)
	case "traces-out":
		return setPath(&o.Traces.Path, key, value)
	case "args":
		return setBool(&o.Capture.Args, key, value)
	case "results":
		return setBool(&o.Capture.Results, key, value)
	case "arg-depth":
		return setInt(&o.Capture.Depth, key, value, 0, format.MaxDepth)
	case "arg-bytes":
		return setInt(&o.Capture.Bytes, key, value, 0, format.MaxBytes)
	case "stringers":
		return setBool(&o.Capture.Stringers, key, value)
	case "redact":
		o.Capture.Redact = format.AddRedactWords(o.Capture.Redact, value)
	case "redact-type":
		for _, name := range strings.Split(value, ",") {
			o.Capture.Redact = append(o.Capture.Redact, format.TypePrefix+strings.TrimSpace(name))
		}
	case "o", "out":
		return setPath(&o.Path, key, value)
	default:
		known, err := o.Set(key, value)
		if err == nil && !known {
			err = fmt.Errorf("unknown key %q", key)
			if near := pattern.Nearest(key, append(keys, recorder.Keys...), 1); len(key) > 2 && len(near) > 0 {
				err = fmt.Errorf("%w; is it %s?", err, near[0])
			}
			err = unknownKey{err}
		}
		return err
	}
	return nil
}

// keys are those that set knows, but those of recorder.Config.
var keys = []string{
	"record", "p", "include", "x", "exclude", "t", "print", "d", "verbose", "if", "stats", "count", "histogram", "tree", "objects",
	"i", "every", "top", "names", "report", "latest", "seen", "counts", "traces", "keep", "traces-out", "socket", "agent", "suspend", "usdt", "args",
	"results", "arg-depth", "arg-bytes", "stringers", "redact", "redact-type", "o", "out",
}

// ofRecording returns a key that was given, or its short form, and that means nothing where nothing
// is recorded; empty if there is none.
func (o *options) ofRecording() string {
	base := defaults()
	switch {
	case o.Path != base.Path && (!o.Seen.On || o.Seen.Path != ""):
		return "o"
	case o.Overflow != base.Overflow:
		return "overflow"
	case o.Buffers != base.Buffers:
		return "buffers"
	case o.MaxSize != base.MaxSize:
		return "max-size"
	case o.Budget.Given() && !o.Stats.On:
		return "budget"
	}
	return ""
}

// addPattern adds a pattern, as --include takes it. In the alias value is a regular expression,
// which is put into form.
func (o *options) addPattern(to *[]string, key, value, form string) error {
	if value == "" {
		return fmt.Errorf("%s: want a pattern, as in mymod/..., mymod/pkg.Func or @Group", key)
	}
	p := value
	if o.alias {
		p = "/" + fmt.Sprintf(form, value) + "/"
	}
	if _, err := pattern.Compile(p, ""); err != nil {
		return fmt.Errorf("%s=%s: %w", key, value, err)
	}
	*to = append(*to, p)
	return nil
}

// setIf reads a condition, as the command encodes it.
func (o *options) setIf(value string) error {
	b, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil {
		o.If, err = condition.Decode(b)
	}
	if err != nil {
		return fmt.Errorf("if=%s: %w; waymark run --print PATTERN --if EXPRESSION makes one", value, err)
	}
	return nil
}

// groupNames returns the groups that patterns name, and the other patterns.
func groupNames(patterns []string) (groups, others []string) {
	for _, p := range patterns {
		if name, ok := strings.CutPrefix(p, "@"); ok {
			groups = append(groups, name)
		} else {
			others = append(others, p)
		}
	}
	return groups, others
}

func setPath(to *string, key, value string) error {
	if value == "" {
		return fmt.Errorf("%s: want the path of a file", key)
	}
	if _, err := expand(value, "", 0); err != nil {
		return fmt.Errorf("%s=%s: %w", key, value, err)
	}
	*to = value
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

// expand replaces %n and %p by the program's name and process id, so that processes with the same
// environment write files of their own. %% is a percent sign.
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
