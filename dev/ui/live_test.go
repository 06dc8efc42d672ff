package ui

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waymark-go/waymark/dev/ui/browser"
)

// facility runs the example that has groups, under load, until the test ends or stop is called.
func facility(t *testing.T) (pid string, stop func()) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "facility")
	waymark(t, "../../examples/facility", "build", "--args", "--results", "-o", program, ".")
	cmd := exec.Command(program, "-jobs", "100000000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	stop = func() {
		if !ended {
			ended = true
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	t.Cleanup(stop)
	pid = strconv.Itoa(cmd.Process.Pid)
	for range 200 { // it listens when it has begun
		if exec.Command(*command, "status", pid).Run() == nil {
			return pid, stop
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("process %s does not listen", pid)
	return
}

// plainShop runs the example service as plain Go builds it, under load, until the test ends.
func plainShop(t *testing.T) (pid string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "shop")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../../examples/shop"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(program, "-requests", "1000000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return strconv.Itoa(cmd.Process.Pid)
}

// The page of a program that plain Go has built begins with a sample, counts what is chosen of it, and shows variables at a
// line beside its source. Nothing is left in the program.
func TestLivePlain(t *testing.T) {
	b := browser.Start(t)
	pid := plainShop(t)
	page := b.Open(serve(t, pid))
	page.Settle()
	row := `//table[@aria-label='Sample']//tr[.//span[contains(@title, 'search.(*Index).Search')]]`
	running := `[...document.querySelectorAll("table[aria-label=Sample] tbody tr")].some(r => r.textContent.includes("search.(*Index).Search") && parseFloat(r.children[2].textContent) > 10)`
	page.Wait(running)
	page.Wait(`/\d+ samples/.test(document.body.textContent) && document.querySelector("#sample").getAttribute("aria-pressed") === "true"`)
	page.Wait(`(() => { const box = x => document.querySelector("section[aria-label=" + x + "]").getBoundingClientRect(); return box("Functions").left < box("Count").left; })()`)
	idle := ""
	page.Eval(`[...document.querySelectorAll("table[aria-label=Sample] tbody tr")].map(r => r.textContent).find(r => /runtime\.m(call|start)/.test(r)) ?? ""`, &idle)
	if idle != "" {
		t.Errorf("the sample has %s, which looks for work", idle)
	}
	page.Screenshots("sample")
	if said, ok := untouched(pid); !ok {
		t.Errorf("while it is sampled, the status is\n%s\nwant nothing patched", said)
	}

	page.Run(browser.Press(row + `//button[text()='Count']`))
	page.Wait(`[...document.querySelectorAll("[aria-label=Functions] tbody tr")].some(r => r.textContent.includes("search.(*Index).Search") && Number(r.children[3].textContent.replaceAll(",", "")) > 10)`)
	page.Wait(`document.querySelector("#sample").getAttribute("aria-pressed") === "false" && !document.querySelector("table[aria-label=Sample]") && document.querySelector("#sample").disabled`)
	page.Run(browser.Press(`//button[@role='switch']`))
	page.Wait(`document.querySelector("#state").textContent === "counting nothing"`)

	page.Run(browser.Press(`//button[@id='sample']`))
	page.Wait(running)
	// A page that is hidden leaves the sampler to others.
	page.Eval(`void (Object.defineProperty(document, "hidden", {value: true, configurable: true}), document.dispatchEvent(new Event("visibilitychange")))`, nil)
	page.Wait(`document.querySelector("#sample").getAttribute("aria-pressed") === "false" && document.body.textContent.includes("Sample begins a new one")`)
	page.Eval(`delete document.hidden`, nil)
	page.Run(browser.Press(row + `//button[text()='Lines']`))
	line := `//div[contains(@class, 'line')][code[contains(text(), 'ix.analysis(q, c.doc)')]]/button`
	page.Run(chromedp.WaitVisible(line), chromedp.SendKeys(`[aria-label='Condition of watch']`, "len(q.Text) > 3"))
	// A line is marked while it is watched, and not when the question is answered by no, or the watch has ended.
	pressed := `document.querySelector(".lineno[aria-pressed=true]")`
	page.Run(browser.Press(line), chromedp.WaitVisible("dialog[open]"), browser.Press(`//button[text()='Cancel']`))
	page.Wait(`!document.querySelector("dialog[open]") && !` + pressed)
	page.Eval(`void new MutationObserver(() => { if (`+pressed+`) window.marked = true; }).observe(document.body, {subtree: true, attributeFilter: ["aria-pressed"]})`, nil)
	page.Run(browser.Press(line), chromedp.WaitVisible("dialog[open]"), browser.Press(`//button[text()='Show values']`))
	page.Wait(`window.marked && document.querySelector("#said").textContent.includes("watch has ended") && !` + pressed)
	page.Wait(`[...document.querySelectorAll(".code .hit")].some(h => h.textContent.includes("q={Text:"))`)
	page.Wait(`/index\.go:\d+  search\.\(\*Index\)\.Search  .*q=\{Text:/.test(document.querySelector(".calls").textContent)`)
	page.Screenshots("lines")
	// Nor while something else is watched.
	page.Run(chromedp.SetValue(`[aria-label='Condition of watch']`, "len(q.Text) > 100000"), browser.Press(line))
	page.Wait(pressed)
	page.Eval(`void (document.querySelector("[aria-label='Condition of watch']").value = "")`, nil)
	page.Run(chromedp.SetValue("#function", "search.(*Index).Search"), browser.Press(`//button[text()='Watch calls']`))
	page.Run(chromedp.WaitVisible("dialog[open]"), browser.Press(`//button[text()='Without values']`))
	page.Wait("!" + pressed)
	page.Run(browser.Press(line))
	page.Wait(`document.querySelector("#said").textContent.includes("watch has ended") && !` + pressed)
	page.Run(chromedp.SetValue(`[aria-label='Condition of watch']`, "len(q.Text) > 3"))
	// A condition that can't hold is said, and files that no function is in aren't read.
	page.Run(chromedp.SendKeys(`[aria-label='Condition of watch']`, " && nobody == 1"), browser.Press(`//button[text()='Watch calls']`))
	page.Wait(`document.querySelector("#said").textContent.includes("nobody")`)
	other, err := filepath.Abs("live_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var answers []int
	page.Eval(fmt.Sprintf(`(async () => {
		const seen = performance.getEntriesByType("resource").map(r => r.name).findLast(n => n.includes("api/live/source"));
		const ask = async file => { const u = new URL(seen); if (file) u.searchParams.set("file", file); return (await fetch(u)).status; };
		return [await ask(), await ask("/etc/passwd"), await ask(%q)];
	})()`, other), &answers)
	if !slices.Equal(answers, []int{200, 400, 400}) {
		t.Errorf("the source of a file that was seen, and of two others: status %d, want 200, 400 and 400", answers)
	}
	page.Complaints()

	page.Run(chromedp.Navigate("about:blank"))
	said, ok := "", false
	for range 100 {
		if said, ok = untouched(pid); ok {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("when the page was left the status is\n%s\nwant nothing patched", said)
}

// untouched reports whether nothing is patched in a process that plain Go has built, and what its status says.
func untouched(pid string) (said string, ok bool) {
	out, _ := exec.Command(*command, "status", pid).CombinedOutput() // an error: another waymark patches it
	return string(out), strings.Contains(string(out), "differ from the file: 0")
}

// status returns what commands have switched on in a process.
func status(t *testing.T, pid string) string {
	t.Helper()
	var s struct {
		On []json.RawMessage `json:"on"`
	}
	if err := json.Unmarshal(waymark(t, ".", "status", "--format", "json", pid), &s); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s", s.On)
}

// The live page counts a group, watches a call with its arguments, and leaves nothing behind.
func TestLive(t *testing.T) {
	b := browser.Start(t)
	pid, stop := facility(t)
	t.Chdir(t.TempDir()) // recordings go where the command runs
	before := status(t, pid)
	url := serve(t, pid)
	page := b.Open(url)
	page.Settle()
	page.Wait(`document.querySelectorAll(".switch").length === 4`)
	page.Wait(`document.querySelector(".below .switch")`) // IO contains two groups

	page.Wait(`[...document.querySelectorAll("table[aria-label=Sample] tbody tr")].some(r => r.textContent.includes("main.main"))`) // by its own sampler

	group := `//button[@role='switch' and text()='IOWrite']`
	page.Run(browser.Press(group))
	page.Wait(`[...document.querySelectorAll("[aria-label=Functions] tbody tr")].some(r => r.textContent.includes("WriteLong") && Number(r.children[3].textContent.replaceAll(",", "")) > 100)`)
	if got := status(t, pid); got == before {
		t.Errorf("a group is on, and the status is %s as before", got)
	}
	// Values are asked for before they are shown.
	page.Run(chromedp.SendKeys("#function", "stream.(*Stream).WriteLong"), browser.Press(`//button[text()='Watch calls']`))
	page.Run(chromedp.WaitVisible("dialog[open]"))
	page.Run(browser.Press(`//button[text()='Show values']`))
	page.Wait(`/WriteLong\(.*, arg=\d+\)/.test(document.querySelector(".calls").textContent)`)
	page.Wait(`document.querySelectorAll(".call").length === 20 && document.querySelector("#said").textContent.includes("ended")`)
	page.Screenshots("live")
	page.Eval(`document.querySelector(".calls").replaceChildren()`, nil)
	page.Run(browser.Press(`//button[text()='Watch calls']`), chromedp.WaitVisible("dialog[open]"), browser.Press(`//button[text()='Without values']`))
	page.Wait(`document.querySelectorAll(".call").length === 20`)
	var shown string
	page.Eval(`document.querySelector(".calls").textContent`, &shown)
	if !strings.Contains(shown, "WriteLong") || strings.Contains(shown, "WriteLong(") {
		t.Errorf("calls without values are shown as %q", shown)
	}
	page.Run(browser.Press(`//button[text()='Trace calls']`))
	page.Wait(`document.querySelectorAll("pre.trace").length === 20 && document.querySelector("#said").textContent.includes("trace has ended")`)
	// A line is watched in a program that listens, too: it is patched for that.
	page.Run(chromedp.SetValue("#function", "main.go:65"), browser.Press(`//button[text()='Watch calls']`), chromedp.WaitVisible("dialog[open]"), browser.Press(`//button[text()='Show values']`))
	page.Wait(`/main\.go:65  main\.job  /.test(document.querySelector(".calls").textContent) && document.querySelector("#said").textContent.includes("watch has ended")`)
	page.Run(chromedp.SetValue("#function", "stream.(*Stream).WriteLong"))
	// A mistake in the condition is said.
	page.Run(chromedp.SendKeys(`[aria-label='Condition of watch']`, "args[0] >"), browser.Press(`//button[text()='Watch calls']`), chromedp.WaitVisible("dialog[open]"),
		browser.Press(`//button[text()='Without values']`))
	page.Wait(`document.querySelector("#said .error")`)

	page.Run(browser.Press(`//button[text()='Record']`))
	page.Wait(`document.body.textContent.includes("waymark-2")`)
	time.Sleep(300 * time.Millisecond)
	page.Run(browser.Press(`//button[text()='Stop recording']`))
	page.Wait(`document.body.textContent.includes("recorded into")`)
	files, _ := filepath.Glob("waymark-*.wmt")
	if len(files) != 1 {
		t.Fatalf("recordings are %q, want one", files)
	}

	page.Run(browser.Press(group))
	page.Wait(`document.querySelector("#state").textContent === "counting nothing"`)
	awaitStatus(t, pid, before, "the group was switched off")
	page.Run(browser.Press(group))
	page.Wait(`document.querySelector("[aria-label=Functions] tbody tr")`)
	page.Run(chromedp.Navigate("about:blank"))
	awaitStatus(t, pid, before, "the page was left")
	page.Complaints() // the answer that the page had no more time for

	// The program ends while a page is open.
	last := b.Open(url)
	last.Settle()
	last.Wait(`document.querySelectorAll(".switch").length === 4`)
	last.Run(browser.Press(group))
	last.Wait(`document.querySelector("[aria-label=Functions] tbody tr")`)
	stop()
	last.Wait(`document.querySelector("#notice").textContent.includes("ended") && document.querySelector("[aria-label=Functions] tbody tr")`)
	last.Screenshots("ended")
}

func awaitStatus(t *testing.T, pid, want, when string) {
	t.Helper()
	got := ""
	for range 100 {
		if got = status(t, pid); got == want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("when %s, %s is on, want %s as before", when, got, want)
}
