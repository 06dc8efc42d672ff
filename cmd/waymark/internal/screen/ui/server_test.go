package ui

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// served returns a server with an answer below /api/, and where it listens.
func served(t *testing.T) (s *Server, base string) {
	t.Helper()
	s = New("app")
	s.HandleJSON("GET /api/secret", func(*http.Request) (any, error) { return "secret", nil })
	s.HandleJSON("POST /api/change", func(*http.Request) (any, error) { return "changed", nil })
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// ask sends a request and returns the status and the body.
func ask(t *testing.T, client *http.Client, method, address string, header map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}

// visitor returns a client that has opened the address with the token, and where it was led.
func visitor(t *testing.T, s *Server, base string) (*http.Client, string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	answer, err := client.Get(base + "/?token=" + s.guard.token)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("with the token the status is %d, want 200", answer.StatusCode)
	}
	if strings.Contains(answer.Request.URL.String(), s.guard.token) {
		t.Errorf("the token is still in the address: %s", answer.Request.URL)
	}
	return client, strings.TrimSuffix(answer.Request.URL.String(), "/")
}

// Only a browser with the token, on pages of this server, gets answers.
func TestGuard(t *testing.T) {
	s, base := served(t)
	client, home := visitor(t, s, base)
	own := map[string]string{"Origin": base, "Sec-Fetch-Site": "same-origin"}
	with := func(more ...string) map[string]string {
		h := map[string]string{}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = more[i+1]
		}
		return h
	}
	stranger := http.DefaultClient
	cookie := "waymark=" + s.guard.cookie
	for _, test := range []struct {
		what, method, address string
		client                *http.Client
		header                map[string]string
		want                  int
	}{
		{"a page of ours", "GET", home + "/api/secret", client, own, 200},
		{"a page of ours changes something", "POST", home + "/api/change", client, own, 200},
		{"another port of this machine is forwarded", "GET", home + "/api/secret", stranger, with("Host", "localhost:1234", "Cookie", cookie), 200},
		{"a link in another page", "GET", home + "/", client, with("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), 200},

		{"no token", "GET", base + "/", stranger, nil, 403},
		{"a wrong token", "GET", base + "/?token=AAAA", stranger, nil, 403},
		{"no cookie", "GET", home + "/api/secret", stranger, nil, 403},
		{"no cookie for a page", "GET", home + "/", stranger, nil, 403},
		{"a wrong cookie", "GET", home + "/api/secret", stranger, with("Cookie", "waymark=AAAA"), 403},
		{"the cookie, another folder", "GET", base + "/api/secret", stranger, with("Cookie", cookie), 404},
		{"a foreign host", "GET", home + "/api/secret", stranger, with("Host", "evil.example", "Cookie", cookie), 403},
		{"a foreign host that resolves here", "GET", home + "/api/secret", stranger, with("Host", "127.0.0.1.evil.example:80", "Cookie", cookie), 403},
		{"a foreign origin", "GET", home + "/api/secret", client, with("Origin", "http://evil.example"), 403},
		{"a foreign origin changes something", "POST", home + "/api/change", client, with("Origin", "http://evil.example"), 403},
		{"an origin of another port", "POST", home + "/api/change", client, with("Origin", "http://127.0.0.1:1"), 403},
		{"an origin that is none", "POST", home + "/api/change", client, with("Origin", "null"), 403},
		{"a change without origin", "POST", home + "/api/change", client, nil, 403},
		{"a hostile page loads an answer", "GET", home + "/api/secret", client, with("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"), 403},
		{"a page of another port of this machine", "GET", home + "/api/secret", client, with("Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"), 403},
		{"a hostile page frames a page", "GET", home + "/", client, with("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), 403},
	} {
		status, body, header := ask(t, test.client, test.method, test.address, test.header)
		if status != test.want {
			t.Errorf("%s: status %d, want %d", test.what, status, test.want)
		}
		if test.want != 200 && strings.Contains(body, "secret\"") {
			t.Errorf("%s: the answer is %q, want a refusal", test.what, body)
		}
		csp := header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers are %v, want a strict policy and no referrer", test.what, header)
		}
	}
}

// The pages have no inline script or style, which the policy would refuse.
func TestAssets(t *testing.T) {
	s, base := served(t)
	client, home := visitor(t, s, base)
	status, body, header := ask(t, client, "GET", home+"/", nil)
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Fatalf("status %d, %v; want the page", status, header)
	}
	for _, wrong := range []string{"<style", "style=", "onclick", "<script>", "http://", "https://"} {
		if strings.Contains(body, wrong) {
			t.Errorf("index.html has %s", wrong)
		}
	}
	for name, kind := range map[string]string{"app.js": "text/javascript", "style.css": "text/css", "icon.svg": "image/svg+xml", "pages/tree.js": "text/javascript"} {
		status, _, header := ask(t, client, "GET", home+"/"+name, nil)
		if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), kind) {
			t.Errorf("%s: status %d, type %q, want %s", name, status, header.Get("Content-Type"), kind)
		}
	}
}

