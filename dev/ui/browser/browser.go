// Package browser runs Chromium for tests: it opens pages, and remembers what went wrong in them.
//
//	b := browser.Start(t) // skips the test where there is no Chromium
//	page := b.Open(url)
//	page.Run(chromedp.WaitVisible("#main h1"), chromedp.Click("nav a"))
//	page.Screenshots("overview") // light, dark, wide and narrow, into the folder that -screenshots names
//
// A test fails by errors in a page's console and by exceptions that nothing caught, unless it calls
// Page.Complaints.
package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "keep screenshots in this folder")

// patience is how long an action may take, on a machine that other work keeps busy.
const patience = time.Minute

// A Browser is a running Chromium.
type Browser struct {
	t   testing.TB
	ctx context.Context
}

// Start starts Chromium with a new profile, until the test ends. It skips the test if there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("chromium is not installed: pages are not tested in a browser")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(patience),
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	// chromedp complains of events that are newer than it is; what matters comes back as an error.
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() {
		chromedp.Cancel(ctx) // waits for its end, so that the profile can be removed
		cancel()
		stop()
	})
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return &Browser{t, ctx}
}

// A Page is a tab.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	forgiven   bool
}

// Open opens an address in a new tab of 1280 x 800, until the test ends.
func (b *Browser) Open(url string) *Page {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	p := &Page{t: b.t, ctx: ctx}
	chromedp.ListenTarget(ctx, p.event)
	b.t.Cleanup(func() {
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.forgiven {
			for _, c := range p.complaints {
				b.t.Errorf("the page complained: %s", c)
			}
		}
	})
	// The tab lives as long as the context of the first Run.
	if err := chromedp.Run(ctx); err != nil {
		b.t.Fatal(err)
	}
	// The log is what the browser itself says, such as refusals by a Content-Security-Policy.
	p.Run(page.BringToFront(), log.Enable(), runtime.Enable(), chromedp.EmulateViewport(1280, 800), chromedp.Navigate(url))
	return p
}

func (p *Page) event(ev any) {
	complaint := ""
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		complaint = ev.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.APITypeError || ev.Type == runtime.APITypeWarning {
			for _, a := range ev.Args {
				complaint += string(a.Value) + a.Description + " "
			}
		}
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.LevelError || ev.Entry.Level == log.LevelWarning {
			complaint = ev.Entry.Text + " " + ev.Entry.URL
		}
	}
	if complaint == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = append(p.complaints, strings.TrimSpace(complaint))
}

// Complaints returns what has gone wrong in the page, which then does not fail the test.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgiven = true
	return p.complaints
}

// Run runs actions. If they fail or take too long, the test ends with what the page shows.
func (p *Page) Run(actions ...chromedp.Action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		p.mu.Lock()
		complaints := p.complaints
		p.mu.Unlock()
		var text string
		late, cancel := context.WithTimeout(p.ctx, 10*time.Second)
		defer cancel()
		chromedp.Run(late, chromedp.Evaluate(`document.body?.innerText.slice(0, 2000) ?? ""`, &text))
		p.t.Fatalf("%v; complaints: %q; the page shows:\n%s", err, complaints, text)
	}
}

// Press clicks the visible element that an XPath finds, wherever the page has it meanwhile: a click at a place
// misses what moves.
func Press(xpath string) chromedp.Action {
	return chromedp.Tasks{
		chromedp.WaitVisible(xpath),
		chromedp.Evaluate(fmt.Sprintf("document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue.click()", xpath), nil),
	}
}

// Eval evaluates an expression, a promise too, into a value of Go.
func (p *Page) Eval(expression string, to any) {
	p.t.Helper()
	p.Run(chromedp.Evaluate(expression, to, Await))
}

// Await is an option of chromedp.Evaluate: a promise is waited for.
func Await(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }

// Wait waits until an expression is true. chromedp.Poll can't be used: it makes code of text, which
// the pages' Content-Security-Policy forbids.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	p.Run(chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			// A document that is being replaced may never answer.
			var ok bool
			once, cancel := context.WithTimeout(ctx, 3*time.Second)
			err := chromedp.Evaluate("Boolean(("+expression+"))", &ok).Do(once)
			late := once.Err() != nil
			cancel()
			if ok || err != nil && !late {
				return err
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s is not true: %w", expression, ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}))
}

// Go shows the page of an address such as #/tree, and waits until it is there.
func (p *Page) Go(address string) {
	p.t.Helper()
	p.Eval(fmt.Sprintf("location.hash = %q, undefined", address), nil)
	p.Settle()
}

// Settle waits until the page is there.
func (p *Page) Settle() {
	p.t.Helper()
	p.Wait(`document.querySelector("main")?.childElementCount > 0 && !document.querySelector("[aria-busy=true]")`)
}

// Screenshots keeps pictures of the page, if -screenshots names a folder: light and dark, wide and
// narrow.
func (p *Page) Screenshots(name string) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	p.Run(chromedp.ActionFunc(func(ctx context.Context) error {
		defer emulation.SetEmulatedMedia().Do(ctx)
		for _, look := range []struct {
			suffix, scheme string
			width, height  int64
		}{{"light", "light", 1280, 800}, {"dark", "dark", 1280, 800}, {"narrow", "light", 420, 860}, {"narrow-dark", "dark", 420, 860}} {
			if err := chromedp.EmulateViewport(look.width, look.height).Do(ctx); err != nil {
				return err
			}
			if err := emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}).Do(ctx); err != nil {
				return err
			}
			// Canvases are drawn anew in the next frame.
			if err := chromedp.Sleep(150 * time.Millisecond).Do(ctx); err != nil {
				return err
			}
			if err := Screenshot(ctx, filepath.Join(*screenshots, name+"-"+look.suffix+".png")); err != nil {
				return err
			}
		}
		return chromedp.EmulateViewport(1280, 800).Do(ctx)
	}))
}

// Screenshot writes a picture of what the page of a chromedp action shows.
func Screenshot(ctx context.Context, file string) error {
	// A tab behind another one is not drawn.
	if err := page.BringToFront().Do(ctx); err != nil {
		return err
	}
	picture, err := page.CaptureScreenshot().Do(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, picture, 0o666)
}
