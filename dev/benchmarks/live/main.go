// Live measures what a command costs that looks into a running program, side by side with the same
// program while nobody does: see `make bench-live`.
//
//	live -waymark bin/waymark SUBJECT
//	live -waymark bin/waymark -watch main.server.UnaryCall ECHO
//
// SUBJECT prints how often it has called its function work, and ECHO how many requests it has answered.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	waymark := flag.String("waymark", "waymark", "the waymark `command`")
	rounds := flag.Int("rounds", 9, "measure `N` times, in turn, and take medians")
	period := flag.Duration("period", time.Second, "measure for so `long` each time")
	function := flag.String("watch", "", "watch all calls of this `FUNCTION`, and measure nothing else")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("live: want the program to measure: make bench-live builds it")
	}
	s := start(flag.Arg(0))
	defer s.stop()
	pid := fmt.Sprint(s.cmd.Process.Pid)

	if *function != "" {
		var share []float64
		var told int64
		for range *rounds {
			off, on, lines := s.sideBySide(*period, *waymark, "watch", "-n", "0", pid, *function)
			share, told = append(share, 1-on/off), told+lines
		}
		middle := median(share) // sorts them
		// The ranks between which the median lies with 95 %, by the binomial distribution.
		off := int(math.Ceil(0.98 * math.Sqrt(float64(len(share)))))
		low, high := share[max(len(share)/2-off, 0)], share[min(len(share)/2+off, len(share)-1)]
		fmt.Printf("watch %s: throughput falls by %.2f %% (%.2f to %.2f with 95 %%); %d calls shown\n", *function, 100*middle, 100*low, 100*high, told)
		return
	}

	var first []time.Duration
	for range *rounds {
		begin := time.Now()
		c, out := command(*waymark, "watch", "-n", "1", pid, "main.work")
		must(waitLine(out))
		first = append(first, time.Since(begin))
		must(c.Wait())
	}
	fmt.Printf("first call shown by watch        %8.1f ms after the command was started\n", median(first).Seconds()*1e3)

	conditions := []struct{ name, condition string }{
		{"two arguments, one call in 100,000", "args[0] > 10 && args[1] == 77"},
		{"never true", "args[1] < 0"},
	}
	for _, c := range conditions {
		var share, each []float64
		var hits, called int64
		for range *rounds {
			off, on, lines := s.sideBySide(*period, *waymark, "watch", "-n", "0", "--if", c.condition, pid, "main.work")
			hits, called = hits+lines, called+int64(on*period.Seconds())
			share = append(share, 1-on/off)
			each = append(each, 1e9/on-1e9/off)
		}
		fmt.Printf("watch --if '%s' (%s): throughput falls by %.1f %%, a call takes %.0f ns longer; %d shown of %d calls while measured\n",
			c.condition, c.name, 100*median(share), median(each), hits, called)
	}
}

// sideBySide returns the rate while nobody looks and then while a command does, and how many lines it
// printed.
func (s *subject) sideBySide(d time.Duration, name string, args ...string) (off, on float64, lines int64) {
	off = s.rate(d)
	c, out := command(name, args...)
	printed := make(chan int64)
	go func() {
		n := int64(0)
		for in := bufio.NewScanner(out); in.Scan(); {
			n++
		}
		printed <- n
	}()
	time.Sleep(200 * time.Millisecond)
	on = s.rate(d)
	c.Process.Signal(os.Interrupt)
	lines = <-printed
	c.Wait()
	return off, on, lines
}

// command starts a command and returns its output.
func command(name string, args ...string) (*exec.Cmd, io.Reader) {
	c := exec.Command(name, args...)
	out, err := c.StdoutPipe()
	must(err)
	must(c.Start())
	return c, out
}

// waitLine returns when a line has been read; the rest is read in the background.
func waitLine(r io.Reader) error {
	in := bufio.NewReader(r)
	_, err := in.ReadString('\n')
	go io.Copy(io.Discard, in)
	return err
}

// A subject is the running program.
type subject struct {
	cmd *exec.Cmd
	in  io.Closer

	mu     sync.Mutex
	at, n  int64 // ns since 1970, calls until then
	change *sync.Cond
}

func start(program string) *subject {
	s := &subject{cmd: exec.Command(program)}
	s.change = sync.NewCond(&s.mu)
	in, err := s.cmd.StdinPipe()
	must(err)
	s.in = in
	out, err := s.cmd.StdoutPipe()
	must(err)
	s.cmd.Env = append(os.Environ(), "WAYMARK=")
	must(s.cmd.Start())
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var at, n int64
			if _, err := fmt.Sscan(strings.TrimSpace(lines.Text()), &at, &n); err == nil {
				s.mu.Lock()
				s.at, s.n = at, n
				s.mu.Unlock()
				s.change.Broadcast()
			}
		}
	}()
	time.Sleep(500 * time.Millisecond)
	return s
}

// now waits for the next figure of the subject's.
func (s *subject) now() (at, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for before := s.at; s.at == before; {
		s.change.Wait()
	}
	return s.at, s.n
}

// rate returns calls per second, measured for so long.
func (s *subject) rate(d time.Duration) float64 {
	at, n := s.now()
	time.Sleep(d)
	end, m := s.now()
	return float64(m-n) / (float64(end-at) / 1e9)
}

func (s *subject) stop() {
	s.in.Close()
	s.cmd.Wait()
}

func median[T int64 | float64 | time.Duration](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
