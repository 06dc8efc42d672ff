package ui

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/waymark-go/waymark/dev/ui/browser"
)

var long = flag.String("long", "", "measure the timeline of this recording in the browser: make bench-serve")

// TestLongTimeline measures zoom steps in the browser, and memory, for a long recording. It judges
// no times.
func TestLongTimeline(t *testing.T) {
	if *long == "" {
		t.Skip("measures times: make bench-serve")
	}
	page := browser.Start(t).Open(serve(t, *long))
	page.Settle()
	for begun := time.Now(); time.Since(begun) < 5*time.Minute; time.Sleep(time.Second) {
		var ready bool
		page.Eval(`Promise.all(["api/overview", "api/timeline/state"].map(a => fetch(a).then(r => r.json()))).then(([o, s]) => !("what" in o) && !("reading" in o) && s.processes[0].ready)`, &ready)
		if ready {
			break
		}
	}
	page.Go("#/timeline")
	page.Wait(drawn)
	var got struct {
		Steps  []float64
		Memory float64
	}
	// Steps go in at a random place, and out again at once.
	page.Run(chromedp.Focus("canvas.lanes", chromedp.ByQuery))
	for range 20 {
		var some struct {
			Steps  []float64
			Memory float64
		}
		page.Eval(`(async () => {
			const c = document.querySelector("canvas.lanes"), steps = [];
			const frame = () => new Promise(done => requestAnimationFrame(done));
			const step = async key => {
				const began = performance.now();
				c.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
				do await frame(); while (!c.view.fresh || c.hasAttribute("aria-busy"));
				steps.push(performance.now() - began);
			};
			await step("0");
			for (let i = 0; i < 12; i++) {
				await step("+");
				await step(Math.random() < 0.5 ? "ArrowLeft" : "ArrowRight");
			}
			return {Steps: steps, Memory: performance.memory?.usedJSHeapSize ?? 0};
		})()`, &some)
		got.Steps, got.Memory = append(got.Steps, some.Steps...), some.Memory
	}
	slices.Sort(got.Steps)
	at := func(q float64) float64 { return got.Steps[int(q*float64(len(got.Steps)-1))] }
	t.Logf("%d zoom steps in the browser: p50 %.0f ms, p95 %.0f ms, max %.0f ms; the page's heap %.0f MB", len(got.Steps), at(0.5), at(0.95), at(1), got.Memory/1e6)
	t.Logf("the server had at most %d MB in memory", serverMemory()>>20)
	page.Screenshots("timeline-long")
}

// serverMemory returns the most that waymark serve had in memory, bytes; 0 where the system doesn't say.
func serverMemory() (most int) {
	list, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, file := range list {
		status, _ := os.ReadFile(file)
		var parent, kb int
		for line := range strings.Lines(string(status)) {
			fmt.Sscanf(line, "PPid: %d", &parent)
			fmt.Sscanf(line, "VmHWM: %d kB", &kb)
		}
		if parent == os.Getpid() && strings.HasPrefix(string(status), "Name:\twaymark") {
			most = max(most, kb<<10)
		}
	}
	return most
}

// drawn waits until the lanes show what the window has.
const drawn = `document.querySelector("canvas.lanes")?.view?.strokes > 0 && !document.querySelector("canvas.lanes[aria-busy]") && !document.querySelector("main[aria-busy]")`

// A place is where something is on the canvas of lanes, and where that is in the window.
type place struct{ X, Y, Left, Top float64 }

