// Latency measures how long the requests of a service take before, during and after each live
// command, by the load tool vegeta: see `make bench-latency`.
//
//	latency -waymark bin/waymark -vegeta bin/vegeta SHOP
//
// SHOP is examples/shop, built by waymark; with -plain by plain Go: it is patched. The phases come in turn, several times, and the numbers
// are medians of the rounds.
package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// queries are words of the shop's products.
var queries = []string{"ivory", "charcoal", "trellis", "microphone", "weatherproof+ivory", "studio+speaker", "candied"}

// A phase is a command that runs while the service has load; none: nobody looks.
type phase struct {
	name    string
	command []string // PID stands for the process; it ends by an interrupt
	again   bool     // it ends by itself, and begins again until the load is over
}

func main() {
	waymark := flag.String("waymark", "waymark", "the waymark `command`")
	vegeta := flag.String("vegeta", "vegeta", "the load tool")
	rounds := flag.Int("rounds", 5, "measure `N` times, in turn, and take medians")
	period := flag.Duration("period", 5*time.Second, "load for so `long` each time")
	plain := flag.Bool("plain", false, "plain Go has built the service")
	rate := flag.Int("rate", 500, "`REQUESTS` per second")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("latency: want the service to measure: make bench-latency builds it")
	}
	dir, err := os.MkdirTemp("", "latency")
	must(err)
	defer os.RemoveAll(dir)
	phases := []phase{
		{name: "before"},
		{name: "top", command: []string{"top", "--for", "0", "PID"}},
		{name: "watch --if, one function", command: []string{"watch", "-n", "0", "--if", "duration > 10s", "PID", "search.(*Index).Search"}},
		{name: "stack -n 0, one function", command: []string{"stack", "-n", "0", "PID", "catalog.(*Catalog).Search"}},
		{name: "trace -n 0, requests of 100 ms", command: []string{"trace", "-n", "0", "--min", "100ms", "PID", "httpapi.(*api).search"}},
		{name: "sample", command: []string{"sample", "--for", "0", "PID"}},
		{name: "record, all functions", command: []string{"record", "-o", filepath.Join(dir, "shop.wmt"), "PID"}},
		{name: "top -n 1, again and again", command: []string{"top", "--limit=1", "--every", "200ms", "PID"}, again: true},
		{name: "after"},
	}
	if *plain {
		phases = slices.DeleteFunc(phases, func(p phase) bool { return p.name == "sample" })
	}
	shop, address := serve(flag.Arg(0))
	defer shop.Process.Kill()
	pid := fmt.Sprint(shop.Process.Pid)
	attack := func() result { return attack(*vegeta, address, *rate, *period) }
	attack() // caches are filled
	results := make([][]result, len(phases))
	for range *rounds {
		for i, p := range phases {
			end := begin(*waymark, pid, p)
			results[i] = append(results[i], attack())
			end()
		}
	}
	fmt.Printf("%d requests per second, medians of %d rounds of %v\n", *rate, *rounds, *period)
	fmt.Printf("%-32s %10s %10s %10s %10s %8s\n", "", "p50, ms", "p99, ms", "p99.9, ms", "mean, ms", "errors")
	for i, p := range phases {
		of := func(f func(r result) float64) float64 {
			var list []float64
			for _, r := range results[i] {
				list = append(list, f(r))
			}
			slices.Sort(list)
			return list[len(list)/2]
		}
		fmt.Printf("%-32s %10.3f %10.3f %10.3f %10.3f %8.0f\n", p.name, of(func(r result) float64 { return r.quantile(0.5) }), of(func(r result) float64 { return r.quantile(0.99) }),
			of(func(r result) float64 { return r.quantile(0.999) }), of(result.mean), of(func(r result) float64 { return float64(r.failed) }))
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

// begin runs a phase's command on the process. It runs when begin returns, until end is called.
func begin(waymark, pid string, p phase) (end func()) {
	if p.command == nil {
		return func() {}
	}
	args := slices.Clone(p.command)
	args[slices.Index(args, "PID")] = pid
	var said bytes.Buffer
	start := func() *exec.Cmd {
		c := exec.Command(waymark, args...)
		said.Reset()
		c.Stderr = &said
		must(c.Start())
		return c
	}
	wait := func(c *exec.Cmd) {
		if err := c.Wait(); err != nil {
			log.Fatalf("latency: %v: %v: %s", c.Args, err, &said)
		}
	}
	if p.again {
		stop, stopped := make(chan bool), make(chan bool)
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					wait(start())
				}
			}
		}()
		return func() {
			close(stop)
			<-stopped
		}
	}
	c := start()
	time.Sleep(300 * time.Millisecond)
	return func() {
		must(c.Process.Signal(os.Interrupt))
		wait(c)
	}
}

// A result is what the requests of an attack took, ms, in order, and how many failed.
type result struct {
	took   []float64
	failed int
}

func (r result) quantile(q float64) float64 {
	return r.took[min(len(r.took)-1, int(q*float64(len(r.took))))]
}

func (r result) mean() (ms float64) {
	for _, t := range r.took {
		ms += t
	}
	return ms / float64(len(r.took))
}

// attack has vegeta make requests.
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
	encode := exec.Command(vegeta, "encode", "-to", "csv")
	encode.Stdin = bytes.NewReader(out)
	out, err = encode.Output()
	must(err)
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	must(err)
	for _, row := range rows { // time, status, ns
		ns, err := strconv.ParseFloat(row[2], 64)
		must(err)
		r.took = append(r.took, ns/1e6)
		if row[1] != "200" {
			r.failed++
		}
	}
	if r.failed == len(rows) {
		must(errors.New("no request succeeded"))
	}
	slices.Sort(r.took)
	return r
}

func must(err error) {
	if err != nil {
		log.Fatalf("latency: %v", err)
	}
}
