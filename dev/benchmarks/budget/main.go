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
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/subject"
	"github.com/waymark-go/waymark/dev/benchmarks/table"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := mainErr(ctx, os.Args[1:], programs(), os.Stdout, os.Stderr)
	stop()
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "budget:", err)
		}
		os.Exit(1)
	}
}

func mainErr(ctx context.Context, args []string, list []program, w, wErr io.Writer) error {
	b := &bench{ctx: ctx, size: 1, log: wErr}
	flags := flag.NewFlagSet("budget", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.StringVar(&b.waymark, "waymark", "waymark", "the waymark `command`")
	rounds := flags.Int("rounds", 9, "number of rounds")
	unlimitedRounds := flags.Int("unlimited", 3, "number of these in which programs run without a budget, too; with 0 the calls counted with a budget of 0 are the true ones")
	flags.IntVar(&b.tries, "tries", 1, "run a variant so often at most, until nothing else has part of the machine while it runs")
	flags.Float64Var(&b.size, "size", 1, "of the programs' jobs, 1 being the full one")
	flags.StringVar(&b.processor, "beside", "", "run each variant and the plain program at the same time on the processor of this `number`: its time is shared by both then, whatever else the machine does")
	budgets := flags.String("budgets", "3strict,10strict,10", "the budgets, in `percent`; empty: none")
	only := flags.String("programs", "", "measure only the programs whose names match this `regexp`")
	samples := flags.String("samples", "budget.csv", "the `file` of samples: what is in it isn't measured again")
	docs := flags.String("docs", "", "`folder` of performance.md, whose tables are replaced, and of the samples; none: print the tables")
	estimates := flags.String("estimates", "", "print how far own times are right that are estimated with this `budget`, as in 10%, by perf, and measure nothing else")
	quick := flags.Bool("quick", false, "one short round, to see that all of it works; its figures mean nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: want flags only; see -help", flags.Args())
	}
	if *quick {
		*rounds, *unlimitedRounds, b.size = 1, 1, 0.01
	}
	if *rounds < 1 || *unlimitedRounds < 0 || b.size <= 0 || b.tries < 1 {
		return fmt.Errorf("-rounds %d, -unlimited %d, -size %g, -tries %d: want at least 1, 0, more than 0, and 1", *rounds, *unlimitedRounds, b.size, b.tries)
	}
	if b.tries > 1 {
		b.quiet = measure.NewQuiet(50)
	}
	limits, err := parseLimits(*budgets)
	if err != nil {
		return fmt.Errorf("-budgets: %w", err)
	}
	b.variants = newVariants(limits, *rounds, *unlimitedRounds)
	if b.processor != "" {
		for i := range b.variants {
			if v := &b.variants[i]; v.name == plain || v.name == plainAgain || v.name == counting {
				v.rounds = min(v.rounds, few)
			}
		}
	}
	chosen, err := subject.Choose(list, func(p program) string { return p.Name }, "-programs", *only)
	if err != nil {
		return err
	}
	if b.waymark, b.goroot, err = subject.Tools(b.waymark); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "waymark-budget-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if *estimates != "" {
		return b.estimates(chosen, *estimates, w)
	}
	begin := time.Now()
	failed := b.measure(chosen, *samples)
	fmt.Fprintf(wErr, "took %v\n", time.Since(begin).Round(time.Second))
	all, err := readSamples(*samples)
	if err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, publish(*docs, results(all), list, b.variants, w))
}

// publish writes tables and samples into the folder of documents, or the tables to w.
func publish(docs string, all results, list []program, variants []variant, w io.Writer) error {
	var prices, tables strings.Builder
	if err := errors.Join(all.writePrices(&prices, list, variants), all.write(&tables, list, variants)); err != nil {
		return err
	}
	if docs == "" {
		_, err := io.WriteString(w, prices.String()+tables.String())
		return err
	}
	if err := writeSamples(filepath.Join(docs, "budget.csv"), all); err != nil {
		return err
	}
	doc := filepath.Join(docs, "performance.md")
	if err := table.Insert(doc, "PRICES", prices.String()); err != nil {
		return err
	}
	return table.Insert(doc, "BUDGET", tables.String())
}

// A limit is a budget.
type limit struct {
	percent float64
	strict  bool
}

// setting returns the budget as WAYMARK takes it.
func (l limit) setting() string {
	text := strconv.FormatFloat(l.percent, 'g', -1, 64) + "%"
	if l.strict {
		text += ",strict"
	}
	return text
}

func parseLimits(text string) (list []limit, err error) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		number, strict := strings.CutSuffix(word, "strict")
		p, err := strconv.ParseFloat(number, 64)
		if err != nil || !(p >= 0) {
			return nil, fmt.Errorf("%q: want numbers of percent, as in 3strict,10", word)
		}
		list = append(list, limit{p, strict})
	}
	return list, nil
}
