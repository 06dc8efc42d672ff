package agent

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/trace"
)

// traces are the settings for traces.
type traces struct {
	Roots []string      // traces: patterns of functions whose calls begin traces
	Keep  trace.Options // keep: which traces; what is not set there is not selected
	Kept  string        // the latest keep; empty: the default
	OTLP  *string       // otlp: URL of a collector; empty: as the variables of OpenTelemetry say; nil: none
}

// defaultSlowest is how many traces are kept unless keep says which.
const defaultSlowest = 20

// usualPeriod is how long slowest counts for traces that are sent: those of before can't be taken back.
const usualPeriod = time.Minute

const (
	leastPeriod = time.Second
	longestPath = 90 // bytes: what is known of a request is cut at some more, with its method
)

// keep reads what traces are kept. Several settings add up.
func (t *traces) keep(s *setting.Setting, key, value string) error {
	t.Kept = value
	what, arg, _ := strings.Cut(value, ":")
	arg, every, periodic := strings.Cut(arg, "/")
	n, err := strconv.Atoi(arg)
	d, durationErr := time.ParseDuration(arg)
	period, periodErr := time.ParseDuration(every)
	percent, percentErr := strconv.ParseFloat(strings.TrimPrefix(value, "p"), 64)
	least, most, statusErr := statuses(arg)
	switch {
	case value == "all":
		t.Keep.OneIn = 1
	case value == "failed":
		t.Keep.Failed = true
	case what == "slowest" && periodic && periodErr == nil && period < leastPeriod:
		return &setting.Error{Key: key, Value: value, Want: "a period of 1 s or more, as in slowest:20/1m"}
	case what == "slowest" && err == nil && n > 0 && n <= 1e6 && (!periodic || periodErr == nil):
		t.Keep.Slowest, t.Keep.Period = n, period
	case periodic && what != "path":
		return &setting.Error{Key: key, Value: value, Want: s.Want}
	case len(value) > 1 && value[0] == 'p' && percentErr == nil && 0 < percent && percent < 100:
		t.Keep.Tail = percent / 100
	case what == "onein" && err == nil && n > 0:
		t.Keep.OneIn = n
	case what == "method" && arg != "":
		t.Keep.HTTP = append(t.Keep.HTTP, trace.HTTP{Method: strings.ToUpper(arg)})
	case what == "path" && (len(value) > len("path:")+longestPath || strings.Contains(value, "?")):
		const want = "a path without a query, of at most 90 bytes; one that ends in * stands for all that begin so"
		return &setting.Error{Key: key, Value: value, Want: want}
	case what == "path" && strings.HasPrefix(value, "path:/"):
		t.Keep.HTTP = append(t.Keep.HTTP, trace.HTTP{Path: strings.TrimPrefix(value, "path:")})
	case what == "status" && statusErr == nil:
		t.Keep.HTTP = append(t.Keep.HTTP, trace.HTTP{Least: least, Most: most})
	case what == "longer" && durationErr == nil && d > 0:
		t.Keep.Longer = d
	default:
		return &setting.Error{Key: key, Value: value, Want: s.Want}
	}
	return nil
}

// statuses returns the least and the most of statuses such as 404 or 400-499.
func statuses(text string) (least, most int, err error) {
	first, last, ok := strings.Cut(text, "-")
	if !ok {
		last = first
	}
	least, err = strconv.Atoi(first)
	if err == nil {
		most, err = strconv.Atoi(last)
	}
	if err == nil && (least < 100 || most < least || most > 999) {
		err = strconv.ErrRange
	}
	return least, most, err
}

// CheckKeep returns what is wrong with a value of keep.
func CheckKeep(value string) error { return new(traces).keep(setting.Find("keep"), "keep", value) }

// otlp reads where traces are sent. Package otlp knows more of URLs.
func (t *traces) otlp(s *setting.Setting, key, value string) error {
	if value != "" && !isCollector(value) {
		return &setting.Error{Key: key, Value: value, Want: s.Want}
	}
	t.OTLP = &value
	return nil
}

// isCollector reports whether a text looks like the URL of a collector.
func isCollector(text string) bool {
	scheme, rest, _ := strings.Cut(text, "://")
	switch scheme {
	case "http", "https", "grpc", "grpcs":
		return rest != "" && rest[0] != '/' && rest[0] != ':'
	}
	return false
}

