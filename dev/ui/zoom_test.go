package ui

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/waymark-go/waymark/dev/ui/browser"
)

// mostFilm bounds the moving picture, which everybody loads who reads the README.
const mostFilm = 600 << 10

// TestZoom makes the moving picture of the README: make pictures. A program is recorded and served, and
// the timeline is zoomed from the whole run to one slow call. Commands, output and pages are real.
func TestZoom(t *testing.T) {
	if *pictures == "" {
		t.Skip("makes the moving picture of the README: make pictures")
	}
	if _, err := exec.LookPath("img2webp"); err != nil {
		t.Fatalf("%v: install Debian's package webp", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "shop.wmt")
	args := []string{"record", "--waiting", "--args", "--arg-depth", "0", "--budget", "10%", "-o", file, ".", "-requests", "600", "-clients", "8"}
	record := exec.Command(*command, args...)
	record.Dir = "../../examples/shop"
	said, err := record.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", record, err, said)
	}
	plain := func(text string) string { return strings.ReplaceAll(text, dir+"/", "") }
	address := serve(t, file)

	f := &film{t: t, dir: dir}
	b := browser.Start(t)
	f.shows(b.Open("data:text/html," + url.PathEscape(terminal)))
	f.types(plain("waymark " + strings.Join(args, " ")))
	f.prints(plain(string(said)), time.Second)
	f.types("waymark serve shop.wmt")
	f.prints(address+"\n", 700*time.Millisecond)

	f.shows(b.Open(address))
	f.page.Wait(`document.querySelector("#slowest table")`)
	f.page.Eval(pointer, nil)
	f.take(1200 * time.Millisecond)
	f.moves(f.where(middle(`document.querySelector("header a[href*=timeline]")`)))
	f.clicks(1)
	f.settles()
	f.take(time.Second)
	f.moves(f.where(middle(`[...document.querySelectorAll("aside button")].find(b => b.textContent.startsWith("http.(*Server)"))`)))
	f.clicks(1)
	f.settles()
	f.take(400 * time.Millisecond)

	c := f.slowest(`orders\.\(\*Service\)\.Place$|catalog\.\(\*Catalog\)\.Search$`)
	place := fmt.Sprintf(`(c => { const b = c.getBoundingClientRect(), p = c.locate(%d, %d, %d); return {X: b.x + p?.x, Y: b.y + p?.y}; })(document.querySelector("canvas.lanes"))`, c.Goroutine, (c.Start+c.End)/2, c.Depth)
	for f.below(place) {
		f.page.Eval(`document.querySelector(".scroller").scrollBy(0, 100), undefined`, nil)
		f.settles()
		f.take(60 * time.Millisecond)
	}
	f.moves(f.where(place))
	for f.span() > 2.5*float64(c.End-c.Start) {
		f.page.Run(input.DispatchMouseEvent(input.MouseWheel, f.x, f.y).WithDeltaX(0).WithDeltaY(-250))
		f.settles()
		f.take(100 * time.Millisecond)
	}
	f.clicks(1)
	f.page.Wait(`document.querySelector("#chosen")`)
	f.take(600 * time.Millisecond)
	f.clicks(2)
	f.settles()
	f.take(800 * time.Millisecond)
	f.moves(f.where(middle(`[...document.querySelectorAll("aside li")].find(l => /lock.*woken by/.test(l.textContent)).querySelector("button")`)))
	f.take(2500 * time.Millisecond)
	f.write(filepath.Join(*pictures, "zoom.webp"))
}

const (
	terminal = `<style>body{margin:0;padding:16px 20px;background:#16181a;color:#e3e5e7;font:18px/1.5 "DejaVu Sans Mono",monospace;white-space:pre-wrap;word-break:break-all}</style>`

	// pointer draws a mouse pointer, which screenshots don't have.
	pointer = `document.body.insertAdjacentHTML("beforeend", '<svg id="pointer" width="18" height="24" viewBox="0 0 12 16"><path d="M1 1v12l3-3 2 5 2-1-2-5h4z" fill="#000" stroke="#fff"/></svg>'),
		document.querySelector("#pointer").style.cssText = "position:fixed;z-index:9;left:560px;top:400px;pointer-events:none",
		document.querySelector("#notice").hidden = true, undefined`
)

// A film is frames and how long each is shown.
type film struct {
	t    *testing.T
	page *browser.Page
	dir  string
	args []string // of img2webp
	x, y float64  // of the pointer
}

// shows turns to another page.
func (f *film) shows(p *browser.Page) {
	f.page, f.x, f.y = p, 560, 400
	p.Run(chromedp.EmulateViewport(1120, 640))
}

