package prometheus_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
	"github.com/waymark-go/waymark/trace"
)

// A dashboard is what the tests need of grafana.json.
type dashboard struct {
	Title, UID string
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		ID         int
		Type       string
		Title      string
		Datasource struct{ Type, UID string }
		GridPos    struct{ X, Y, W, H int }
		Targets    []struct {
			Expr, Query string
			Exemplar    bool
		}
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	data, err := os.ReadFile("grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDashboard checks what Grafana needs to show each panel.
func TestDashboard(t *testing.T) {
	d := readDashboard(t)
	if d.Title == "" || d.UID == "" {
		t.Error("the dashboard has no title or no uid")
	}
	variables := []string{"__rate_interval"} // which Grafana has
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
	}
	uses := regexp.MustCompile(`\$\{?(\w+)`)
	ids := make(map[int]bool)
	for i, p := range d.Panels {
		if p.Title == "" || len(p.Targets) == 0 || ids[p.ID] {
			t.Errorf("panel %d has no title or no query, or its id %d is another's", i, p.ID)
		}
		ids[p.ID] = true
		if want := map[string]string{"prometheus": "${prometheus}", "tempo": "${traces}"}[p.Datasource.Type]; want == "" || p.Datasource.UID != want {
			t.Errorf("%s: data source %v, want prometheus ${prometheus} or tempo ${traces}", p.Title, p.Datasource)
		}
		text := p.Title + p.Datasource.UID
		for _, q := range p.Targets {
			text += q.Expr + q.Query
		}
		for _, m := range uses.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(variables, m[1]) {
				t.Errorf("%s: variable %s, want one of %v", p.Title, m[1], variables)
			}
		}
		g := p.GridPos
		if g.W <= 0 || g.H <= 0 || g.X < 0 || g.Y < 0 || g.X+g.W > 24 {
			t.Errorf("%s: position %v, want one within 24 columns", p.Title, g)
		}
		for _, other := range d.Panels[:i] {
			if o := other.GridPos; g.X < o.X+o.W && o.X < g.X+g.W && g.Y < o.Y+o.H && o.Y < g.Y+g.H {
				t.Errorf("%s overlaps %s", p.Title, other.Title)
			}
		}
	}
}

// busy starts a program whose functions are called, and one of whose traces is kept, before each scrape. It
// returns the program's address.
func busy(t *testing.T) string {
	t.Helper()
	timer, statistics, pass := newTimer(t)
	timer.Enter() // which stays in progress
	exemplars := new(waymarkprom.Exemplars)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{Exemplars: exemplars}))
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const took = 3 * time.Millisecond
		timer.Time(func() { pass(took) })
		exemplars.Add(&trace.Trace{Root: handle, ID: [16]byte{0xab, 15: 1}, Start: time.Now().Add(-took), Duration: took})
		metrics.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestDashboardServer has a Prometheus server answer each query of the dashboard, and for the panels
// with exemplars name the trace.
func TestDashboardServer(t *testing.T) {
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is missing: it is in Debian's package prometheus")
	}
	fill := strings.NewReplacer("$timer", ".*", "$__rate_interval", "10s")
	s := serve(t, binary, busy(t), []string{"--enable-feature=exemplar-storage"})
	for _, p := range readDashboard(t).Panels {
		if p.Datasource.Type != "prometheus" {
			continue
		}
		for _, q := range p.Targets {
			query := fill.Replace(q.Expr)
			eventually(t, p.Title+": "+query, func() error {
				if v, err := s.ask(query); err != nil || !(v > 0) {
					return fmt.Errorf("got %v, %v, want more than 0", v, err)
				}
				return nil
			})
			if q.Exemplar {
				eventually(t, p.Title+": exemplars of "+query, func() error { return s.exemplar(query) })
			}
		}
	}
}

// TestExemplarServer has a Prometheus server read the exemplars of native histograms.
func TestExemplarServer(t *testing.T) {
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is missing: it is in Debian's package prometheus")
	}
	s := serve(t, binary, busy(t), []string{"--enable-feature=exemplar-storage,native-histograms"})
	eventually(t, "native", func() error { return s.exemplar("waymark_timer_duration_seconds") })
}

// eventually waits until f returns nil.
func eventually(t *testing.T, what string, f func() error) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: %v", what, err)
			return
		}
	}
}

// exemplar returns an error unless all exemplars of a query are the busy program's trace.
func (s server) exemplar(query string) error {
	now := time.Now()
	resp, err := http.Get(fmt.Sprintf("%s/api/v1/query_exemplars?start=%d&end=%d&query=%s",
		s, now.Add(-time.Minute).Unix(), now.Add(time.Minute).Unix(), url.QueryEscape(query)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		Error string
		Data  []struct {
			SeriesLabels map[string]string
			Exemplars    []struct {
				Labels map[string]string
				Value  string
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	for _, series := range answer.Data {
		for _, x := range series.Exemplars {
			if x.Labels["trace_id"] != "ab000000000000000000000000000001" || x.Value != "0.003" {
				return fmt.Errorf("exemplar %v of %v, want the trace ab...01 of 0.003 s", x, series.SeriesLabels)
			}
			if le := series.SeriesLabels["le"]; le != "" && le != "0.004194303" {
				return fmt.Errorf("exemplar of 0.003 s in the bucket %s, want 0.004194303", le)
			}
		}
	}
	if len(answer.Data) == 0 {
		return fmt.Errorf("no exemplars; %s", answer.Error)
	}
	return nil
}