func TestTimeline(t *testing.T) {
	file := shop(t)
	page := browser.Start(t).Open(serve(t, file))
	page.Settle()
	page.Go("#/timeline")
	page.Wait(drawn)
	page.Screenshots("timeline")

	var report struct {
		Functions []struct {
			Name  string
			Calls uint64
			Total int64 `json:"total_ns"`
			Self  int64 `json:"self_ns"`
		}
	}
	decode := func(b []byte) {
		t.Helper()
		report.Functions = nil
		if err := json.Unmarshal(b, &report); err != nil {
			t.Fatal(err)
		}
	}

	// A range that is drawn with the mouse has the numbers of a report of that time.
	var box struct{ Left, Top, Width, Height float64 }
	page.Eval(`(({left, top, width, height}) => ({Left: left, Top: top, Width: width, Height: height}))(document.querySelector("canvas.lanes").getBoundingClientRect())`, &box)
	drag := func(from, to float64, y float64, modifiers input.Modifier) {
		page.Run(
			input.DispatchMouseEvent(input.MousePressed, box.Left+from, box.Top+y).WithButton(input.Left).WithClickCount(1).WithModifiers(modifiers),
			input.DispatchMouseEvent(input.MouseMoved, box.Left+(from+to)/2, box.Top+y).WithButton(input.Left).WithModifiers(modifiers),
			input.DispatchMouseEvent(input.MouseMoved, box.Left+to, box.Top+y).WithButton(input.Left).WithModifiers(modifiers),
			input.DispatchMouseEvent(input.MouseReleased, box.Left+to, box.Top+y).WithButton(input.Left).WithClickCount(1).WithModifiers(modifiers),
		)
	}
	drag(400, 600, 100, input.ModifierShift)
	page.Wait(`document.querySelector("#range table") && location.hash.includes("range=")`)
	page.Screenshots("timeline-range")
	var bounds string
	page.Eval(`new URLSearchParams(location.hash.split("?")[1]).get("range")`, &bounds)
	var from, to int64
	if _, err := fmt.Sscanf(bounds, "%d-%d", &from, &to); err != nil {
		t.Fatalf("range %q in the address: %v", bounds, err)
	}
	decode(waymark(t, ".", "report", "--format", "json", "--top", "0", "--time", fmt.Sprintf("%dns..%dns", from, to-1), file))
	var saved struct {
		Address string
		Status  int
		Size    int
	}
	page.Eval(`(async () => {
		const a = document.querySelector("#range a[data-to=pprof]"), r = await fetch(a.href);
		return {Address: a.getAttribute("href"), Status: r.status, Size: (await r.blob()).size};
	})()`, &saved)
	if want := fmt.Sprintf("api/export?to=pprof&time=%dns..%dns", from, to-1); saved.Address != want || saved.Status != 200 || saved.Size == 0 {
		t.Errorf("the range is saved by %+v, want a file from %s", saved, want)
	}
	var rows [][]string
	page.Eval(`[...document.querySelectorAll("#range tbody tr")].map(tr => [tr.querySelector("button").title, ...[...tr.cells].slice(1, 4).map(c => c.textContent)])`, &rows)
	wanted := make(map[string][]string)
	for _, f := range report.Functions {
		wanted[f.Name] = []string{f.Name, commas(f.Calls), duration(f.Total), duration(f.Self)}
	}
	if len(rows) < 5 {
		t.Errorf("the table of the range has %d rows, want more", len(rows))
	}
	for _, row := range rows {
		if want := wanted[row[0]]; strings.Join(row, "|") != strings.Join(want, "|") {
			t.Errorf("the table of the range has %q, the report %q", row, want)
		}
	}
	page.Run(chromedp.SendKeys("canvas.lanes", kb.Escape, chromedp.ByQuery))
	page.Wait(`!document.querySelector("#range")`)

	// A function that is found is shown with what the recording has of the call, and the address
	// leads to it.
	const search = "github.com/waymark-go/waymark/examples/shop/internal/search.Normalize"
	page.Run(chromedp.SetValue("input[type=search]", search, chromedp.ByQuery), chromedp.SendKeys("input[type=search]", kb.Enter, chromedp.ByQuery))
	page.Wait(`document.querySelector("#chosen")?.title === "` + search + `"`)
	page.Wait(drawn)
	var hash, text string
	page.Wait(`location.hash.includes("at=")`)
	page.Eval(`location.hash`, &hash)
	page.Eval(`document.querySelector("aside").innerText`, &text)
	if !strings.Contains(text, "Arguments") || !strings.Contains(text, "Results") {
		t.Errorf("the panel has no arguments or results:\n%s", text)
	}
	page.Screenshots("timeline-call")
	var call struct {
		Goroutine uint64
		Start     int64 `json:"start_ns"`
		End       int64 `json:"end_ns"`
		Depth     int
		Args      []string
	}
	page.Eval(`fetch("api/timeline/find?from=0&function=" + new URLSearchParams(location.hash.split("?")[1]).get("function")).then(r => r.json())`, &call)
	replay := string(waymark(t, ".", "replay", "--include", search, "--goroutine", fmt.Sprint(call.Goroutine), "--time", fmt.Sprintf("%dns..%dns", max(call.Start-1, 0), call.End+1), file))
	if len(call.Args) == 0 || !strings.Contains(replay, strings.Join(call.Args, ", ")) {
		t.Errorf("the call has the arguments %q, the replay is\n%s", call.Args, replay)
	}

	// It is drawn where it can be clicked.
	var at place
	page.Eval(fmt.Sprintf(`(c => { const b = c.getBoundingClientRect(), p = c.locate(%d, %d, %d); return {X: p?.x ?? -1, Y: p?.y ?? -1, Left: b.left, Top: b.top}; })(document.querySelector("canvas.lanes"))`,
		call.Goroutine, (call.Start+call.End)/2, call.Depth), &at)
	page.Run(chromedp.SendKeys("canvas.lanes", kb.Escape, chromedp.ByQuery))
	page.Wait(`!document.querySelector("#chosen")`)
	page.Wait(drawn)
	page.Eval(fmt.Sprintf(`(c => { const b = c.getBoundingClientRect(), p = c.locate(%d, %d, %d); return {X: p?.x ?? -1, Y: p?.y ?? -1, Left: b.left, Top: b.top}; })(document.querySelector("canvas.lanes"))`,
		call.Goroutine, (call.Start+call.End)/2, call.Depth), &at)
	page.Run(chromedp.MouseClickXY(at.Left+at.X, at.Top+at.Y))
	page.Wait(`document.querySelector("#chosen")`)
	var name string
	page.Eval(`document.querySelector("#chosen").title`, &name)
	if name != search {
		t.Errorf("a click at %+v chose %q, want %q", at, name, search)
	}

	// The next one, by a key.
	page.Run(chromedp.SendKeys("canvas.lanes", "n", chromedp.ByQuery))
	page.Wait(fmt.Sprintf(`Number(new URLSearchParams(location.hash.split("?")[1]).get("at")) > %d`, call.Start))

	// The address shows the same again.
	page.Go("#/overview")
	page.Go(hash)
	page.Wait(drawn)
	page.Wait(`document.querySelector("#chosen")?.title === "` + search + `"`)

	// Zoom and pan: by keys, by the wheel, by dragging.
	type view struct{ From, To float64 }
	seen := func() (v view) {
		page.Eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done({From: document.querySelector("canvas.lanes").view.from, To: document.querySelector("canvas.lanes").view.to}))))`, &v)
		return v
	}
	page.Run(chromedp.SendKeys("canvas.lanes", "0", chromedp.ByQuery))
	whole := seen()
	if math.Abs(whole.From) > 1 {
		t.Errorf("all begins at %v, want 0", whole.From)
	}
	page.Run(chromedp.SendKeys("canvas.lanes", "++", chromedp.ByQuery))
	if v := seen(); math.Abs((v.To-v.From)*4-(whole.To-whole.From)) > 10 {
		t.Errorf("two + show %v, want a quarter of %v", v, whole)
	}
	before := seen()
	page.Run(input.DispatchMouseEvent(input.MouseWheel, box.Left+500, box.Top+100).WithDeltaX(0).WithDeltaY(-200))
	if v := seen(); v.To-v.From >= before.To-before.From {
		t.Errorf("the wheel shows %v after %v, want less", v, before)
	}
	before = seen()
	drag(700, 500, 100, 0)
	if v := seen(); v.From <= before.From || math.Abs((v.To-v.From)-(before.To-before.From)) > 1 {
		t.Errorf("dragging to the left shows %v after %v, want the same width, later", v, before)
	}
	page.Wait(drawn)
	for range 10 { // to calls one by one, without an error
		page.Run(chromedp.SendKeys("canvas.lanes", "+", chromedp.ByQuery))
	}
	page.Wait(`!document.querySelector("canvas.lanes[aria-busy]")`)
	page.Run(chromedp.SendKeys("canvas.lanes", kb.Enter, chromedp.ByQuery))
	page.Screenshots("timeline-near")
}

// commas returns a number as pages show it.
func commas(n uint64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// duration returns ns as pages show them.
func duration(ns int64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if float64(ns) >= unit.size {
			return fmt.Sprintf("%.3f %s", float64(ns)/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d ns", ns)
}