// settles waits until the timeline has asked for what it shows, and has drawn it.
func (f *film) settles() {
	f.page.Run(chromedp.Sleep(200 * time.Millisecond))
	f.page.Wait(drawn)
}

// take adds a frame.
func (f *film) take(d time.Duration) {
	f.t.Helper()
	name := filepath.Join(f.dir, fmt.Sprintf("%03d.png", len(f.args)/3))
	f.page.Run(chromedp.ActionFunc(func(ctx context.Context) error { return browser.Screenshot(ctx, name) }))
	f.args = append(f.args, "-d", fmt.Sprint(d.Milliseconds()), name)
}

// types writes a command into the terminal, prints what it says.
func (f *film) types(command string) {
	f.append("$ ")
	for len(command) > 0 {
		n := min(6, len(command))
		f.append(command[:n])
		command = command[n:]
		f.take(60 * time.Millisecond)
	}
	f.append("\n")
	f.take(300 * time.Millisecond)
}

func (f *film) prints(text string, d time.Duration) {
	f.append(text)
	f.take(d)
}

func (f *film) append(text string) {
	f.page.Eval(fmt.Sprintf("document.body.append(%q)", text), nil)
}

// below reports whether the lanes must be scrolled until a place in them is shown with what is around it.
func (f *film) below(place string) (below bool) {
	f.page.Eval(fmt.Sprintf(`(y => !(y < document.querySelector("canvas.lanes").getBoundingClientRect().bottom - 100))((%s).Y)`, place), &below)
	return below
}

// where returns what an expression says of a place.
func (f *film) where(expression string) (x, y float64) {
	f.t.Helper()
	var p struct{ X, Y *float64 }
	f.page.Eval(expression, &p)
	if p.X == nil || p.Y == nil {
		f.t.Fatalf("%s is not shown", expression)
	}
	return *p.X, *p.Y
}

func middle(element string) (place string) {
	return `(b => ({X: b.x + b.width / 2, Y: b.y + b.height / 2}))(` + element + `.getBoundingClientRect())`
}

// moves moves the pointer.
func (f *film) moves(x, y float64) {
	const steps = 3
	for i := 1.0; i <= steps; i++ {
		at := func(from, to float64) float64 { return from + (to-from)*i/steps }
		px, py := at(f.x, x), at(f.y, y)
		f.page.Eval(fmt.Sprintf(`(s => { s.left = "%fpx", s.top = "%fpx"; })(document.querySelector("#pointer").style)`, px, py), nil)
		f.take(60 * time.Millisecond)
	}
	f.x, f.y = x, y
}

func (f *film) clicks(n int) {
	f.page.Run(chromedp.MouseClickXY(f.x, f.y, chromedp.ClickCount(n)))
}

// span returns the ns that the timeline shows.
func (f *film) span() (ns float64) {
	f.page.Eval(`(v => v.to - v.from)(document.querySelector("canvas.lanes").view)`, &ns)
	return ns
}

// slowCall is a call that waited.
type slowCall struct {
	Start, End int64 // ns
	Goroutine  uint64
	Depth      int
	Waited     int64 // ns
}

// slowest returns the call of some functions that waited longest for a lock that another goroutine
// held.
func (f *film) slowest(functions string) (c slowCall) {
	f.t.Helper()
	f.page.Eval(fmt.Sprintf(`(async () => {
		const ask = path => fetch("api/timeline/" + path).then(r => r.json());
		let best = {};
		for (const fn of (await ask("functions")).functions.filter(f => /%s/.test(f.name)))
			for (let i = 0, from = 0; i < fn.calls; i++) {
				const call = await ask("find?direction=next&function=" + fn.id + "&from=" + from);
				from = call.start_ns + 1;
				for (const w of call.waits) if (w.reason === "lock" && w.waker && w.waiting_ns > (best.Waited ?? 0))
					best = {Start: call.start_ns, End: call.end_ns, Goroutine: call.goroutine, Depth: call.depth, Waited: w.waiting_ns};
			}
		return best;
	})()`, functions), &c)
	if c.Waited == 0 {
		f.t.Fatalf("no call of %s waited for a lock: make the picture again", functions)
	}
	return c
}

// write writes the film.
func (f *film) write(name string) {
	f.t.Helper()
	args := append([]string{"-loop", "0", "-lossless", "-m", "6"}, f.args...)
	if out, err := exec.Command("img2webp", append(args, "-o", name)...).CombinedOutput(); err != nil {
		f.t.Fatalf("img2webp: %v\n%s", err, out)
	}
	if info, err := os.Stat(name); err != nil || info.Size() > mostFilm {
		f.t.Errorf("%s: %v, %v; want at most %d bytes", name, info, err, mostFilm)
	}
}
