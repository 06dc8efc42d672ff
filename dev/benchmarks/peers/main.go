package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// A bench is one run of the comparison.
type bench struct {
	ctx     context.Context // ends the commands that it runs
	dir     string          // for all files; each round removes its own
	self    string          // this program
	waymark string          // the command
	ladder  string          // benchmarks/ladder, built by waymark
	dlv     string
	source  string // folder of the C program

	turns     measure.Turns
	sustained time.Duration
	calls     int // of recordings that are counted or read
	slowCalls int // of tracers that take microseconds for a call
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := mainErr(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "peers:", err)
		}
		os.Exit(1)
	}
}

func mainErr(ctx context.Context, args []string, w, wErr io.Writer) error {
	b := &bench{ctx: ctx, turns: measure.Turns{Count: 5, Length: 40 * time.Millisecond}, calls: 5_000_000, slowCalls: 2000}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.StringVar(&b.waymark, "waymark", "waymark", "the waymark `command`")
	flags.StringVar(&b.ladder, "ladder", "ladder", "benchmarks/ladder, built by waymark")
	flags.StringVar(&b.dlv, "dlv", "dlv", "the dlv `command`")
	flags.StringVar(&b.source, "c", "../c", "`folder` of the C program")
	rounds := flags.Int("rounds", 11, "number of rounds")
	flags.DurationVar(&b.sustained, "sustained", time.Minute, "how long waymark records as many calls as all CPUs make, in each round")
	only := flags.String("only", "", "measure only the tracers whose names match this `regexp`")
	docs := flags.String("docs", "", "`folder` of performance.md, whose tables are replaced, and of its plot and samples; none: print the tables")
	quick := flags.Bool("quick", false, "one short round, to see that all of it works; its figures mean nothing")
	child := flags.String("child", "", "for its own use: measure this `rung` of a Go tracer")
	flags.DurationVar(&b.turns.Length, "turn", b.turns.Length, "`length` of a turn")
	flags.IntVar(&b.turns.Count, "turns", b.turns.Count, "`number` of turns in a round")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: want flags only; see -help", flags.Args())
	}
	if *child != "" {
		return runChild(*child, b.turns, w)
	}
	if *quick {
		*rounds, b.sustained, b.calls, b.slowCalls = 1, 50*time.Millisecond, 20_000, 20
		b.turns = measure.Turns{Count: 1, Length: time.Millisecond}
	}
	if *rounds < 1 || b.turns.Count < 1 {
		return fmt.Errorf("-rounds %d, -turns %d: want at least 1 of each", *rounds, b.turns.Count)
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	for _, p := range []*string{&b.waymark, &b.ladder, &b.dlv, &b.source} {
		if strings.ContainsRune(*p, filepath.Separator) {
			if *p, err = filepath.Abs(*p); err != nil {
				return err
			}
		}
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "waymark-peers-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	var list []peer
	for _, p := range peers() {
		if match.MatchString(p.name) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("-only %q: no tracer has such a name", *only)
	}
	s := b.measure(list, *rounds, wErr)
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was written")
	}
	if *docs == "" {
		err = s.writeTables(w)
	} else {
		err = s.publish(*docs)
	}
	if err == nil && s.failed > 0 {
		err = fmt.Errorf("%d tracers failed; what they said stands above and in the tables", s.failed)
	}
	return err
}

// measure runs the rounds. A tracer that fails is left out from then on: an hour's
// figures of the others must not be lost.
func (b *bench) measure(list []peer, rounds int, log io.Writer) *summary {
	s := &summary{rounds: rounds}
	leave := func(p peer, why string) {
		fmt.Fprintf(log, "%s is absent: %s\n", p.name, why)
		s.absent = append(s.absent, absence{p.name, why})
	}
	fail := func(p peer, err error) {
		leave(p, "failed: "+firstLine(err.Error()))
		s.failed++
	}
	var present []peer
	for _, p := range list {
		if why := p.absent(b); why != "" {
			leave(p, why)
			continue
		}
		if p.build != nil {
			if err := p.build(b); err != nil {
				fail(p, err)
				continue
			}
		}
		present = append(present, p)
	}
	for round := range rounds {
		if b.ctx.Err() != nil {
			break
		}
		fmt.Fprintf(log, "round %d of %d\n", round+1, rounds)
		present = slices.DeleteFunc(present, func(p peer) bool {
			results, err := p.round(b)
			if err != nil {
				fail(p, fmt.Errorf("in round %d: %w", round+1, err))
				return true
			}
			for _, r := range results {
				s.add(p.name, r)
			}
			return false
		})
	}
	return s
}
