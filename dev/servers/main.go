// Servers gathers the traces of an HTTP server and of a gRPC server under load. It counts the calls
// that are on the tree of their request: see `make test-traces`.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pb "google.golang.org/grpc/interop/grpc_testing"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/dev/servers/work"
	"github.com/waymark-go/waymark/trace"
)

func main() {
	n := flag.Int("n", 2000, "make `n` requests of each kind: by HTTP, by gRPC, as messages of gRPC streams")
	clients := flag.Int("clients", 8, "make them from so many `clients` of each kind")
	file := flag.String("o", "", "save the traces in a `file`")
	flag.Parse()
	const roots = "...work.(*Service).ServeHTTP,...work.GRPC.UnaryCall,...work.GRPC.message"
	c, err := trace.Start(waymark.Pattern(roots), trace.Options{
		File: *file, MaxTraces: 1 << 30, MaxBytes: 4 << 30, MaxMemory: 1 << 30, Linger: 5 * time.Second,
	})
	must(err)
	load(*n, *clients)
	runtime.GC()
	time.Sleep(100 * time.Millisecond) // finalizers, and what outlives its request
	must(c.Stop())
	must(json.NewEncoder(os.Stdout).Encode(count(c, 3**n)))
}

// load runs the servers, and makes the requests 0 to 3n-1.
func load(n, clients int) {
	service := work.Start()
	web, rpc := listen(), listen()
	httpServer, grpcServer := &http.Server{Handler: service}, grpc.NewServer()
	pb.RegisterBenchmarkServiceServer(grpcServer, work.GRPC{Service: service})
	go httpServer.Serve(web)
	go grpcServer.Serve(rpc)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { byHTTP("http://"+web.Addr().String(), i, n, clients) })
		wg.Go(func() { byGRPC(rpc.Addr().String(), i, n, clients) })
	}
	wg.Wait()
	must(httpServer.Shutdown(context.Background()))
	grpcServer.GracefulStop()
}

func listen() net.Listener {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	return ln
}

// byHTTP makes each so many-th of n requests, from first on.
func byHTTP(url string, first, n, each int) {
	client := &http.Client{Transport: new(http.Transport)}
	defer client.CloseIdleConnections()
	for id := first; id < n; id += each {
		r, err := client.Get(fmt.Sprint(url, "/", id))
		must(err)
		_, err = io.Copy(io.Discard, r.Body)
		must(err)
		r.Body.Close()
		if r.StatusCode != http.StatusOK {
			log.Fatal(r.Status)
		}
	}
}

// byGRPC is byHTTP for the n requests after those, and for n messages of a stream after them.
func byGRPC(addr string, first, n, each int) {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	defer conn.Close()
	ctx, client := context.Background(), pb.NewBenchmarkServiceClient(conn)
	stream, err := client.StreamingCall(ctx)
	must(err)
	request := func(id int) *pb.SimpleRequest {
		return &pb.SimpleRequest{Payload: &pb.Payload{Body: binary.BigEndian.AppendUint64(nil, uint64(id))}}
	}
	for id := first; id < n; id += each {
		_, err := client.UnaryCall(ctx, request(n+id))
		must(err)
		must(stream.Send(request(2*n + id)))
		_, err = stream.Recv()
		must(err)
	}
	must(stream.CloseSend())
	_, err = stream.Recv()
	if err != io.EOF {
		log.Fatal("the stream goes on: ", err)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
