package live

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/program/control"
)

// TokenVariable is the environment variable with the token for programs that are reached over HTTP: the
// command line is for everybody to see.
const TokenVariable = "WAYMARK_TOKEN"

// IsRemote reports whether a process is given by the address of its handler, see package remote.
func IsRemote(process string) bool {
	return strings.HasPrefix(process, "http://") || strings.HasPrefix(process, "https://")
}

// connectRemote connects to the program whose handler is at address.
func connectRemote(address string) (*Conn, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	token := os.Getenv(TokenVariable)
	if token == "" {
		return nil, fmt.Errorf("%s: %s is not set: want the token that the program gives remote.Handler", address, TokenVariable)
	}
	c, err := dialHTTP(u)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Now().Add(patience))
	in, err := upgrade(c, u, token)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	c.SetDeadline(time.Time{})
	return &Conn{Conn: &upgraded{c, in}, path: address}, nil
}

func dialHTTP(u *url.URL) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: patience}
	if u.Scheme == "https" {
		config := &tls.Config{ServerName: u.Hostname(), NextProtos: []string{"http/1.1"}}
		return tls.DialWithDialer(dialer, "tcp", net.JoinHostPort(u.Hostname(), port(u, "443")), config)
	}
	return dialer.Dial("tcp", net.JoinHostPort(u.Hostname(), port(u, "80")))
}

func port(u *url.URL, standard string) string {
	if p := u.Port(); p != "" {
		return p
	}
	return standard
}

// upgrade asks the server to let the connection be one of waymark's protocol, and returns what is to be
// read from then on.
func upgrade(c net.Conn, u *url.URL, token string) (*bufio.Reader, error) {
	r, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", control.Upgrade)
	r.Header.Set("Authorization", "Bearer "+token)
	if err := r.Write(c); err != nil {
		return nil, err
	}
	in := bufio.NewReader(c)
	answer, err := http.ReadResponse(in, r)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errors.New("no answer in time")
	case err != nil:
		return nil, fmt.Errorf("this is no HTTP server: %w", err)
	case answer.StatusCode == http.StatusSwitchingProtocols:
		return in, nil
	}
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 1000))
	if text, ok := strings.CutPrefix(string(body), "waymark: "); ok {
		return nil, errors.New(strings.TrimSpace(text))
	}
	return nil, fmt.Errorf("the server answers %s: is there a handler of package remote?", answer.Status)
}

// An upgraded connection has bytes that were read with the server's answer.
type upgraded struct {
	net.Conn
	in *bufio.Reader
}

func (c *upgraded) Read(b []byte) (int, error) { return c.in.Read(b) }