func TestErrors(t *testing.T) {
	s, base := served(t)
	s.HandleJSON("GET /api/bad", func(*http.Request) (any, error) { return nil, BadRequest("node=%d: there is none", 7) })
	s.HandleJSON("GET /api/broken", func(*http.Request) (any, error) { return nil, errors.New("disk on fire") })
	s.HandleJSON("GET /api/reading", func(*http.Request) (any, error) { return nil, &Reading{"it", 3, 4} })
	client, home := visitor(t, s, base)
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{"bad", 400, `{"error":"node=7: there is none"}`}, {"broken", 500, `{"error":"disk on fire"}`}, {"reading", 202, `{"what":"it","read":3,"all":4}`},
	} {
		status, body, _ := ask(t, client, "GET", home+"/api/"+test.path, nil)
		if status != test.status || strings.TrimSpace(body) != test.want {
			t.Errorf("%s: %d %s, want %d %s", test.path, status, body, test.status, test.want)
		}
	}
}

func TestListen(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, "[::1]:0": true, "0.0.0.0:0": false, ":0": false, "192.168.1.1:80": false, "example.com:80": false, "80": false} {
		if err := CheckAddress(address); (err == nil) != want {
			t.Errorf("%s: %v, want accepted: %v", address, err, want)
		}
	}
	first, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := Listen(first.Addr().String()); err == nil {
		t.Errorf("%s is taken, and listening there succeeds", first.Addr())
	}
}

// Serve ends with its context, also while a stream of events is open.
func TestServeEnds(t *testing.T) {
	s := New("app")
	open := make(chan bool)
	s.Handle("GET /api/events", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		close(open)
		<-r.Context().Done()
	}))
	listener, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, listener) }()
	client, home := visitor(t, s, "http://"+listener.Addr().String())
	u, err := url.Parse(s.URL(listener.Addr()))
	if err != nil || u.Query().Get("token") == "" {
		t.Errorf("URL is %s, want one with a token", u)
	}
	go client.Get(home + "/api/events")
	<-open
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v, want nil", err)
	}
}

func TestJob(t *testing.T) {
	step := make(chan bool)
	j := Job[int]{What: "it", Make: func(progress func(read, all uint64)) (int, error) {
		progress(1, 2)
		step <- true
		<-step
		return 42, nil
	}}
	j.Start()
	<-step
	_, err := j.Get()
	var reading *Reading
	if !errors.As(err, &reading) || reading.Read != 1 || reading.All != 2 {
		b, _ := json.Marshal(err)
		t.Errorf("Get while it is made: %s, want 1 of 2", b)
	}
	step <- true
	if v, err := j.Wait(context.Background()); v != 42 || err != nil {
		t.Errorf("Wait: %d, %v; want 42", v, err)
	}
	if v, err := j.Get(); v != 42 || err != nil {
		t.Errorf("Get: %d, %v; want 42", v, err)
	}
}
