// Live measures what a command costs that looks into a running program, side by side with the same
// program while nobody does: see `make bench-live`.
//
//	live -waymark bin/waymark SUBJECT
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
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
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("live: want the program to measure: make bench-live builds it")
	}
	s := start(flag.Arg(0))
	defer s.stop()
	pid := fmt.Sprint(s.cmd.Process.Pid)

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
			off := s.rate(*period)
			watch, out := command(*waymark, "watch", "-n", "0", "--if", c.condition, pid, "main.work")
			lines := make(chan int64)
			go func() {
				n := int64(0)
				for in := bufio.NewScanner(out); in.Scan(); n++ {
				}
				lines <- n
			}()
			time.Sleep(200 * time.Millisecond)
			before := s.calls()
			on := s.rate(*period)
			called += s.calls() - before
			watch.Process.Signal(os.Interrupt)
			hits += <-lines
			watch.Wait()
			share = append(share, 1-on/off)
			each = append(each, 1e9/on-1e9/off)
		}
		fmt.Printf("watch --if '%s' (%s): throughput falls by %.1f %%, a call takes %.0f ns longer; %d shown of %d calls while measured\n",
			c.condition, c.name, 100*median(share), median(each), hits, called)
	}
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

func (s *subject) calls() int64 {
	_, n := s.now()
	return n
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
