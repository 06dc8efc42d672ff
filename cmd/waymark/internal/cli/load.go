package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export"
	"github.com/waymark-go/waymark/cmd/waymark/internal/load"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// loadFlags are the flags of load.
type loadFlags struct {
	load.Options
	graph       load.Graph
	connections int
	out, form   string
	filter      filterFlags
	filters     *pflag.FlagSet // those of filter
}

// defaultDepth is the number of levels of a made-up graph.
const defaultDepth = 5

func (a *app) loadCommand() *cobra.Command {
	var l loadFlags
	cmd := &cobra.Command{
		Use: "load [flags] [FILE...]", Short: "send traces at a given rate, to test a receiver of spans", Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := l.check(cmd.Flags(), files); err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
			if len(files) == 0 {
				return a.load(&l, load.Make(l.graph, rng), nil)
			}
			only, err := l.filter.filter()
			if err != nil {
				return err
			}
			return a.withSet(files, func(set *tracefile.Set) error {
				if err := only.Check(set); err != nil {
					return err
				}
				source, err := a.replayed(set, &l, &only, rng)
				if source == nil {
					return err
				}
				return errors.Join(append(damage(set, err), a.load(&l, source, inputsOf(set, files)))...)
			})
		},
	}
	cmd.Long = `Load sends the traces of recordings again and again, with new ids and current times. Without FILE
it makes traces up. It sends them to a receiver of OpenTelemetry's protocol over HTTP or gRPC, to a
file or to standard output. The rate stays the same if the receiver is slow: latency counts from
the planned start of a request. Each request is sent once; failed requests are counted.`
	flags := cmd.Flags()
	flags.StringVarP(&l.out, "output", "o", "", "`URL` of a receiver, as in http://localhost:4318 or grpc://localhost:4317, or a file; - for standard output")
	flags.Float64Var(&l.Rate, "rate", 1000, "`NUMBER` of spans per second; 0: as fast as the receiver takes them")
	durationVar(flags, &l.Limit, "for", 10*time.Second, "end after `DURATION`; 0: until ^C")
	flags.IntVarP(&l.Traces, "limit", "n", 0, "end after `N` traces; 0: no limit")
	flags.IntVar(&l.connections, "connections", 4, "at most `N` requests at a time")
	flags.IntVar(&l.graph.Width, "width", 3, "without FILE: each call makes `N` calls")
	flags.IntVar(&l.graph.Functions, "functions", 100, "without FILE: `N` different functions")
	durationVar(flags, &l.graph.Duration, "duration", 10*time.Millisecond, "without FILE: `DURATION` of a trace's root call")
	flags.Float64Var(&l.graph.Skew, "skew", 0.5, "without FILE: how unequal calls, functions and times are, `NUMBER` from 0 to 5")
	flags.StringVar(&l.form, "format", "text", "of the result: `FORMAT` text or json")
	config.Mark(flags, config.IsOutput, "output")
	what := showsCalls
	what.depth = "`N` levels of calls; without FILE: make as many (default 5)"
	l.filters = pflag.NewFlagSet("", pflag.ContinueOnError)
	l.filter.define(l.filters, what)
	flags.AddFlagSet(l.filters)
	l.filter.set = flags
	return cmd
}

// graphFlags are those of made-up graphs only.
var graphFlags = []string{"width", "functions", "duration", "skew"}

func (l *loadFlags) check(set *pflag.FlagSet, files []string) (wrong error) {
	set.Visit(func(f *pflag.Flag) {
		switch {
		case len(files) == 0 && f.Name != "depth" && l.filters.Lookup(f.Name) != nil:
			wrong = usagef("--%s: want a FILE with it: it chooses calls of a recording", f.Name)
		case len(files) > 0 && slices.Contains(graphFlags, f.Name):
			wrong = usagef("--%s: leave it out with a FILE: it is for made-up traces", f.Name)
		}
	})
	switch {
	case wrong != nil:
		return wrong
	case l.out == "":
		return usagef("load: want an output: -o URL of a receiver, -o FILE, or -o - for standard output")
	case !(l.Rate >= 0) || math.IsInf(l.Rate, 0):
		return usagef("--rate=%v: want 0 or more", l.Rate)
	case l.Traces < 0:
		return usagef("--limit=%d: want 0 or more", l.Traces)
	case l.connections < 1 || l.connections > 1000:
		return usagef("--connections=%d: want 1 to 1000", l.connections)
	case l.form != "text" && l.form != "json":
		return usagef("--format=%s: want text or json", l.form)
	case len(files) > 0:
		return nil
	}
	if l.graph.Depth = l.filter.depth; !set.Changed("depth") {
		l.graph.Depth = defaultDepth
	}
	if err := l.graph.Check(); err != nil {
		return usagef("%w", err)
	}
	return nil
}

// replayed returns what recordings have, nil if that is nothing.
func (a *app) replayed(set *tracefile.Set, l *loadFlags, only *recording.Filter, rng *rand.Rand) (load.Source, error) {
	show, done := a.progress()
	source, read, err := load.Record(set, only, rng, func(done, all time.Duration) {
		show(fmt.Sprintf("reading, %d %% of %s", 100*done/max(all, 1), units.Duration(int64(all))))
	})
	done()
	if read == nil {
		return nil, err
	}
	a.note(recording.Lacks(read)...)
	notes, missed := l.filter.missed(set, uint64(source.Spans), showsCalls, func() (int64, error) { return l.filter.longest(set) })
	a.note(notes...)
	if missed != nil {
		return nil, errors.Join(append(damage(set, err), missed)...)
	}
	if source.Spans == 0 {
		return nil, errors.Join(append(damage(set, err), errors.New("the recording has no calls: nothing can be sent"))...)
	}
	if source.Cut {
		a.note("only the first " + units.Things(load.MaxSpans, "span") + " are sent; --time chooses others")
	}
	return source, err
}

