// Tail is two services: front asks store. One in so many requests is slow in the store, and one fails there.
//
//	tail store | tail front STORE
//
// Each prints its address, and for each line of its standard input how much CPU time it has taken, in ns. It ends when
// its standard input does.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	each     = 5000                   // one in so many requests is slow, and one fails
	slowness = 200 * time.Millisecond // of slow ones
)

func main() {
	mux := http.NewServeMux()
	switch os.Args[1] {
	case "store":
		mux.HandleFunc("/item", item)
	case "front":
		store = "http://" + os.Args[2]
		mux.HandleFunc("/order", order)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go http.Serve(l, mux)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			panic(err)
		}
		fmt.Println(u.Utime.Nano() + u.Stime.Nano())
	}
}

var (
	store  string
	client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
)

// order is a handler of front.
func order(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	for range 5 {
		if !validate(id) {
			http.Error(w, "want an id", http.StatusBadRequest)
			return
		}
	}
	text, err := ask(id, r.Header.Get("Traceparent"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	render(w, text)
}

//go:noinline
func validate(id string) bool { return id != "" }

//go:noinline
func ask(id, traceparent string) (string, error) {
	req, err := http.NewRequest("GET", store+"/item?id="+id, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Traceparent", traceparent)
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return string(b), err
}

//go:noinline
func render(w io.Writer, text string) { io.WriteString(w, text) }

// item is a handler of store.
func item(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.URL.Query().Get("id"))
	if err == nil {
		err = query(id)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	render(w, "item")
}

//go:noinline
func query(id int) error {
	row := read(id)
	done := make(chan error)
	go func() { done <- lookup(row) }() // of the same trace
	return <-done
}

//go:noinline
func lookup(id int) error {
	switch id % each {
	case 0:
		wait()
	case each / 2:
		return errors.New("no such item")
	}
	return nil
}

//go:noinline
func read(id int) int { return id }

//go:noinline
func wait() { time.Sleep(slowness) }
