// Store runs examples/store, the benchmark of the document that waymark's agent is from, built
// plainly and with every function instrumented, in turns. It writes what each way of tracing makes
// of its time into docs/performance.md: `make bench-store`.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/table"
)

// A way is how the program is built and run.
type way struct {
	name    string
	program string
	setting string // of WAYMARK

	seconds, ratios []float64
}

func main() {
	plain := flag.String("plain", "", "the `program`, built by go build")
	traced := flag.String("traced", "", "the `program`, built by waymark with every function")
	rows := flag.Int("rows", 10_000_000, "rows in the store")
	rounds := flag.Int("rounds", 11, "rounds")
	docs := flag.String("docs", "", "`folder` of performance.md")
	flag.Parse()
	if err := run(*plain, *traced, *rows, *rounds, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1)
	}
}

func run(plain, traced string, rows, rounds int, docs string) error {
	dir, err := os.MkdirTemp("", "store-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	report := ",report=text:" + os.DevNull
	ways := []*way{
		{name: "plain", program: plain},
		{name: "off", program: traced},
		{name: "calls only", program: traced, setting: "count" + report},
		{name: "calls, total and self time", program: traced, setting: "stats" + report},
		{name: "with histogram", program: traced, setting: "histogram" + report},
		{name: "recording to a file", program: traced, setting: "record,o=" + filepath.Join(dir, "store.wmt")},
	}
	for range rounds {
		for _, w := range ways {
			cmd := exec.Command(w.program, "-rows", strconv.Itoa(rows))
			cmd.Env = append(os.Environ(), "WAYMARK="+w.setting)
			cmd.Stderr = os.Stderr
			start := time.Now()
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			s := time.Since(start).Seconds()
			w.seconds = append(w.seconds, s)
			w.ratios = append(w.ratios, s/ways[0].seconds[len(ways[0].seconds)-1])
		}
	}
	var cells [][]string
	for _, w := range ways {
		cells = append(cells, []string{w.name, fmt.Sprintf("%.2f s", measure.Median(w.seconds)), fmt.Sprintf("%.1f x", measure.Median(w.ratios))})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d rounds of %d rows. Medians of the time of the process, and of its ratios to the plain one of the same round.\n\n",
		table.Machine(), rounds, rows)
	if err := table.Write(&b, []string{"Store", "Time", "Over plain"}, cells); err != nil {
		return err
	}
	fmt.Print(b.String())
	if docs == "" {
		return nil
	}
	return table.Insert(filepath.Join(docs, "performance.md"), "STORE", b.String())
}
