package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// A Middleware wraps a handler in another.
type Middleware func(http.Handler) http.Handler

// Chain wraps h in middleware, of which the first is outermost.
func Chain(h http.Handler, mws ...Middleware) http.Handler {
	for _, mw := range slices.Backward(mws) {
		h = mw(h)
	}
	return h
}

type contextKey struct{}

// RequestID gives each request an ID, which is also sent with the reply.
func RequestID() Middleware {
	var last atomic.Uint64
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := fmt.Sprintf("req-%06d", last.Add(1))
			w.Header().Set("X-Request-Id", id)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, id)))
		})
	}
}

// requestID returns the ID that [RequestID] gave a request.
func requestID(r *http.Request) string {
	id, _ := r.Context().Value(contextKey{}).(string)
	return id
}

// AccessLog logs each request.
func AccessLog(log *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := record(w)
			start := time.Now()
			next.ServeHTTP(rec, r)
			log.Info("request",
				"id", requestID(r), "method", r.Method, "path", r.URL.Path,
				"status", rec.status, "took", time.Since(start))
		})
	}
}

// Recover replies to requests whose handler panics, if nothing was sent yet.
func Recover(log *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := record(w)
			defer func() {
				switch v := recover(); v {
				case nil:
				case http.ErrAbortHandler:
					panic(v)
				default:
					log.Warn("handler panicked", "id", requestID(r), "panic", v, "stack", string(debug.Stack()))
					rec.internalError()
				}
			}()
			next.ServeHTTP(rec, r)
		})
	}
}

// LimitBody makes reading more than n bytes of a request's body fail.
func LimitBody(n int64) Middleware {
	return func(next http.Handler) http.Handler { return http.MaxBytesHandler(next, n) }
}

// A recorder is a ResponseWriter that remembers what was sent.
type recorder struct {
	http.ResponseWriter
	status int // 0 if nothing was sent
}

// record returns w if it is a recorder already, or a new one around it.
func record(w http.ResponseWriter) *recorder {
	if rec, ok := w.(*recorder); ok {
		return rec
	}
	return &recorder{ResponseWriter: w}
}

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	r.status = cmp.Or(r.status, status)
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(b []byte) (int, error) {
	r.status = cmp.Or(r.status, http.StatusOK)
	return r.ResponseWriter.Write(b)
}

// internalError replies that something went wrong, if nothing was sent yet.
func (r *recorder) internalError() {
	if r.status == 0 {
		const status = http.StatusInternalServerError
		writeJSON(r, status, ErrorReply{Error: http.StatusText(status)})
	}
}

// Unwrap returns the underlying ResponseWriter, for [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
