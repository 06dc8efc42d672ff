// Shop is the service of an online shop and the customers that keep it busy.
//
// It serves an HTTP API on a loopback port, has a number of clients make
// requests to it, and prints how that went. The requests depend only on the
// flags, so that every run with the same flags does the same work.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/examples/shop/internal/loadgen"
)

// shutdownTimeout is how long requests that are being served may still take
// when the server is to stop.
const shutdownTimeout = 10 * time.Second

// options are the command line's flags.
type options struct {
	requests int
	clients  int
	seed     uint64
	addr     string
	serve    bool
	verbose  bool
}

func main() {
	o := parseFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// parseFlags parses the command line, and exits if it makes no sense.
func parseFlags() options {
	var o options
	flag.IntVar(&o.requests, "requests", 4000, "make `n` requests in all")
	flag.IntVar(&o.clients, "clients", 4, "make requests from `n` clients at a time")
	flag.Uint64Var(&o.seed, "seed", 1, "make up products and requests from this `number`")
	flag.StringVar(&o.addr, "addr", "", "listen on `host:port` (default a free port of 127.0.0.1)")
	flag.BoolVar(&o.serve, "serve", false, "after the requests, keep serving until interrupted")
	flag.BoolVar(&o.verbose, "verbose", false, "log each request")
	flag.Parse()
	if flag.NArg() > 0 || o.requests < 0 || o.clients < 1 {
		fmt.Fprintln(os.Stderr, "shop: no arguments wanted, -requests from 0, -clients from 1")
		flag.Usage()
		os.Exit(2)
	}
	return o
}

// run is the program without its process.
func run(ctx context.Context, o options, stdout, stderr io.Writer) (err error) {
	level := slog.LevelError
	if o.verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))

	dir, err := os.MkdirTemp("", "shop-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	// What has been ordered is shipped even if the program is interrupted.
	a, err := openApp(context.WithoutCancel(ctx), dir, o.seed, log)
	if err != nil {
		return err
	}
	if err := errors.Join(a.operate(ctx, o, stdout, log), a.close()); err != nil {
		return err
	}
	return reopen(ctx, dir, o, stdout, log)
}

// operate runs the server, and the clients against it.
func (a *app) operate(ctx context.Context, o options, stdout io.Writer, log *slog.Logger) error {
	addr := o.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           a.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()

	err = a.work(ctx, o, "http://"+ln.Addr().String(), stdout, served)

	// The context may be done, but requests must not be cut off for that.
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	return errors.Join(err, server.Shutdown(shutdown))
}

// work makes the requests, sums up and, if asked to, waits until the context
// is done or the server fails.
func (a *app) work(ctx context.Context, o options, url string, stdout io.Writer, served <-chan error) error {
	if o.requests > 0 {
		report, err := loadgen.Run(ctx, url, a.plans(o)...)
		if err != nil {
			return err
		}
		a.pool.Wait()
		if err := a.summarize(stdout, o, report); err != nil {
			return err
		}
	}
	if !o.serve {
		return nil
	}
	fmt.Fprintf(stdout, "serving on %s until interrupted\n", url)
	select {
	case <-ctx.Done():
		return nil
	case err := <-served:
		return err
	}
}

// plans returns the requests of each client.
func (a *app) plans(o options) [][]loadgen.Request {
	products := a.catalog.Products()
	plans := make([][]loadgen.Request, o.clients)
	for i := range plans {
		n := o.requests*(i+1)/o.clients - o.requests*i/o.clients
		plans[i] = loadgen.Plan(products, o.seed, i+1, n)
	}
	return plans
}

func (a *app) summarize(w io.Writer, o options, r *loadgen.Report) error {
	t, err := a.tally()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d requests from %d clients in %.2fs (%.0f/s), seed %d\n",
		r.Requests(), o.clients, r.Elapsed.Seconds(), float64(r.Requests())/r.Elapsed.Seconds(), o.seed)
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		fmt.Fprintf(w, "  %d %-21s %6d\n", status, http.StatusText(status), r.Statuses[status])
	}
	fmt.Fprintf(w, "latency  p50 %.2fms, p99 %.2fms\n", ms(r.Percentile(50)), ms(r.Percentile(99)))
	fmt.Fprintf(w, "orders   %v\n", t)
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reopen opens the shop again, to see that it finds its data.
func reopen(ctx context.Context, dir string, o options, stdout io.Writer, log *slog.Logger) (err error) {
	a, err := openApp(ctx, dir, o.seed, log)
	if err != nil {
		return fmt.Errorf("reopening: %w", err)
	}
	defer func() { err = errors.Join(err, a.close()) }()
	t, err := a.tally()
	if err != nil {
		return fmt.Errorf("reopening: %w", err)
	}
	fmt.Fprintf(stdout, "reopened %v\n", t)
	return nil
}
