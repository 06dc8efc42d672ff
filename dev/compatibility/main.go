package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	waymark := flag.String("waymark", "waymark", "the waymark `command`")
	list := flag.String("list", "modules.txt", "the `file` that lists the suites")
	results := flag.String("results", "results", "the `folder` of results")
	only := flag.String("only", "", "run the suites whose modules match this `regexp`")
	race := flag.Bool("race", false, "run those marked race, with -race")
	again := flag.Bool("again", false, "run those, too, that have results")
	table := flag.Bool("table", false, "run nothing, print the table of the results")
	limit := flag.Duration("limit", 20*time.Minute, "end a package's tests after this `time`")
	runs := flag.Int("default", 0, "trace as waymark test --trace does by default, and time suites of 5 s or more `N` times; 0: record everything, and read it again")
	more := flag.String("more", "", "record with these `flags` of waymark test, too, as in '--waiting --objects'")
	patch := flag.Bool("patch", false, "trace test programs that plain Go has built, from their first instruction on")
	slow := flag.Float64("slow", 0, "run the program that follows so many `times` slower, do nothing else")
	flag.Parse()
	if *slow > 1 && flag.NArg() > 0 {
		os.Exit(slowDown(*slow, flag.Args()))
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "compatibility: %q: want no arguments but flags; see -help\n", flag.Args())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *waymark, *list, *results, *only, *race, *again, *table, *limit, *runs, *patch, strings.Fields(*more)); err != nil {
		fmt.Fprintln(os.Stderr, "compatibility:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, waymark, list, results, only string, race, again, table bool, limit time.Duration, runs int, patch bool, more []string) error {
	version, err := goVersion()
	if err != nil {
		return err
	}
	if !table {
		match, err := regexp.Compile(only)
		if err != nil {
			return fmt.Errorf("-only: %w", err)
		}
		if waymark, err = exec.LookPath(waymark); err != nil {
			return err
		}
		if waymark, err = filepath.Abs(waymark); err != nil {
			return err
		}
		suites, err := readList(list)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(results, 0o777); err != nil {
			return err
		}
		for _, s := range suites {
			res := &Result{Suite: s, Go: version, Race: race, Default: runs > 0}
			if _, err := os.Stat(res.file(results)); err == nil && !again || race && !s.Race || !match.MatchString(s.Module) {
				continue
			}
			r := &Runner{Context: ctx, Waymark: waymark, Go: version, Limit: limit, Race: race, Runs: runs, Patch: patch, More: more, Log: func(format string, args ...any) {
				fmt.Fprintf(os.Stderr, "%s: %s\n", s.Module, fmt.Sprintf(format, args...))
			}}
			dir, err := os.MkdirTemp("", "compatibility")
			if err != nil {
				return err
			}
			res = r.Compare(s, filepath.Join(dir, "module"))
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := res.write(results); err != nil {
				return err
			}
		}
	}
	all, err := readResults(results)
	if err != nil {
		return err
	}
	var shown []*Result
	different := 0
	for _, r := range all {
		if r.Go == version && r.Race == race && r.Default == (runs > 0) {
			shown = append(shown, r)
			different += r.count(Differs)
			if r.Trouble != "" || !r.recorded() {
				different++
			}
		}
	}
	if runs > 0 {
		writeTimes(os.Stdout, shown)
	} else {
		writeTable(os.Stdout, shown)
	}
	if different > 0 {
		return fmt.Errorf("%d differ: tests, or suites that could not be compared or have faults in their recordings; see the table and the results in %s", different, results)
	}
	return nil
}

func goVersion() (string, error) {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOVERSION: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
