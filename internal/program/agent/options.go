package agent

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	Detail  int                // d, verbose: how much is printed of calls, 0 to 4
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
	On         bool          // stats, or any of the others
	Count      bool          // count: without times
	Histograms bool          // histogram: with distributions
	Tree       bool          // tree: by path, too
	Objects    bool          // objects: of the heap, too
	Every      time.Duration // i, every: between reports, 0: only at the end
	Top        int           // top: rows of each list; 0: all
	FullNames  bool          // names: full
	Report     output        // report: of reports
	Latest     string        // latest: a file with the latest numbers, for the command; with placeholders
}

// seenFunctions are the settings for functions that were ever called.
type seenFunctions struct {
	On   bool   // seen
	Path string // seen=FILE, with placeholders; empty: o, unless that is of a recording
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

// defaults returns the settings of a program without WAYMARK.
func defaults() (o options) {
	for i := range setting.All {
		if s := &setting.All[i]; s.Default != "" {
			v, _ := s.Parse(s.Key, s.Default)
			o.take(s, s.Key, v)
		}
	}
	return o
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
	var wrong *setting.Error
	err = o.Check()
	if err == nil && o.Record && o.Stats.Count && o.Budget.Given() {
		err = &setting.Error{Key: "budget", Value: o.Budget.Text, Want: "stats in place of count, or no budget: beside a recording both would count the same calls"}
	}
	if err == nil {
		err = o.Traces.check()
	}
	if err == nil && o.Stats.Tree && o.Stats.Count {
		err = &setting.Error{Key: "tree", Value: "1", Want: "no count with it: calls that are only counted have no callers"}
	}
	if err == nil && o.Waiting && o.Stats.Count && !o.Record {
		err = &setting.Error{Key: "waiting", Value: "1", Want: "no count with it: calls that are only counted have no times to divide"}
	}
	if err == nil && o.Suspend && o.Socket.Given && !o.Socket.On {
		err = &setting.Error{Key: "suspend", Value: "1", Want: "no agent=0 with it: a command resumes the program, through the socket"}
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
	s := setting.Find(key)
	if s == nil {
		err := fmt.Errorf("unknown key %q", key)
		if now := setting.Former(key); now != "" {
			return unknownKey{fmt.Errorf("%w: it is %s now", err, now)}
		}
		if near := pattern.Nearest(key, setting.Keys(), 1); len(key) > 2 && len(near) > 0 {
			err = fmt.Errorf("%w; is it %s?", err, near[0])
		}
		return unknownKey{err}
	}
	if s.Of == setting.Statistics {
		o.Stats.On = true
	}
	v, err := s.Parse(key, value)
	if err != nil {
		return err
	}
	return o.take(s, key, v)
}

// take takes over a setting, which errors call name.
func (o *options) take(s *setting.Setting, name string, v setting.Value) error {
	if s.Kind == setting.Path || s.Kind == setting.SwitchPath {
		if err := checkPath(name, v.Text); err != nil {
			return err
		}
	}
	switch s.Key {
	case "record":
		o.Record = v.On()
	case "include":
		return o.addPattern(&o.Include, name, v.Text, `^(?:%s)$`)
	case "exclude":
		return o.addPattern(&o.Exclude, name, v.Text, `%s`)
	case "print":
		return o.addPattern(&o.Print, name, v.Text, `%s`)
	case "verbose":
		o.Detail = int(v.N)
	case "if":
		return o.setIf(v.Text)
	case "stats":
		o.Stats.On = v.On()
	case "count":
		o.Stats.Count = v.On()
	case "histogram":
		o.Stats.Histograms = v.On()
	case "tree":
		o.Stats.Tree = v.On()
	case "objects":
		o.objectsGiven, o.Stats.Objects = true, v.On()
	case "every":
		o.Stats.Every = time.Duration(v.N)
	case "top":
		o.Stats.Top = int(v.N)
	case "names":
		o.Stats.FullNames = v.Text == "full"
	case "report":
		return o.Stats.Report.set(s, name, v.Text)
	case "latest":
		o.Stats.Latest = v.Text
	case "seen":
		if o.Seen.On = v.On(); v.Text != "" {
			o.Seen.Path = v.Text
		}
	case "counts":
		o.Counts = v.Text
	case "socket":
		if o.Socket.On, o.Socket.Given = v.On(), true; v.Text != "" {
			o.Socket.Path = v.Text
		}
	case "agent":
		o.Socket.On, o.Socket.Given = v.On(), true
	case "suspend":
		o.Suspend = v.On()
	case "usdt":
		o.USDT = v.On() // package probe reads it, too, in programs without an agent
	case "traces":
		return o.addPattern(&o.Traces.Roots, name, v.Text, `%s`)
	case "keep":
		return o.Traces.keep(s, name, v.Text)
	case "otlp":
		return o.Traces.otlp(s, name, v.Text)
	case "args":
		o.Capture.Args = v.On()
	case "results":
		o.Capture.Results = v.On()
	case "arg-depth":
		o.Capture.Depth = int(v.N)
	case "arg-bytes":
		o.Capture.Bytes = int(v.N)
	case "stringers":
		o.Capture.Stringers = v.On()
	case "redact":
		o.Capture.Redact = format.AddRedactWords(o.Capture.Redact, v.Text)
	case "redact-type":
		for _, name := range strings.Split(v.Text, ",") {
			o.Capture.Redact = append(o.Capture.Redact, format.TypePrefix+strings.TrimSpace(name))
		}
	case "output":
		o.Path = v.Text
	default:
		if !o.Set(s.Key, v) {
			return unknownKey{fmt.Errorf("unknown key %q", name)}
		}
	}
	return nil
}

// unrecorded returns the first key in the text that means nothing without a recording; empty if there
// is none.
func (o *options) unrecorded(text string) (found string) {
	setting.Each(text, func(_ int, key, _ string) error {
		s := setting.Find(key)
		means := s.Of&setting.Recording == 0 || s.Of&setting.Statistics != 0 && o.gathers() || s.Key == "output" && (o.seenHasOutput() || len(o.Traces.Roots) > 0)
		if found == "" && !means {
			found = key
		}
		return nil
	})
	return found
}

// seenHasOutput reports whether output is the file of functions that were ever called.
func (o *options) seenHasOutput() bool { return o.Seen.On && o.Seen.Path == "" && !o.Record }

// tracesPath returns the file where traces are saved, with placeholders. If it is empty they are printed.
func (o *options) tracesPath() string {
	if o.Record || o.seenHasOutput() || o.Path == defaults().Path {
		return ""
	}
	return o.Path
}

// gathers reports whether statistics are gathered: they are asked for, or functions are named and
// nothing else is asked for.
func (o *options) gathers() bool {
	return o.Stats.On || !o.Record && len(o.Traces.Roots) == 0 && !o.Seen.On && len(o.Include)+len(o.Exclude) > 0
}

// addPattern adds a pattern, as --include takes it. In the alias value is a regular expression,
// which is put into form.
func (o *options) addPattern(to *[]string, key, value, form string) error {
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

// checkPath returns what is wrong with the placeholders of a path.
func checkPath(key, path string) error {
	if _, err := expand(path, "", 0); err != nil {
		return fmt.Errorf("%s=%s: %w", key, path, err)
	}
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
