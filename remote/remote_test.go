package remote

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const token = "0123456789abcdef"

func TestShortToken(t *testing.T) {
	if _, err := Handler(Options{Token: token[1:]}); !errors.Is(err, ErrToken) {
		t.Errorf("got %v, want ErrToken", err)
	}
}

// Requests are refused for the first thing that is wrong. This test's program was not built by
// waymark, so none is served: package endtoend has a script with one that is.
func TestRefused(t *testing.T) {
	h, err := Handler(Options{Token: token, Hosts: []string{"app.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	for _, test := range []struct {
		name, host, origin, authorization string
		status                            int
		want                              string
	}{
		{"no token", "", "", "", 401, "token is missing or wrong"},
		{"another token", "", "", "Bearer " + token + "x", 401, "token is missing or wrong"},
		{"another name", "evil.example.com", "", "Bearer " + token, 403, `host "evil.example.com" is not one of`},
		{"another name with a port", "evil.example.com:80", "", "Bearer " + token, 403, "is not one of"},
		{"another address", "192.0.2.1", "", "Bearer " + token, 403, "is not one of"},
		{"a page", "", "http://localhost", "Bearer " + token, 403, "not for pages"},
		{"right", "", "", "Bearer " + token, 501, "was not built by waymark"},
		{"localhost", "LOCALHOST:8080", "", "Bearer " + token, 501, "was not built by waymark"},
		{"IPv6", "[::1]:8080", "", "Bearer " + token, 501, "was not built by waymark"},
		{"one of the hosts", "App.example.com:443", "", "Bearer " + token, 501, "was not built by waymark"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			if test.host != "" {
				r.Host = test.host
			}
			for key, value := range map[string]string{"Origin": test.origin, "Authorization": test.authorization} {
				if value != "" {
					r.Header.Set(key, value)
				}
			}
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != test.status || !strings.Contains(string(body), test.want) {
				t.Errorf("got %d %q, %v; want %d %q", answer.StatusCode, body, err, test.status, test.want)
			}
		})
	}
}
