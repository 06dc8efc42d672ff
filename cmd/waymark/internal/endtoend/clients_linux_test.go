package endtoend

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// requests are what clients of TestClients ask for, each for as long as they live.
var requests = []string{
	"on PID main.work", "on PID main.*", "on --monitor print PID main.leaf", "on --stay PID main.caught", "off PID main.caught",
	"watch PID main.work", "watch --keep-calls PID main.*", "watch --if args[0]>10&&panic==nil PID main.work",
	"trace PID main.work", "stack PID main.leaf", "monitor --every 20ms PID main.*", "top --every 20ms PID",
	"record -o FILE --overflow drop PID", "record -o FILE --overflow ring PID main.leaf", "status PID", "reset PID",
	"sample --rate 200 --for 0 PID", "sample --for 50ms --root main.work PID", "seen --for 50ms PID",
}

// Clients that switch functions on and off, and are killed at any moment, leave a program as it was:
// with -long 50 for a minute.
func TestClients(t *testing.T) {
	clients, period := 8, 3*time.Second
	if *long {
		clients, period = 50, time.Minute
	}
	prog, dir := instrument(t, "clients", "--args", "--results", "--all", "-race"), t.TempDir()
	cmd := exec.Command(prog)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "WAYMARK=", "GORACE=halt_on_error=1")
	stderr, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	cmd.Stderr = stderr
	said := func() string {
		b, _ := os.ReadFile(stderr.Name())
		if crash := bytes.Index(b, []byte("goroutine ")); crash >= 0 { // what is printed of calls comes before
			b = b[max(crash-500, 0):]
		}
		return string(b)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	pid := fmt.Sprint(cmd.Process.Pid)
	measure := func() (goroutines, heap, calls, descriptors int) {
		io.WriteString(in, "\n")
		if !lines.Scan() {
			t.Fatalf("the program has ended: %.3000s", said())
		}
		if _, err := fmt.Sscan(lines.Text(), &goroutines, &heap, &calls); err != nil {
			t.Fatal(err)
		}
		fds, err := os.ReadDir("/proc/" + pid + "/fd")
		if err != nil {
			t.Fatal(err)
		}
		return goroutines, heap, calls, len(fds)
	}
	waymark := func(args ...string) *exec.Cmd {
		c := exec.Command(tool(t), args...)
		c.Dir, c.Env = dir, cmd.Env
		return c
	}
	settled := func() string {
		out, err := waymark("status", pid).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s\n%.3000s", err, out, said())
		}
		_, on, _ := strings.Cut(string(out), "\non ")
		return strings.TrimSpace(on)
	}
	// What is made once is made before.
	for _, r := range requests {
		c := waymark(arguments(r, pid, filepath.Join(dir, "first.wmt"))...)
		out, err := c.StderrPipe()
		if err := errors.Join(err, c.Start()); err != nil {
			t.Fatal(err)
		}
		begun := make(chan bool)
		go func() {
			out.Read(make([]byte, 1)) // how many functions it has affected, or the end
			close(begun)
			io.Copy(io.Discard, out)
		}()
		select {
		case <-begun:
		case <-time.After(2 * time.Second): // samples affect none
		}
		interrupt(c)
	}
	if out, err := waymark("reset", pid).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%.3000s", err, out, said())
	}
	goroutines, heap, _, descriptors := measure()
	var all sync.WaitGroup
	end := time.Now().Add(period)
	ran, killed := make([]int, clients), make([]int, clients)
	for i := range clients {
		all.Go(func() {
			for random := rand.New(rand.NewPCG(uint64(i), 1)); time.Now().Before(end); ran[i]++ {
				c := waymark(arguments(requests[random.IntN(len(requests))], pid, filepath.Join(dir, fmt.Sprint(i, ".wmt")))...)
				if err := c.Start(); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
				if random.IntN(2) == 0 {
					c.Process.Kill()
					killed[i]++
				} else {
					interrupt(c)
					continue
				}
				c.Wait()
			}
		})
	}
	all.Wait()
	if out, err := waymark("reset", pid).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%.3000s", err, out, said())
	}
	sum := func(list []int) (n int) {
		for _, m := range list {
			n += m
		}
		return n
	}
	_, _, before, _ := measure()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		on := settled()
		g, h, calls, d := measure()
		if on == "nothing" && g == goroutines && d <= descriptors && h < heap+8<<20 && calls > before {
			t.Logf("%d clients, %d of them killed; heap %d KB, before %d KB", sum(ran), sum(killed), h>>10, heap>>10)
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("on: %q, want nothing; %d goroutines, want %d; %d descriptors, want %d at most; heap %d, before %d; %d calls, before %d\n%.3000s",
				on, g, goroutines, d, descriptors, h, heap, calls, before, said())
		}
	}
}

// interrupt ends a command as ^C does. One that is only starting does not hear it if these tests were started with
// SIGINT ignored, as shells start what they put in the background.
func interrupt(c *exec.Cmd) {
	ended := make(chan bool)
	go func() {
		c.Wait()
		close(ended)
	}()
	for {
		c.Process.Signal(syscall.SIGINT)
		select {
		case <-ended:
			return
		case <-time.After(time.Second):
		}
	}
}

func arguments(request, pid, file string) []string {
	return strings.Fields(strings.NewReplacer("PID", pid, "FILE", file).Replace(request))
}
