package ui

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/waymark-go/waymark/dev/ui/browser"
)

// The site of the documents is searched without a server: the best hit is a link to its section.
func TestSite(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("go", "run", ".", "-root", "../..", "-out", dir)
	cmd.Dir = "../site"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	page := browser.Start(t).Open("file://" + filepath.Join(dir, "docs/guide.html"))
	page.Wait(`document.querySelector("nav .current > a")?.textContent === "guide"`)
	page.Screenshots("site-guide")
	search := func(words string) {
		page.Eval(`document.querySelector("input[type=search]").value = ""`, nil)
		page.Run(chromedp.SendKeys("input[type=search]", words, chromedp.ByQuery))
	}
	search("hostile zebra")
	page.Wait(`document.querySelector("#found").textContent === "No section has all these words."`)
	search("flight RECORDER window")
	page.Wait(`document.querySelectorAll("#found a").length > 3 && document.querySelector("#found mark")`)
	page.Screenshots("site-search")
	var best string
	page.Eval(`document.querySelector("#found a").href`, &best)
	page.Run(chromedp.SendKeys("input[type=search]", kb.Enter, chromedp.ByQuery))
	page.Wait(`location.href === "` + best + `" && document.getElementById(location.hash.slice(1)) && document.querySelector("#found").hidden`)
	page.Screenshots("site-found")
}
