package jaeger

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// One in each requests is slow, and one fails: see tail/main.go.
const each = 5000

// A service is a process of the program in tail.
type service struct {
	addr  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
	said  bytes.Buffer
}

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	prog := filepath.Join(t.TempDir(), "tail")
	if out, err := exec.Command(*command, "build", "-o", prog, "./tail").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return prog
}

// serve starts a service.
func serve(t *testing.T, prog, waymark string, args ...string) *service {
	t.Helper()
	s, env := &service{cmd: exec.Command(prog, args...)}, append(os.Environ(), "OTEL_SERVICE_NAME="+args[0])
	if *one { // with as many Ps as it has on two processors
		s.cmd, env = exec.Command("taskset", append([]string{"-c", "0", prog}, args...)...), append(env, "GOMAXPROCS=2")
	}
	s.cmd.Env = env
	if waymark != "" {
		s.cmd.Env = append(s.cmd.Env, "WAYMARK="+waymark)
	}
	s.cmd.Stderr = &s.said
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	s.stdin, s.out = in, bufio.NewReader(out)
	s.addr = s.line(t)
	return s
}

// line returns the next line that the service prints.
func (s *service) line(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, &s.said)
	}
	return strings.TrimSpace(line)
}

// cpu returns how much CPU time the service has taken.
func (s *service) cpu(t *testing.T) time.Duration {
	t.Helper()
	fmt.Fprintln(s.stdin)
	ns, err := strconv.Atoi(s.line(t))
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(ns)
}

// end ends a service.
func (s *service) end(t *testing.T) {
	t.Helper()
	s.stdin.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &s.said)
	}
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

// load sends n requests, rate a second, each with a trace id and a span id of its number, from first on. It returns how
// long each took since it was due.
func load(t *testing.T, addr string, first, n, rate int) []time.Duration {
	t.Helper()
	start := time.Now()
	took := make([]time.Duration, n)
	var last atomic.Int64
	var workers sync.WaitGroup
	for range 50 {
		workers.Go(func() {
			for k := int(last.Add(1)); k <= n; k = int(last.Add(1)) {
				i := first + k - 1
				req, _ := http.NewRequest("GET", fmt.Sprintf("http://%s/order?id=%d", addr, i), nil)
				req.Header.Set("Traceparent", fmt.Sprintf("00-%s-%s-01", traceID(i), spanID(i)))
				due := start.Add(time.Duration(k) * time.Second / time.Duration(rate))
				time.Sleep(time.Until(due))
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				took[k-1] = time.Since(due)
				if want := map[bool]int{false: 200, true: 502}[i%each == each/2]; resp.StatusCode != want {
					t.Errorf("request %d: %s", i, resp.Status)
				}
			}
		})
	}
	workers.Wait()
	return took
}

func traceID(i int) string { return fmt.Sprintf("%032x", i) }
func spanID(i int) string  { return fmt.Sprintf("%016x", 1<<32+i) }
