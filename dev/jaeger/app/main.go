// App calls another process of itself over HTTP, several times at once, and sends its trace context
// along.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
)

const requests = 20

func main() {
	if len(os.Args) > 1 {
		serve()
		return
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	server := exec.Command(self, "serve")
	server.Env = append(os.Environ(), "WAYMARK=record,arg-depth=5,arg-bytes=1000,o=server.wmt")
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := server.Start(); err != nil {
		panic(err)
	}
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		panic(err)
	}
	var calls sync.WaitGroup
	for i := range requests {
		calls.Go(func() { request(i, "http://"+strings.TrimSpace(addr)) })
	}
	calls.Wait()
	in.Close()
	if err := server.Wait(); err != nil {
		panic(err)
	}
}

func request(i int, url string) {
	for _, text := range []string{"first", "second", "panic"} {
		get(fmt.Sprintf("%s/%s", url, text), fmt.Sprintf("00-%032x-%016x-01", i+1, len(text)))
	}
}

func get(url, traceparent string) {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("traceparent", traceparent)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		panic(err)
	}
}

func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go http.Serve(l, http.HandlerFunc(handle))
	io.Copy(io.Discard, os.Stdin)
}

func handle(w http.ResponseWriter, r *http.Request) {
	defer func() { recover() }()
	done := make(chan bool)
	go func() { answer(io.Discard, "beside"); close(done) }()
	<-done
	answer(w, r.URL.Path)
}

func answer(w io.Writer, text string) {
	if text == "/panic" {
		panic("bad request \"" + text + "\" <µ>")
	}
	io.WriteString(w, text)
}
