// Echo is a gRPC server that returns what it gets, with its clients, over loopback. It prints a line
// each tenth of a second: the time in ns since 1970, and how many requests have succeeded. It ends with
// its standard input, or with the first request that fails: see `make bench-live`.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pb "google.golang.org/grpc/interop/grpc_testing"
)

const clients = 32 // both processors always have something to do

type server struct {
	pb.UnimplementedBenchmarkServiceServer
}

// UnaryCall is the function that is watched.
func (server) UnaryCall(_ context.Context, in *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	return &pb.SimpleResponse{Payload: in.Payload}, nil
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	s := grpc.NewServer()
	pb.RegisterBenchmarkServiceServer(s, server{})
	go s.Serve(listener)
	var requests atomic.Int64
	for range clients {
		conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		must(err)
		client := pb.NewBenchmarkServiceClient(conn)
		go func() {
			in := &pb.SimpleRequest{Payload: &pb.Payload{Body: make([]byte, 100)}}
			for {
				_, err := client.UnaryCall(context.Background(), in)
				must(err)
				requests.Add(1)
			}
		}()
	}
	go func() {
		for now := range time.Tick(100 * time.Millisecond) {
			fmt.Println(now.UnixNano(), requests.Load())
		}
	}()
	io.Copy(io.Discard, os.Stdin)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
