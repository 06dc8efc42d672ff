package ui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/waymark-go/waymark/dev/ui/browser"
)

// openReport writes a report as a page and opens the file.
func openReport(t *testing.T, b *browser.Browser, recording string) *browser.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	waymark(t, ".", "report", "--format", "html", "-o", file, recording)
	page := b.Open("file://" + file)
	page.Wait(`document.querySelector(".calls tbody tr") && document.querySelector("canvas").width > 300`)
	return page
}

// The page of a report has the numbers of waymark report, in what it holds and in what it shows. It
// is searched, opened and zoomed into.
func TestReportPage(t *testing.T) {
	recording := shop(t)
	page := openReport(t, browser.Start(t), recording)
	var want, got struct {
		Functions []map[string]any `json:"functions"`
		Events    int              `json:"events"`
	}
	if err := json.Unmarshal(waymark(t, ".", "report", "--format", "json", recording), &want); err != nil {
		t.Fatal(err)
	}
	page.Eval(`JSON.parse(document.getElementById("data").textContent).report`, &got)
	if len(want.Functions) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("the page holds %d functions of %d events, want the %d of %d that waymark report prints", len(got.Functions), got.Events, len(want.Functions), want.Events)
	}

	// What is shown: the first rows as they are printed.
	var rows [][]string
	page.Eval(`[...document.querySelectorAll("[aria-label=Functions] tbody tr")].map(tr => [...tr.cells].map(td => td.textContent))`, &rows)
	if len(rows) != 50 {
		t.Fatalf("%d rows, want 50", len(rows))
	}
	for i, row := range rows {
		f := want.Functions[i]
		name := f["name"].(string)
		if !strings.HasSuffix(name, row[0][strings.LastIndexByte(row[0], '/')+1:]) || row[1] != milliseconds(f["total_ns"]) || row[2] != milliseconds(f["self_ns"]) || strings.ReplaceAll(row[3], ",", "") != fmt.Sprint(f["calls"]) {
			t.Errorf("row %d is %q, want %s with total %s, self %s, calls %v", i, row, name, milliseconds(f["total_ns"]), milliseconds(f["self_ns"]), f["calls"])
		}
	}
	var tree, total float64
	page.Eval(`Number([...document.querySelectorAll(".calls tbody tr")].length)`, &tree)
	page.Eval(`JSON.parse(document.getElementById("data").textContent).tree.all`, &total)
	var roots []struct {
		TotalNS float64 `json:"total_ns"`
	}
	if err := json.Unmarshal(waymark(t, ".", "tree", "--format", "json", recording), &roots); err != nil {
		t.Fatal(err)
	}
	for _, r := range roots {
		total -= r.TotalNS
	}
	if int(tree) != len(roots) || total != 0 {
		t.Errorf("%v root calls whose totals differ by %v ns, want the %d of waymark tree", tree, total, len(roots))
	}
	page.Screenshots("report")

	// Search, sort, open, zoom.
	page.Run(chromedp.SendKeys("input[type=search]", "Search"))
	page.Wait(`[...document.querySelectorAll("[aria-label=Functions] tbody tr")].every(tr => tr.cells[0].firstChild.title.toLowerCase().includes("search"))`)
	page.Wait(`document.querySelector(".bar [role=status]").textContent.endsWith("of what is shown matches")`)
	page.Screenshots("report-search")
	page.Eval(`{ const s = document.querySelector("input[type=search]"); s.value = ""; s.dispatchEvent(new Event("input")) }`, nil)
	page.Run(chromedp.Click(`//th/button[.="Calls"]`))
	page.Wait(`document.querySelector("th[aria-sort]").textContent === "Calls"`)
	page.Run(chromedp.Click(".calls tr[aria-expanded=false]"))
	page.Wait(`document.querySelector(".calls tr[aria-expanded=true] + tr[aria-level='2']")`)
	page.Run(chromedp.Focus(".calls tr[aria-selected=true]"), chromedp.KeyEvent("\r"))
	page.Wait(`!document.querySelector(".bar button").disabled`)
	page.Eval(`document.querySelector("canvas").scrollIntoView({block: "end"}), undefined`, nil)
	page.Screenshots("report-zoomed")
	page.Run(chromedp.Click(".bar button"))
	page.Wait(`document.querySelector(".bar button").disabled`)
}

// milliseconds prints a duration as the page does.
func milliseconds(ns any) string {
	v, unit := ns.(float64), "ns"
	for _, u := range []struct {
		name string
		size float64
	}{{"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		if ns.(float64) >= u.size {
			v, unit = ns.(float64)/u.size, u.name
		}
	}
	if unit == "ns" {
		return fmt.Sprintf("%.0f ns", v)
	}
	return fmt.Sprintf("%.3f %s", v, unit)
}

// A function's name can do nothing, whatever is in it, and a recording may be empty.
func TestReportHostile(t *testing.T) {
	const name = "main.</script><script>document.title='hacked'</script><img src=x onerror=document.title='hacked'>"
	file := filepath.Join(t.TempDir(), "hostile.xml")
	escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;", "'", "&apos;").Replace(name)
	text := `<trace-file unit="ns"><trace key="1-5" goroutine="1">1732300000123456789,START,` + escaped + `|1732300000123460000,END,` + escaped + "</trace></trace-file>\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	page := openReport(t, browser.Start(t), file)
	var shown, title string
	page.Eval(`document.querySelector("[aria-label=Functions] tbody td span").title`, &shown)
	page.Eval(`document.title`, &title)
	if !strings.HasPrefix(shown, name) || title == "hacked" {
		t.Errorf("the function is shown as %q on page %q, want %q", shown, title, name)
	}
	var elements int
	page.Eval(`document.querySelectorAll("img, body > script").length`, &elements)
	if elements != 2 {
		t.Errorf("%d pictures and scripts, want the 2 scripts of the page", elements)
	}
}