// CheckOTLP returns what is wrong with a value of otlp.
func CheckOTLP(value string) error { return new(traces).otlp(setting.Find("otlp"), "otlp", value) }

// check returns what is wrong with the settings together.
func (t *traces) check() error {
	const want = "traces=PATTERN, too: the functions whose calls begin traces, as in traces=main.handle"
	switch {
	case len(t.Roots) > 0:
	case t.Kept != "":
		return &setting.Error{Key: "keep", Value: t.Kept, Want: want}
	case t.OTLP != nil:
		return &setting.Error{Key: "otlp", Value: *t.OTLP, Want: want}
	}
	for _, h := range t.Keep.HTTP {
		if h.Most == 0 && t.OTLP == nil {
			const want = "otlp=URL, too: only who sends traces looks at methods and paths"
			if h.Path == "" {
				return &setting.Error{Key: "keep", Value: "method:" + h.Method, Want: want}
			}
			return &setting.Error{Key: "keep", Value: "path:" + h.Path, Want: want}
		}
	}
	return nil
}

// A rootSelector selects the functions that the settings name.
type rootSelector struct {
	switchboard.Selecting
	patterns []string
}

func rootsOf(s *selection, patterns []string) rootSelector {
	return rootSelector{switchboard.Selects(func() (switchboard.Selection, string, error) {
		return switchboard.Selection{Has: s.has}, "", nil
	}), patterns}
}

func (r rootSelector) String() string { return strings.Join(r.patterns, ", ") }

// Origin says who wants traces.
func (r rootSelector) Origin() switchboard.Origin { return switchboard.Environment }

// gatherTraces begins to gather the traces that the settings ask for. They are printed, or saved,
// when the program ends, or sent meanwhile.
func gatherTraces(o options) error {
	program := executable()
	options := o.Traces.Keep
	options.Values = true
	if o.Traces.Kept == "" {
		options.Slowest = defaultSlowest
	}
	roots, err := newSelection(o.Traces.Roots, nil)
	if err != nil {
		return err
	}
	if len(o.Traces.Roots) == 1 { // the collector says that there is no such function
		selections = selections[:len(selections)-1]
	}
	if only, err := newSelection(o.Include, o.Exclude); err != nil {
		return err
	} else if only != nil {
		options.Calls = rootsOf(only, o.Include)
	}
	if path := o.tracesPath(); path != "" {
		if options.File, err = expand(path, program, os.Getpid()); err != nil {
			return err
		}
	}
	var sent *exporter
	if o.Traces.OTLP != nil {
		sent = export(*o.Traces.OTLP)
	}
	if sent != nil {
		options.OnTrace = sent.add
		if options.Slowest > 0 && options.Period == 0 {
			options.Period = usualPeriod
		}
	}
	options.AtEnd = func(c *trace.Collector) {
		if sent != nil {
			sent.end()
		}
		list, n := c.Traces(), c.Counts()
		if err := c.Err(); err != nil {
			console.Say("traces: %v", err)
		} else if options.File == "" && sent == nil {
			console.Print(printTraces(filepath.Base(program), list, n.Ended))
		}
		if n.Untold > 0 {
			console.Say("otlp: %s came faster than they could be sent", units.Things(n.Untold, "more trace"))
		}
		if n.Unvalued > 0 {
			console.Say("traces: arguments or results were left out at the beginning or the end of %s: they would have taken more than 5 %% of the time",
				units.Things(n.Unvalued, "call"))
		}
		if n.Dropped+n.LostCalls > 0 {
			console.Say("traces: %s and %s of others were lost: they came faster than they could be kept, or were more than there is memory for",
				units.Things(n.Dropped, "trace"), units.Things(n.LostCalls, "call"))
		}
	}
	return host.Trace(rootsOf(roots, o.Traces.Roots), options)
}

// printTraces returns a list of traces for people, and the calls of the slowest one.
func printTraces(program string, list []*trace.Trace, ended uint64) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "[waymark+] *** traces: %s, process %d, %s of %s ***\n\n",
		program, os.Getpid(), units.Count(uint64(len(list))), units.Things(ended, "trace"))
	trace.WriteList(&b, list)
	if len(list) > 0 {
		b.WriteByte('\n')
		list[0].WriteTo(&b)
	}
	fmt.Fprintf(&b, "\n[waymark-] *** end of traces ***\n")
	return b.Bytes()
}
