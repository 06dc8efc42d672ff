package ui

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/waymark-go/waymark/dev/ui/browser"
)

var pictures = flag.String("pictures", "", "take the pictures of the documents into this folder")

// mostPicture bounds the pictures, which everybody who clones the repository gets.
const mostPicture = 150 << 10

// TestPictures takes the pictures of the documents from the pages: make pictures.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("takes the pictures of the documents: make pictures")
	}
	file := filepath.Join(t.TempDir(), "shop.wmt")
	waymark(t, "../../examples/shop", "record", "--waiting", "--objects", "-o", file, ".", "-requests", "600")
	page := browser.Start(t).Open(serve(t, file))
	page.Settle()
	take := func(name string, width, height int64, dark bool) {
		scheme := "light"
		if dark {
			scheme = "dark"
		}
		page.Run(chromedp.EmulateViewport(width, height), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
			chromedp.Evaluate(`document.querySelector("#notice").hidden = true, new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`, nil, browser.Await),
			chromedp.ActionFunc(func(ctx context.Context) error { return browser.Screenshot(ctx, filepath.Join(*pictures, name)) }))
		if info, err := os.Stat(filepath.Join(*pictures, name)); err != nil || info.Size() > mostPicture {
			t.Errorf("%s: %v, %v; want at most %d bytes", name, info, err, mostPicture)
		}
	}
	page.Wait(`document.querySelector("#slowest table")`)
	take("serve-overview.png", 1280, 600, false)
	page.Go("#/flame?view=callees&function=github.com/waymark-go/waymark/examples/shop/internal/httpapi.(*api).search")
	page.Run(chromedp.Focus(".flame canvas"), chromedp.KeyEvent(kb.Home))
	page.Wait(`document.querySelector("aside table")`)
	page.Eval(`document.activeElement.blur()`, nil)
	take("serve-flame.png", 1120, 440, false)
	page.Go("#/traces")
	var key string
	page.Eval(`fetch("api/traces").then(r => r.json()).then(t => t.traces.find(x => x.root.endsWith(".search")).key)`, &key)
	page.Go("#/traces?key=" + key)
	page.Wait(`document.querySelector(".trace .strip")`)
	page.Eval(`scrollTo(0, 0)`, nil)
	take("serve-traces.png", 1120, 640, true)
}