// load sends what a source has, and prints the result.
func (a *app) load(l *loadFlags, source load.Source, inputs []string) error {
	end, err := a.receiver(l, inputs)
	if err != nil {
		return err
	}
	show, done := a.progress()
	l.Progress = func(spans int, passed time.Duration) {
		show(fmt.Sprintf("%s in %s", units.Things(uint64(spans), "span"), units.Duration(int64(passed))))
	}
	ctx, stop := interrupted(0)
	defer stop()
	r, err := load.Run(ctx, source, l.Options)
	done()
	if err != nil && load.IsURL(l.out) {
		err = fmt.Errorf("%w; every request failed: -o wants the URL of a receiver of OpenTelemetry's protocol, as in http://localhost:4318 or grpc://localhost:4317", err)
	}
	if err = errors.Join(err, end(err != nil)); err != nil {
		return err
	}
	out := a.stdout
	if l.out == "-" {
		out = a.stderr
	}
	write := writeLoad
	if l.form == "json" {
		write = writeLoadJSON
	}
	if err = write(out, l, r); r.FailedRequests > 0 {
		err = errors.Join(err, fmt.Errorf("%s of %s failed, at least in part", units.Count(uint64(r.FailedRequests)), units.Things(uint64(r.Requests), "request")))
	}
	return err
}

// receiver fills in what sends a request. end ends it, and removes a file if the run has failed.
func (a *app) receiver(l *loadFlags, inputs []string) (end func(failed bool) error, err error) {
	if load.IsURL(l.out) {
		if l.Receiver, err = load.ToURL(l.out, l.connections); err != nil {
			return nil, usagef("-o %w", err)
		}
		return func(bool) error { return nil }, nil
	}
	out := &export.Output{Writer: a.stdout}
	if l.out != "-" {
		i := slices.IndexFunc(export.Formats, func(f export.Format) bool { return f.Name == "otlp" })
		if out, err = export.Formats[i].Create(l.out, inputs); errors.Is(err, export.ErrInput) {
			return nil, usagef("-o %w: choose another name", err)
		} else if err != nil {
			return nil, err
		}
	}
	l.Receiver = load.ToWriter(out)
	return func(failed bool) error {
		if failed {
			out.Discard()
			return nil
		}
		return out.Commit()
	}, nil
}

// A loadResult is what load prints as JSON. Times are ns, rates spans per second.
type loadResult struct {
	Traces         int              `json:"traces"`
	Spans          int              `json:"spans"`
	Requests       int              `json:"requests"`
	Bytes          int              `json:"bytes"`
	ElapsedNS      int64            `json:"elapsed_ns"`
	WantedRate     float64          `json:"wanted_rate"` // 0: as many as are taken
	TakenRate      float64          `json:"taken_rate"`
	FailedRequests int              `json:"failed_requests"`
	FailedSpans    int              `json:"failed_spans"`
	Latency        map[string]int64 `json:"latency_ns"` // of requests, from when they were due
	Errors         []loadError      `json:"errors"`
}

type loadError struct {
	Text     string `json:"text"`
	Requests int    `json:"requests"`
}

// latencies are the shares of requests whose latency is shown.
var latencies = []struct {
	name  string
	share float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1}}

func writeLoadJSON(w io.Writer, l *loadFlags, r *load.Result) error {
	j := loadResult{
		Traces: r.Traces, Spans: r.Spans, Requests: r.Requests, Bytes: r.Bytes, ElapsedNS: int64(r.Elapsed), WantedRate: l.Rate, TakenRate: r.Taken(),
		FailedRequests: r.FailedRequests, FailedSpans: r.FailedSpans, Latency: make(map[string]int64), Errors: []loadError{},
	}
	for _, l := range latencies {
		j.Latency[l.name] = int64(r.Latency(l.share))
	}
	for _, f := range r.Errors {
		j.Errors = append(j.Errors, loadError(f))
	}
	return json.NewEncoder(w).Encode(j)
}

func writeLoad(w io.Writer, l *loadFlags, r *load.Result) error {
	wanted := ""
	if l.Rate > 0 {
		wanted = fmt.Sprintf(" of %s wanted", units.Count(uint64(math.Round(l.Rate))))
	}
	b := fmt.Appendf(nil, "Sent      %s of %s in %s\n", units.Things(uint64(r.Spans), "span"), units.Things(uint64(r.Traces), "trace"), units.Duration(int64(r.Elapsed)))
	b = fmt.Appendf(b, "Taken     %s spans per second%s\n", units.Count(uint64(math.Round(r.Taken()))), wanted)
	b = fmt.Appendf(b, "Requests  %s, %s\n", units.Count(uint64(r.Requests)), units.Bytes(int64(r.Bytes)))
	b = append(b, "Latency  "...)
	for i, l := range latencies {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, " %s %s", l.name, units.Duration(int64(r.Latency(l.share))))
	}
	b = append(b, '\n')
	if r.FailedRequests > 0 {
		b = fmt.Appendf(b, "Failed    %s, %s\n", units.Things(uint64(r.FailedRequests), "request"), units.Things(uint64(r.FailedSpans), "span"))
		for _, f := range r.Errors {
			b = fmt.Appendf(b, "          %s: %s\n", units.Count(uint64(f.Requests)), strings.ReplaceAll(f.Text, "\n", " "))
		}
	}
	_, err := w.Write(b)
	return err
}
