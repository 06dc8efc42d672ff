package ui

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A guard lets requests in that come from the server's own pages, in a browser that was given the
// token.
//
// The token is in the address that the command prints. The first request trades it for a cookie, so
// that the token is in no later address. The cookie belongs to a folder with a random name, because
// browsers send cookies of 127.0.0.1 to all ports of it. Servers of other users don't know the
// folder.
type guard struct {
	token  string
	folder string // of all addresses but the first one, as in /bzq3x
	cookie string
}

// cookieName is the name of the cookie.
const cookieName = "waymark"

func newGuard() *guard {
	return &guard{token: rand.Text(), folder: "/" + strings.ToLower(rand.Text()), cookie: rand.Text()}
}

// same compares secrets in a time that does not depend on them.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// loopback reports whether a host is this machine's own.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// check returns why a request is refused, nil if it isn't. Cookie and folder are checked apart.
func (g *guard) check(r *http.Request) error {
	// A hostile name that resolves to 127.0.0.1 makes its pages ours for the browser. The port may be
	// another one: ssh -L forwards from one.
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if !loopback(strings.Trim(host, "[]")) {
		return fmt.Errorf("the host %q is not this machine: open the address that waymark serve printed", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" || u.Host != r.Host {
			return fmt.Errorf("a page of %q asked: only pages of this server may", origin)
		}
	} else if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return fmt.Errorf("%s without an Origin: only pages of this server may change anything", r.Method)
	}
	// Pages of other ports of this machine are the same site, to which the cookie is sent.
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "none", "same-origin":
		return nil
	default:
		// A link in another page may lead to a page of ours, which that page can't read.
		if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
			return nil
		}
		return fmt.Errorf("a %s page asked: only pages of this server may", site)
	}
}

// enter answers the first request: it trades the token for the cookie.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	if !same(r.URL.Query().Get("token"), g.token) {
		refuse(w, r, fmt.Errorf("no token, or an old one: open the address that waymark serve printed"))
		return
	}
	// Strict would keep the cookie from the request that follows, if a link of another page led here.
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.cookie, Path: g.folder + "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	// Browsers keep what is after the #, so that addresses of pages can be kept with the token.
	http.Redirect(w, r, g.folder+"/", http.StatusSeeOther)
}

// known reports whether the request has the cookie.
func (g *guard) known(r *http.Request) bool {
	for _, c := range r.CookiesNamed(cookieName) {
		if same(c.Value, g.cookie) {
			return true
		}
	}
	return false
}

// policy is the Content-Security-Policy of all answers but those of pprof's pages.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
}

// refuse answers 403.
func refuse(w http.ResponseWriter, _ *http.Request, why error) {
	http.Error(w, "waymark serve: "+why.Error(), http.StatusForbidden)
}
