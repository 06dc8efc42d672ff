package otlp

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// grpc is the protocol of messages in protocol buffers to a gRPC service. A call of gRPC is a
// request of HTTP/2. Its body is the message behind a head of five bytes, and its trailer has the
// status.
type grpc struct{ url string }

// method is the path of what takes traces.
const method = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// newGRPC returns the protocol to the host of a URL, with TLS if its scheme is grpcs. The transport speaks
// nothing but HTTP/2 then.
func newGRPC(u *url.URL, transport *http.Transport) grpc {
	to := url.URL{Scheme: "http", User: u.User, Host: u.Host, Path: method}
	transport.Protocols = new(http.Protocols)
	if u.Scheme == "grpcs" {
		to.Scheme = "https"
		transport.Protocols.SetHTTP2(true)
	} else {
		transport.Protocols.SetUnencryptedHTTP2(true)
		transport.Proxy = nil // proxies take no HTTP/2 without TLS
	}
	return grpc{to.String()}
}

// headSize is the number of bytes before a message: whether it is compressed, and four of its length.
const headSize = 5

func (grpc) encode(r *Request) (body []byte, size int) {
	m := r.Protobuf()
	packed := compress(m)
	b := make([]byte, headSize, headSize+len(packed))
	b[0] = 1
	binary.BigEndian.PutUint32(b[1:], uint32(len(packed)))
	return append(b, packed...), len(m)
}

func (g grpc) post(client *http.Client, body []byte) error {
	req, err := http.NewRequest(http.MethodPost, g.url, bytes.NewReader(body))
	if err != nil {
		return &refusal{status: err.Error()}
	}
	req.Header.Set("Content-Type", "application/grpc")
	req.Header.Set("Te", "trailers")
	req.Header.Set("Grpc-Encoding", "gzip")
	req.Header.Set("Grpc-Timeout", fmt.Sprintf("%dm", min(client.Timeout.Milliseconds(), 1e8-1)))
	resp, err := client.Do(req)
	if u, ok := errors.AsType[*url.Error](err); ok && !u.Timeout() {
		return u.Err // without the service's long path
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
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
		return rejectionOf(answer)
	case err == nil:
		return refusalOf(code, status)
	case resp.StatusCode == http.StatusOK:
		return &refusal{status: "no receiver of gRPC answers: " + resp.Header.Get("Content-Type")}
	}
	return &refusal{status: resp.Status, again: busy(resp.StatusCode)} // of a proxy
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

// refusalOf returns the refusal that a status is. OpenTelemetry's protocol says which ones may be taken
// later; of exhausted resources a receiver has to say when.
func refusalOf(code uint64, status http.Header) *refusal {
	r := &refusal{status: "status " + strconv.FormatUint(code, 10)}
	if code < uint64(len(codes)) {
		r.status = codes[code]
	}
	if text, err := url.PathUnescape(status.Get("Grpc-Message")); err == nil {
		r.text = text[:min(len(text), 200)]
	}
	after, said := retryDelay(status.Get("Grpc-Status-Details-Bin"))
	switch code {
	case cancelled, deadlineExceeded, aborted, outOfRange, unavailable, dataLoss:
		r.again = true
	case resourceExhausted:
		r.again = said
	}
	r.after = after
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
	each(status, infos, func(_ uint64, info []byte) {
		isRetry := false
		each(info, typeURL, func(_ uint64, name []byte) { isRetry = strings.HasSuffix(string(name), "/google.rpc.RetryInfo") })
		if !isRetry {
			return
		}
		said = true
		each(info, value, func(_ uint64, message []byte) {
			each(message, retry, func(_ uint64, duration []byte) {
				each(duration, seconds, func(n uint64, _ []byte) { delay += time.Duration(min(n, maxDelay)) * time.Second })
				each(duration, nanos, func(n uint64, _ []byte) { delay += time.Duration(min(n, 999_999_999)) })
			})
		})
	})
	return delay, said
}

// maxDelay is the longest time in s after which a receiver is asked again.
const maxDelay = 3600

// rejectionOf returns the Rejection that is in an answer, or nil. What can't be read has none: the receiver
// has taken the request.
func rejectionOf(answer []byte) error {
	const partialSuccess, rejectedSpans, errorMessage = 1, 1, 2
	if len(answer) < headSize {
		return nil
	}
	message := answer[headSize:]
	if answer[0] != 0 { // as some receivers answer what is compressed
		z, err := gzip.NewReader(bytes.NewReader(message))
		if err != nil {
			return nil
		}
		if message, err = io.ReadAll(io.LimitReader(z, maxAnswer)); err != nil {
			return nil
		}
	}
	var r Rejection
	each(message, partialSuccess, func(_ uint64, partial []byte) {
		each(partial, rejectedSpans, func(n uint64, _ []byte) { r.Spans = n })
		each(partial, errorMessage, func(_ uint64, text []byte) { r.Message = string(text) })
	})
	if r.Spans == 0 {
		return nil
	}
	return &r
}

// each calls f with each value of a field in a message: its number, or its bytes. It ends where the message
// is damaged.
func each(message []byte, field protowire.Number, f func(n uint64, b []byte)) {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return
		}
		message = message[size:]
		var n uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(message)
		default:
			size = protowire.ConsumeFieldValue(number, kind, message)
		}
		if size < 0 {
			return
		}
		if message = message[size:]; number == field {
			f(n, b)
		}
	}
}
