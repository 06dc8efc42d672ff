package prometheus_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
)

// TestPromtool has Prometheus's own tool check the text.
func TestPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is missing: it is in Debian's package prometheus")
	}
	resp, err := http.Get(start(t, waymarkprom.Config{}).url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(promtool, "check", "metrics")
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s\nof\n%s\nwant no complaint", err, out, text)
	}
}

// TestServer has a Prometheus server scrape a program, with classic and with native histograms, and
// asks it.
func TestServer(t *testing.T) {
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is missing: it is in Debian's package prometheus")
	}
	p := start(t, waymarkprom.Config{})
	median := func(timer string) float64 { return p.times[timer][len(p.times[timer])/2].Seconds() }
	type question struct {
		query string
		want  float64
		off   float64 // how far it may be off, as a share
	}
	common := []question{
		{`waymark_timer_open{timer="example.com/m/store.Stream.Read"}`, 1, 0},
		{`waymark_timer_exits_without_enter_total`, 2, 0},
	}
	for name, tt := range map[string]struct {
		args      []string
		questions []question
	}{
		"classic": {nil, []question{
			{`waymark_timer_duration_seconds_count{timer="long"}`, 3000, 0},
			{`waymark_timer_duration_seconds_bucket{timer="short",le="1.023e-06"}`, 3000, 0},
			{`waymark_timer_duration_seconds_bucket{timer="long",le="0.001048575"}`, float64(below(p.times["long"], 0.001048575)), 0},
			{`histogram_quantile(0.5, waymark_timer_duration_seconds_bucket{timer="long"})`, median("long"), 1}, // buckets are far apart
		}},
		"native": {[]string{"--enable-feature=native-histograms"}, []question{
			{`histogram_count(waymark_timer_duration_seconds{timer="long"})`, 3000, 0},
			{`histogram_count(waymark_timer_duration_seconds{timer="short"})`, 3000, 0},
			{`histogram_quantile(0.5, waymark_timer_duration_seconds{timer="long"})`, median("long"), 0.06},
			{`histogram_quantile(0.5, waymark_timer_duration_seconds{timer="short"})`, median("short"), 0.06},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, binary, p.url, tt.args)
			for _, q := range append(common, tt.questions...) {
				got, err := server.ask(q.query)
				if err != nil {
					t.Errorf("%s: %v, want %v", q.query, err, q.want)
				} else if got < q.want*(1-q.off) || got > q.want*(1+q.off) {
					t.Errorf("%s is %v, want %v", q.query, got, q.want)
				}
			}
		})
	}
}

// A server is a Prometheus server's address.
type server string

// serve runs a Prometheus server that scrapes url until the test ends, and waits for its first
// scrape.
func serve(t *testing.T, binary, target string, args []string) server {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	yaml := fmt.Sprintf(`
global: {scrape_interval: 200ms, scrape_timeout: 200ms}
scrape_configs:
- job_name: program
  metrics_path: /
  static_configs: [{targets: [%q]}]
`, strings.TrimPrefix(target, "http://"))
	if err := os.WriteFile(config, []byte(yaml), 0o666); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free, and is so again a moment later
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	var log bytes.Buffer
	cmd := exec.Command(binary, append([]string{
		"--config.file=" + config, "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + address,
	}, args...)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if t.Failed() {
			t.Logf("prometheus: %s", log.String())
		}
	})
	s := server("http://" + address)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		up, err := s.ask("up")
		if err == nil && up == 1 {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing was scraped within a minute: %v", err)
		}
	}
}

// ask returns the greatest number in the answer to a query.
func (s server) ask(query string) (float64, error) {
	resp, err := http.Get(string(s) + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var answer struct {
		Error string
		Data  struct{ Result []struct{ Value [2]any } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return 0, err
	}
	result := answer.Data.Result
	most := 0.0
	for _, r := range result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, err
		}
		most = max(most, v)
	}
	if len(result) == 0 {
		return 0, fmt.Errorf("no answer; %s", answer.Error)
	}
	return most, nil
}
