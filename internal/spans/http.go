package spans

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// overHTTP is the protocol of requests over HTTP: in JSON, or in protocol buffers.
type overHTTP struct{ json bool }

func (p overHTTP) encode(r *Request, plain bool) (body []byte, size int) {
	var b []byte
	if p.json {
		b = r.JSON()
	} else {
		b = r.Protobuf()
	}
	body, _ = compress(b, plain)
	return body, len(b)
}

func (p overHTTP) describe(h http.Header, body []byte, _ time.Duration) {
	h.Set("Content-Type", "application/x-protobuf")
	if p.json {
		h.Set("Content-Type", "application/json")
	}
	if bytes.HasPrefix(body, magic) { // no other body begins so
		h.Set("Content-Encoding", "gzip")
	}
}

func (p overHTTP) judge(resp *http.Response, answer []byte, err error) error {
	if resp.StatusCode/100 == 2 {
		if p.json {
			return rejectionInJSON(answer)
		}
		return rejection(answer)
	}
	r := &Refusal{Status: resp.Status, TooLarge: resp.StatusCode == http.StatusRequestEntityTooLarge}
	if err == nil && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		r.Text = strings.TrimSpace(string(answer))
	}
	if r.Again = busy(resp.StatusCode); r.Again {
		r.After = retryAfter(resp.Header.Get("Retry-After"))
	}
	return r
}

// busy reports whether a status says that a request may be taken later.
func busy(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusInternalServerError:
		return true
	}
	return false
}

// retryAfter returns the time that a header names, in seconds or as a date; 0 if it names none.
func retryAfter(value string) time.Duration {
	const most = maxDelay * time.Second
	if s, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(s, 0), maxDelay)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(at), 0), most)
	}
	return 0
}

// rejectionInJSON returns the Rejection that is in an answer, or nil.
func rejectionInJSON(answer []byte) error {
	var partial struct {
		PartialSuccess struct {
			RejectedSpans json.Number
			ErrorMessage  string
		}
	}
	if json.Unmarshal(answer, &partial) != nil {
		return nil
	}
	n, err := strconv.ParseUint(partial.PartialSuccess.RejectedSpans.String(), 10, 64)
	if err != nil {
		return nil
	}
	return rejected(n, partial.PartialSuccess.ErrorMessage)
}
