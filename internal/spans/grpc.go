package spans

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/wire/protobuf"
)

// grpc is the protocol of messages in protocol buffers to a gRPC service. A call of gRPC is a
// request of HTTP/2. Its body is the message behind a head of five bytes, and its trailer has the
// status.
type grpc struct{}

// method is the path of what takes traces.
const method = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// headSize is the number of bytes before a message: whether it is compressed, and four of its length.
const headSize = 5

func (grpc) encode(r *Request, plain bool) (body []byte, size int) {
	m := r.Protobuf()
	packed, compressed := compress(m, plain)
	b := make([]byte, headSize, headSize+len(packed))
	if compressed {
		b[0] = 1
	}
	binary.BigEndian.PutUint32(b[1:], uint32(len(packed)))
	return append(b, packed...), len(m)
}

func (grpc) describe(h http.Header, body []byte, timeout time.Duration) {
	h.Set("Content-Type", "application/grpc")
	h.Set("Te", "trailers")
	if body[0] == 1 {
		h.Set("Grpc-Encoding", "gzip")
	}
	h.Set("Grpc-Timeout", fmt.Sprintf("%dm", min(timeout.Milliseconds(), 1e8-1)))
}

func (grpc) judge(resp *http.Response, answer []byte, err error) error {
	if err != nil {
		return err
	}
	status := resp.Trailer
	if resp.Header.Get("Grpc-Status") != "" { // an answer without a body
		status = resp.Header
	}
	code, err := strconv.ParseUint(status.Get("Grpc-Status"), 10, 32)
	switch {
	case err == nil && code == 0:
		return rejection(unframed(answer))
	case err == nil:
		return refusalOf(code, status)
	case resp.StatusCode == http.StatusOK:
		return &Refusal{Status: "no receiver of gRPC answers: " + resp.Header.Get("Content-Type")}
	}
	// of a proxy
	return &Refusal{Status: resp.Status, Again: busy(resp.StatusCode), TooLarge: resp.StatusCode == http.StatusRequestEntityTooLarge}
}

// Codes of gRPC's statuses.
const (
	cancelled         = 1
	deadlineExceeded  = 4
	resourceExhausted = 8
	aborted           = 10
	outOfRange        = 11
	unavailable       = 14
	dataLoss          = 15
)

var codes = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
	"FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// refusalOf returns the Refusal that a status is. OpenTelemetry's protocol says which ones may be taken
// later; of exhausted resources a receiver has to say when.
func refusalOf(code uint64, status http.Header) *Refusal {
	r := &Refusal{Status: "status " + strconv.FormatUint(code, 10)}
	if code < uint64(len(codes)) {
		r.Status = codes[code]
	}
	if text, err := url.PathUnescape(status.Get("Grpc-Message")); err == nil {
		r.Text = text
	}
	after, said := retryDelay(status.Get("Grpc-Status-Details-Bin"))
	switch code {
	case cancelled, deadlineExceeded, aborted, outOfRange, unavailable, dataLoss:
		r.Again = true
	case resourceExhausted:
		r.Again, r.TooLarge = said, tooLarge(r.Text)
	}
	r.After = after
	return r
}

// retryDelay returns the time in the RetryInfo of a status in base64, which may lack its padding, and
// whether there is one.
func retryDelay(details string) (delay time.Duration, said bool) {
	const infos, typeURL, value, retry, seconds, nanos = 3, 1, 2, 1, 1, 2
	status, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(details, "="))
	if err != nil {
		return 0, false
	}
	protobuf.Each(status, infos, func(_ uint64, info []byte) {
		isRetry := false
		protobuf.Each(info, typeURL, func(_ uint64, name []byte) { isRetry = strings.HasSuffix(string(name), "/google.rpc.RetryInfo") })
		if !isRetry {
			return
		}
		said = true
		protobuf.Each(info, value, func(_ uint64, message []byte) {
			protobuf.Each(message, retry, func(_ uint64, duration []byte) {
				protobuf.Each(duration, seconds, func(n uint64, _ []byte) { delay += time.Duration(min(n, maxDelay)) * time.Second })
				protobuf.Each(duration, nanos, func(n uint64, _ []byte) { delay += time.Duration(min(n, 999_999_999)) })
			})
		})
	})
	return delay, said
}

// tooLarge reports whether the text of a status says that a request is larger than is allowed: those of
// gRPC for Go, C++ and Java.
func tooLarge(text string) bool {
	return strings.Contains(text, "larger than max") || strings.Contains(text, "exceeds maximum size")
}

// unframed returns the message of an answer, nil if it can't be read.
func unframed(answer []byte) []byte {
	if len(answer) < headSize {
		return nil
	}
	message := answer[headSize:]
	if answer[0] == 0 {
		return message
	}
	// as some receivers answer what is compressed
	z, err := gzip.NewReader(bytes.NewReader(message))
	if err != nil {
		return nil
	}
	if message, err = io.ReadAll(io.LimitReader(z, maxAnswer)); err != nil {
		return nil
	}
	return message
}
