// Latency measures how long the requests of a service take before, during and after each live
// command, by the load tool vegeta: see `make bench-latency`.
//
//	latency -waymark bin/waymark -vegeta bin/vegeta SHOP
//
// SHOP is examples/shop, built by waymark. The phases come in turn, several times, and the numbers
// are medians of the rounds.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// queries are words of the shop's products.
var queries = []string{"ivory", "charcoal", "trellis", "microphone", "weatherproof+ivory", "studio+speaker", "candied"}

// A phase is a command that runs while the service has load; none: nobody looks.
type phase struct {
	name    string
	command []string // PID stands for the process; it ends by an interrupt
}

func main() {
	waymark := flag.String("waymark", "waymark", "the waymark `command`")
	vegeta := flag.String("vegeta", "vegeta", "the load tool")
	rounds := flag.Int("rounds", 5, "measure `N` times, in turn, and take medians")
	period := flag.Duration("period", 5*time.Second, "load for so `long` each time")
	rate := flag.Int("rate", 500, "`REQUESTS` per second")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("latency: want the service to measure: make bench-latency builds it")
	}
	dir, err := os.MkdirTemp("", "latency")
	must(err)
	defer os.RemoveAll(dir)
	phases := []phase{
		{"before", nil},
		{"top", []string{"top", "--for", "0", "PID"}},
		{"watch --if, one function", []string{"watch", "-n", "0", "--if", "duration > 10s", "PID", "search.(*Index).Search"}},
		{"stack -n 0, one function", []string{"stack", "-n", "0", "PID", "catalog.(*Catalog).Search"}},
		{"trace -n 0, requests of 100 ms", []string{"trace", "-n", "0", "--min", "100ms", "PID", "httpapi.(*api).search"}},
		{"sample", []string{"sample", "--for", "0", "PID"}},
		{"record, all functions", []string{"record", "-o", filepath.Join(dir, "shop.wmt"), "PID"}},
		{"after", nil},
	}
	shop, address := serve(flag.Arg(0))
	defer shop.Process.Kill()
	pid := fmt.Sprint(shop.Process.Pid)
	attack := func() result { return attack(*vegeta, address, *rate, *period) }
	attack() // caches are filled
	results := make([][]result, len(phases))
	for range *rounds {
		for i, p := range phases {
			end := begin(*waymark, pid, p.command)
			results[i] = append(results[i], attack())
			end()
		}
	}
	fmt.Printf("%d requests per second, medians of %d rounds of %v\n", *rate, *rounds, *period)
	fmt.Printf("%-32s %10s %10s %10s %8s\n", "", "p50, ms", "p99, ms", "mean, ms", "errors")
	for i, p := range phases {
		of := func(f func(r result) float64) float64 {
			var list []float64
			for _, r := range results[i] {
				list = append(list, f(r))
			}
			slices.Sort(list)
			return list[len(list)/2]
		}
		failed := 0
		for _, r := range results[i] {
			failed += len(r.Errors)
		}
		fmt.Printf("%-32s %10.3f %10.3f %10.3f %8d\n", p.name,
			of(func(r result) float64 { return r.Latencies.P50 / 1e6 }), of(func(r result) float64 { return r.Latencies.P99 / 1e6 }),
			of(func(r result) float64 { return r.Latencies.Mean / 1e6 }), failed)
	}
}

// serve starts the service and returns its address.
func serve(path string) (*exec.Cmd, string) {
	c := exec.Command(path, "-serve", "-requests", "0")
	out, err := c.StdoutPipe()
	must(err)
	must(c.Start())
	for in := bufio.NewScanner(out); in.Scan(); {
		if rest, ok := strings.CutPrefix(in.Text(), "serving on "); ok {
			address, _, _ := strings.Cut(rest, " ")
			return c, address
		}
	}
	log.Fatal("latency: the service does not say where it serves")
	return nil, ""
}

// begin runs a command on the process. It runs when begin returns, until end is called.
func begin(waymark, pid string, args []string) (end func()) {
	if args == nil {
		return func() {}
	}
	args = slices.Clone(args)
	args[slices.Index(args, "PID")] = pid
	c := exec.Command(waymark, args...)
	var said bytes.Buffer
	c.Stderr = &said
	must(c.Start())
	time.Sleep(300 * time.Millisecond)
	return func() {
		must(c.Process.Signal(os.Interrupt))
		if err := c.Wait(); err != nil {
			log.Fatalf("latency: %v: %v: %s", c.Args, err, &said)
		}
	}
}

// A result is what vegeta reports, in its names; times are in ns.
type result struct {
	Latencies struct {
		Mean float64 `json:"mean"`
		P50  float64 `json:"50th"`
		P99  float64 `json:"99th"`
	} `json:"latencies"`
	Success float64  `json:"success"`
	Errors  []string `json:"errors"`
}

// attack has vegeta make requests, and returns its report.
func attack(vegeta, address string, rate int, d time.Duration) (r result) {
	var targets bytes.Buffer
	for _, q := range queries {
		fmt.Fprintf(&targets, "GET %s/search?q=%s\n", address, q)
		fmt.Fprintf(&targets, "GET %s/products/GA-0327\n", address)
	}
	load := exec.Command(vegeta, "attack", "-rate", fmt.Sprint(rate), "-duration", d.String())
	load.Stdin = &targets
	out, err := load.Output()
	must(err)
	report := exec.Command(vegeta, "report", "-type", "json")
	report.Stdin = bytes.NewReader(out)
	out, err = report.Output()
	must(err)
	must(json.Unmarshal(out, &r))
	if r.Success == 0 {
		must(errors.New("no request succeeded"))
	}
	return r
}

func must(err error) {
	if err != nil {
		log.Fatalf("latency: %v", err)
	}
}
