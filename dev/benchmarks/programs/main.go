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
	"strings"
	"syscall"

	"github.com/waymark-go/waymark/dev/benchmarks/subject"
	"github.com/waymark-go/waymark/dev/benchmarks/table"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := mainErr(ctx, os.Args[1:], subject.Programs(), os.Stdout, os.Stderr)
	stop()
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "programs:", err)
		}
		os.Exit(1)
	}
}

func mainErr(ctx context.Context, args []string, list []subject.Subject, w, wErr io.Writer) error {
	b := &bench{ctx: ctx, size: 1, log: wErr}
	flags := flag.NewFlagSet("programs", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.StringVar(&b.waymark, "waymark", "waymark", "the waymark `command`")
	flags.IntVar(&b.rounds, "rounds", 15, "number of rounds")
	flags.BoolVar(&b.cold, "cold", true, "build without caches in each round, too: takes most of the time")
	only := flags.String("only", "", "measure only the programs whose names match this `regexp`")
	docs := flags.String("docs", "", "`folder` of performance.md, whose tables are replaced, and of the samples; none: print the tables")
	quick := flags.Bool("quick", false, "one short round with the caches that there are, to see that all of it works; its figures mean nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: want flags only; see -help", flags.Args())
	}
	if *quick {
		b.rounds, b.cold, b.shared, b.size = 1, false, true, 0.01
	}
	if b.rounds < 1 {
		return fmt.Errorf("-rounds %d: want at least 1", b.rounds)
	}
	chosen, err := subject.Choose(list, func(s subject.Subject) string { return s.Name }, "-only", *only)
	if err != nil {
		return err
	}
	if b.waymark, b.goroot, err = subject.Tools(b.waymark); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "waymark-programs-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	all, err := b.measure(chosen)
	if err != nil {
		return err
	}
	if *docs == "" {
		return writeTables(w, all, b.rounds)
	}
	return publish(*docs, all, b.rounds)
}

// publish writes tables and samples into the folder of documents.
func publish(docs string, all []*outcome, rounds int) error {
	var tables, samples strings.Builder
	if err := writeTables(&tables, all, rounds); err != nil {
		return err
	}
	if err := writeCSV(&samples, all); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, "programs.csv"), []byte(samples.String()), 0o666); err != nil {
		return err
	}
	return table.Insert(filepath.Join(docs, "performance.md"), "PROGRAMS", tables.String())
}
