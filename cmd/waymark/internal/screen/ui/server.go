package ui

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

//go:embed assets
var assets embed.FS

// A Page is an entry of the navigation.
type Page struct {
	Name  string `json:"name"`  // of its module, assets/pages/NAME.js, and of its address, #/NAME
	Title string `json:"title"` // in the navigation
}

// A Server serves pages about recordings or a process.
type Server struct {
	title string // of the window
	guard *guard
	api   *http.ServeMux // what is below the folder

	mu    sync.Mutex
	pages []Page
}

// New returns a server without pages. The title is the program's name.
func New(title string) *Server {
	s := &Server{title: title, guard: newGuard(), api: http.NewServeMux()}
	root, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the folder is embedded
	}
	s.api.Handle("GET /", http.FileServerFS(root))
	s.HandleJSON("GET /api/pages", func(*http.Request) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return struct {
			Title string `json:"title"`
			Pages []Page `json:"pages"`
		}{s.title, s.pages}, nil
	})
	return s
}

// AddPage adds a page to the end of the navigation.
func (s *Server) AddPage(p Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = append(s.pages, p)
}

// Handle answers requests that match a pattern of http.ServeMux, such as "GET /api/tree". Only
// requests that the guard let in arrive there.
func (s *Server) Handle(pattern string, h http.Handler) { s.api.Handle(pattern, h) }

// A statusError is an error with the status of the answer that reports it.
type statusError struct {
	error
	status int
}

func (e statusError) Unwrap() error { return e.error }

// BadRequest returns an error about what was asked.
func BadRequest(format string, args ...any) error {
	return statusError{fmt.Errorf(format, args...), http.StatusBadRequest}
}

// HandleJSON is Handle for a function whose result is the answer, as JSON. A result of type
// json.RawMessage is sent as it is.
func (s *Server) HandleJSON(pattern string, f func(*http.Request) (any, error)) {
	s.Handle(pattern, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		if err == nil {
			var body []byte
			if body, err = json.Marshal(v); err == nil {
				w.Header().Set("Content-Type", "application/json")
				w.Write(body)
				return
			}
		}
		WriteError(w, err)
	}))
}

// WriteError answers with an error. Its status is 500, unless it is one of BadRequest, or a *Reading,
// which has 202.
func WriteError(w http.ResponseWriter, err error) {
	var reading *Reading
	if errors.As(err, &reading) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		json.NewEncoder(w).Encode(reading)
		return
	}
	status := http.StatusInternalServerError
	var with statusError
	if errors.As(err, &with) {
		status = with.status
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(struct {
		Error string `json:"error"`
	}{err.Error()})
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	if err := s.guard.check(r); err != nil {
		refuse(w, r, err)
		return
	}
	switch r.URL.Path {
	case "/":
		s.guard.enter(w, r)
		return
	case "/favicon.ico": // browsers ask for it, whatever a page says
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if !s.guard.known(r) {
		refuse(w, r, errors.New("no token: open the address that waymark serve printed"))
		return
	}
	http.StripPrefix(s.guard.folder, s.api).ServeHTTP(w, r)
}

// URL returns the address of a server that listens at addr, with the token.
func (s *Server) URL(addr net.Addr) string {
	return "http://" + addr.String() + "/?token=" + s.guard.token
}

// CheckAddress returns an error unless address is one of this machine, such as 127.0.0.1:0. Others
// are refused: who can open the pages can look into the program.
func CheckAddress(address string) error {
	if host, _, err := net.SplitHostPort(address); err != nil || !loopback(host) {
		return fmt.Errorf("%q: want an address of this machine, as in 127.0.0.1:8080; ssh -L forwards to it from elsewhere", address)
	}
	return nil
}

// Listen listens at an address that CheckAddress accepts.
func Listen(address string) (net.Listener, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	return net.Listen("tcp", address)
}

// Serve answers requests until the context ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    log.New(discard{}, "", 0),
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		// Streams of events end with the context; all other answers are short.
		limit, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(limit) != nil {
			server.Close()
		}
	}()
	err := server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		<-stopped
		return nil
	}
	return err
}

// discard drops what package http has to say about single connections.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
