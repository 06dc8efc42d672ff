package work

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"strconv"

	"google.golang.org/grpc"
	pb "google.golang.org/grpc/interop/grpc_testing"
)

// ServeHTTP serves a request whose number is its path.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.Request(r.Context(), id)
	io.WriteString(w, "ok\n")
}

// A GRPC is the service by grpc. The number of a request is its payload.
type GRPC struct {
	pb.UnimplementedBenchmarkServiceServer
	*Service
}

func (g GRPC) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	g.Request(ctx, int(binary.BigEndian.Uint64(r.Payload.Body)))
	return &pb.SimpleResponse{Payload: r.Payload}, nil
}

// StreamingCall serves requests until the stream ends. Each is a trace of its own.
func (g GRPC) StreamingCall(stream grpc.BidiStreamingServer[pb.SimpleRequest, pb.SimpleResponse]) error {
	for {
		r, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := g.message(stream.Context(), stream, r); err != nil {
			return err
		}
	}
}

//go:noinline
func (g GRPC) message(ctx context.Context, stream grpc.BidiStreamingServer[pb.SimpleRequest, pb.SimpleResponse], r *pb.SimpleRequest) error {
	g.Request(ctx, int(binary.BigEndian.Uint64(r.Payload.Body)))
	return stream.Send(&pb.SimpleResponse{Payload: r.Payload})
}
