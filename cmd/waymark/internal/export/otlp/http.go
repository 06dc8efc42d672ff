package otlp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// jsonOverHTTP is the protocol of requests in JSON to a URL.
type jsonOverHTTP string

func (jsonOverHTTP) encode(r *Request) (body []byte, size int) {
	b := r.JSON()
	return compress(b), len(b)
}

func (url jsonOverHTTP) post(client *http.Client, body []byte) error {
	req, err := http.NewRequest(http.MethodPost, string(url), bytes.NewReader(body))
	if err != nil {
		return &refusal{status: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 == 2 {
		return rejection(answer)
	}
	r := &refusal{status: resp.Status}
	if err == nil && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		r.text = strings.TrimSpace(string(answer[:min(len(answer), 200)]))
	}
	if r.again = busy(resp.StatusCode); r.again {
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			r.after = time.Duration(min(max(s, 0), maxDelay)) * time.Second
		}
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

// rejection returns the Rejection that is in an answer, or nil.
func rejection(answer []byte) error {
	var partial struct {
		PartialSuccess struct {
			RejectedSpans json.Number
			ErrorMessage  string
		}
	}
	if json.Unmarshal(answer, &partial) != nil {
		return nil
	}
	if n, err := strconv.ParseUint(partial.PartialSuccess.RejectedSpans.String(), 10, 64); err == nil && n > 0 {
		return &Rejection{n, partial.PartialSuccess.ErrorMessage}
	}
	return nil
}
