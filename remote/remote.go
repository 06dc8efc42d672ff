package remote

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/linked"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// MinToken is how long a token is at least, bytes.
const MinToken = 16

// ErrToken is the error of a token that is too short.
var ErrToken = errors.New("remote: the token is too short")

// Options say who may look into the program.
type Options struct {
	// Token is what commands must show. It has MinToken bytes at least.
	Token string

	// Hosts are names under which the program may be asked, beside localhost and addresses of the
	// machine itself. Others are refused: a page in somebody's browser can have its own name lead
	// to any address.
	Hosts []string
}

// Handler returns a handler that connects commands of waymark to the program. The error wraps
// ErrToken. In a program that waymark has not built the handler answers 501.
func Handler(o Options) (http.Handler, error) {
	if len(o.Token) < MinToken {
		return nil, fmt.Errorf("%w: it has %d bytes, want %d or more", ErrToken, len(o.Token), MinToken)
	}
	return &handler{sha256.Sum256([]byte(o.Token)), slices.Clone(o.Hosts)}, nil
}

type handler struct {
	token [sha256.Size]byte
	hosts []string
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status, text := h.refuse(r); status != 0 {
		w.Header().Set("Upgrade", control.Upgrade)
		http.Error(w, "waymark: "+text, status)
		return
	}
	//lint:ignore SA4006 without the hooks Mute panics, and what follows is never reached
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "waymark: the server can't give the connection away: "+err.Error(), http.StatusNotImplemented)
		return
	}
	rt.Mute(true) // commands see nothing of themselves
	defer rt.Mute(false)
	defer conn.Close()
	c := &connection{conn, buffered.Reader, false}
	if _, err := c.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + control.Upgrade + "\r\n\r\n")); err == nil {
		linked.Agent.Serve(c, "client at "+r.RemoteAddr)
	}
}

// refuse returns why a request is refused; status is 0 if it isn't.
func (h *handler) refuse(r *http.Request) (status int, text string) {
	shown := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
	switch {
	case !h.knows(r.Host):
		return http.StatusForbidden, fmt.Sprintf("host %q is not one of remote.Options.Hosts", r.Host)
	case r.Header.Get("Origin") != "":
		return http.StatusForbidden, "this is not for pages in browsers"
	case subtle.ConstantTimeCompare(shown[:], h.token[:]) != 1:
		return http.StatusUnauthorized, "the token is missing or wrong: commands take it from WAYMARK_TOKEN"
	case linked.Agent == nil:
		return http.StatusNotImplemented, "the program was not built by waymark: build it with waymark build"
	case r.ProtoMajor != 1 || !strings.EqualFold(r.Header.Get("Upgrade"), control.Upgrade):
		return http.StatusUpgradeRequired, "this is for commands of waymark: waymark top http://HOST/PATH"
	}
	return 0, ""
}

// knows reports whether the program may be asked under the name of a request's host.
func (h *handler) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	same := func(name string) bool { return strings.EqualFold(name, host) }
	return same("localhost") || slices.ContainsFunc(h.hosts, same)
}
