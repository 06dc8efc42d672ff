// Server serves and asks itself, checks each answer, and makes what is hard for who looks into it: CPU profiles and
// execution traces, collections of garbage, storms of goroutines, growing stacks, panics, children. Each line that it
// reads it answers with how many answers were right, how many were wrong, and the latency of those since the line before:
// p50, p99 and the longest, us.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var (
	right, wrong atomic.Int64
	latencies    struct {
		sync.Mutex
		list []time.Duration
	}
)

func main() {
	debug.SetGCPercent(10)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	go http.Serve(l, http.HandlerFunc(answer))
	for i := range 4 {
		go ask("http://"+l.Addr().String(), i)
	}
	go profiles()
	go storms()
	go children()
	fmt.Println("ready", os.Getpid())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		latencies.Lock()
		list := latencies.list
		latencies.list = nil
		latencies.Unlock()
		slices.Sort(list)
		at := func(q float64) int64 {
			if len(list) == 0 {
				return 0
			}
			return list[min(len(list)-1, int(q*float64(len(list))))].Microseconds()
		}
		fmt.Println("answers", right.Load(), wrong.Load(), at(0.5), at(0.99), at(1))
	}
}

// An Order is what is asked for, and answered.
type Order struct {
	ID    int
	Items []string
	Sum   int
}

func answer(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if recover() != nil {
			http.Error(w, "panicked", http.StatusTeapot)
		}
	}()
	var o Order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o.Sum = sum(o.Items, o.ID%50)
	if o.ID%7 == 0 {
		var none *Order
		o.Sum += none.ID
	}
	json.NewEncoder(w).Encode(o)
}

// sum adds up, with a stack of so many frames.
//
//go:noinline
func sum(items []string, depth int) (n int) {
	var room [256]byte
	room[depth] = 1
	if depth > 0 {
		return sum(items, depth-1) + int(room[depth]) - 1
	}
	for _, item := range items {
		v, _ := strconv.Atoi(item)
		n += v
	}
	return n
}

func ask(url string, client int) {
	for id := client; ; id += 4 {
		o := Order{ID: id}
		want := 0
		for i := range id % 20 {
			o.Items = append(o.Items, strconv.Itoa(i))
			want += i
		}
		b, _ := json.Marshal(o)
		begin := time.Now()
		r, err := http.Post(url, "application/json", bytes.NewReader(b))
		if err != nil {
			wrong.Add(1)
			continue
		}
		var got Order
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		json.Unmarshal(body, &got)
		took := time.Since(begin)
		latencies.Lock()
		latencies.list = append(latencies.list, took)
		latencies.Unlock()
		if ok := got.Sum == want && got.ID == id; ok && r.StatusCode == http.StatusOK || id%7 == 0 && r.StatusCode == http.StatusTeapot {
			right.Add(1)
		} else {
			wrong.Add(1)
		}
		time.Sleep(time.Millisecond)
	}
}

func profiles() {
	for {
		pprof.StartCPUProfile(io.Discard)
		time.Sleep(300 * time.Millisecond)
		pprof.StopCPUProfile()
		trace.Start(io.Discard)
		time.Sleep(50 * time.Millisecond)
		trace.Stop()
		pprof.Lookup("goroutine").WriteTo(io.Discard, 2)
		time.Sleep(300 * time.Millisecond)
	}
}

func storms() {
	for n := 0; ; n++ {
		var all sync.WaitGroup
		for i := range 2000 {
			all.Add(1)
			go func() {
				defer all.Done()
				storm(i)
			}()
		}
		all.Wait()
		time.Sleep(100 * time.Millisecond)
		if n%10 == 0 {
			runtime.GC()
		}
	}
}

//go:noinline
func storm(i int) int {
	if i%10 == 0 {
		runtime.Gosched()
	}
	if i%100 == 0 {
		runtime.Goexit()
	}
	return sum(nil, i%40)
}

func children() {
	for {
		if out, err := exec.Command("true").CombinedOutput(); err != nil || len(out) > 0 {
			wrong.Add(1)
		}
		time.Sleep(500 * time.Millisecond)
	}
}
