package ui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/waymark-go/waymark/dev/ui/browser"
)

// The pages of a recording of the example service show what the commands print.
func TestPages(t *testing.T) {
	b := browser.Start(t)
	file := shop(t)
	page := b.Open(serve(t, file))
	page.Settle()
	report := waymark(t, ".", "report", "--format", "json", file)

	overview(t, page, report)
	flame(t, page, file)
	tree(t, page, file)
	traces(t, page, file)
	source(t, page, report)
	pprof(t, page)
}

// equal fails the test unless an expression in the page, about what Go knows, returns "".
func equal(t *testing.T, page *browser.Page, known []byte, body string) {
	t.Helper()
	var difference string
	page.Eval(fmt.Sprintf("(async known => { const f = await import(new URL('lib/format.js', location.href)); %s; return '' })(%s)", body, known), &difference)
	if difference != "" {
		t.Errorf("the page differs from the command: %s", difference)
	}
}

func overview(t *testing.T, page *browser.Page, report []byte) {
	page.Wait(`document.querySelector("#slowest table")`)
	page.Screenshots("overview")
	page.Wait(`(() => { const more = document.querySelector("section[aria-label='Top functions'] .more"); if (more.hidden) return true; more.click(); return false })()`)
	equal(t, page, report, `
		const text = [...document.querySelectorAll('.figure')].map(x => x.lastChild.textContent);
		const calls = known.functions.reduce((n, x) => n + x.calls, 0);
		const want = [f.duration(known.duration_ns), f.count(calls), f.count(known.events), f.count(known.goroutines), f.count(known.dropped)];
		if (want.some((w, i) => w !== text[i])) return 'figures ' + text + ', want ' + want;
		const rows = [...document.querySelectorAll("section[aria-label='Top functions'] tbody tr")];
		if (rows.length !== known.functions.length) return rows.length + ' functions, want ' + known.functions.length;
		for (const row of rows) {
			const cells = [...row.children].map(c => c.textContent);
			const name = row.querySelector('a').title;
			const x = known.functions.find(x => x.name === name && f.count(x.calls) === cells[7]);
			if (!x) return 'no function ' + name + ' with ' + cells;
			const want = [f.duration(x.total_ns), f.duration(x.self_ns), f.duration(x.running_ns), f.duration(x.waiting_ns), f.count(x.calls), f.duration(x.avg_ns), f.duration(x.max_ns)];
			const got = [1, 3, 4, 5, 7, 8, 9].map(i => cells[i]);
			if (want.join() !== got.join()) return name + ': ' + got + ', want ' + want;
		}`)
	// No column of a panel is cut, however narrow the panels are.
	for width := int64(1000); width <= 1800; width += 100 {
		cut := ""
		page.Run(chromedp.EmulateViewport(width, 800))
		page.Eval(`[...document.querySelectorAll(".columns .scroll")].filter(s => s.scrollWidth > s.clientWidth).map(s => s.textContent.slice(0, 40)).join()`, &cut)
		if cut != "" {
			t.Errorf("at %d pixels these tables are cut: %s", width, cut)
		}
	}
	page.Run(chromedp.EmulateViewport(1280, 800))
	// A click on a head sorts by it.
	page.Run(chromedp.Click(`//section[@aria-label='Top functions']//th/button[text()='Self']`))
	equal(t, page, report, `
		const first = document.querySelector("section[aria-label='Top functions'] tbody tr a").title;
		const most = Math.max(...known.functions.map(x => x.self_ns));
		if (known.functions.find(x => x.name === first).self_ns !== most) return first + ' is first by self time'`)
}

func flame(t *testing.T, page *browser.Page, file string) {
	page.Go("#/flame")
	page.Screenshots("flame")
	// Keys choose the widest frame, and zoom into it.
	page.Run(chromedp.Focus(".flame canvas"), chromedp.KeyEvent(kb.Home))
	roots := waymark(t, ".", "tree", "--format", "json", file)
	equal(t, page, roots, `
		const said = document.querySelector('.flame [role=status]').textContent;
		const x = known[0];
		const want = f.duration(x.total_ns) + ', ' + f.percent(x.total_ns / known.reduce((n, x) => n + x.total_ns, 0)) + ', ' + f.count(x.calls) + ' calls';
		if (!said.endsWith(': ' + want)) return said + ', want ' + want`)
	page.Wait(`document.querySelector("aside h2")`)
	page.Run(chromedp.KeyEvent(kb.Enter))
	page.Wait(`location.hash.includes("node=") && !document.querySelector("[aria-busy=true]")`)
	page.Run(chromedp.Click(`//button[text()='Zoom out']`))
	page.Wait(`!location.hash.includes("node=") && !document.querySelector("[aria-busy=true]")`)
	page.Run(chromedp.SendKeys(`input[type=search]`, "Normalize"))
	page.Wait(`document.querySelector(".bar [role=status]").textContent.includes("matched")`)
	// Measures add up to what the report has.
	report := waymark(t, ".", "report", "--format", "json", file)
	for _, measure := range []string{"calls", "running", "waiting", "objects"} {
		page.Go("#/flame?measure=" + measure)
		equal(t, page, report, fmt.Sprintf(`
			const a = await (await fetch('api/flame?measure=%[1]s')).json();
			const key = {calls: 'calls', running: 'self_running_ns', waiting: 'self_waiting_ns', objects: 'objects'}['%[1]s'];
			const want = known.functions.reduce((n, x) => n + (x[key] ?? 0), 0);
			// Waits of a path and of a function are rounded by themselves.
			if (Math.abs(a.total - want) > ('%[1]s' === 'waiting' || '%[1]s' === 'running' ? a.count : 0)) return '%[1]s: ' + a.total + ', want ' + want`, measure))
	}
	page.Go("#/flame?view=callers&function=github.com/waymark-go/waymark/examples/shop/internal/search.Normalize")
	page.Wait(`document.querySelector("aside table")`)
	page.Run(chromedp.Click(`//button[text()='Durations of all calls']`))
	page.Wait(`document.querySelector("aside .bars")`)
	equal(t, page, report, `
		const x = known.functions.find(x => x.name.endsWith('search.Normalize'));
		const times = [...document.querySelectorAll('aside .bars ~ dl dd')].map(d => d.textContent);
		if (times[0] !== f.duration(x.min_ns) || times[5] !== f.duration(x.max_ns)) return 'durations ' + times`)
	page.Screenshots("callers")
}

func tree(t *testing.T, page *browser.Page, file string) {
	page.Go("#/tree")
	roots := waymark(t, ".", "tree", "--format", "json", file)
	page.Run(chromedp.Focus(".list"), chromedp.KeyEvent(kb.Home))
	page.Run(chromedp.KeyEvent(kb.ArrowRight))
	page.Wait(`document.querySelectorAll(".row[aria-level='2']").length > 0`)
	equal(t, page, roots, `
		const rows = [...document.querySelectorAll('.window .row')].map(r => [r.getAttribute('aria-level'), ...[...r.children].map(c => c.title || c.textContent)]);
		const want = [];
		const add = (n, level) => want.push([String(level), n.name, f.duration(n.total_ns), f.duration(n.self_ns), f.count(n.calls)]);
		add(known[0], 1);
		for (const c of known[0].children) add(c, 2);
		for (const [i, w] of want.entries()) {
			const got = [0, 1, 2, 5, 6].map(k => rows[i][k]);
			if (got.join() !== w.join()) return 'row ' + i + ': ' + got + ', want ' + w;
		}`)
	page.Run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowRight))
	page.Wait(`document.querySelector("aside h2")`)
	page.Screenshots("tree")
	page.Run(chromedp.SendKeys(`input[type=search]`, "Normalize\n"))
	page.Wait(`document.querySelector(".bar [role=status]").textContent.includes("paths lead to it")`)
}

func traces(t *testing.T, page *browser.Page, file string) {
	page.Go("#/traces")
	list := waymark(t, ".", "traces", "--format", "json", file)
	equal(t, page, list, `
		const text = document.querySelector('#how-many').textContent;
		if (!text.startsWith(f.count(known.length) + ' traces')) return text + ', want ' + known.length;
		const first = [...document.querySelector('.list tbody tr').children].map(c => c.textContent);
		if (first[2] !== f.duration(known[0].duration_ns) || first[4] !== f.count(known[0].calls)) return 'the slowest: ' + first`)
	var keys []struct {
		Key  string `json:"key"`
		Root string `json:"root"`
	}
	if err := json.Unmarshal(list, &keys); err != nil {
		t.Fatal(err)
	}
	var search []string
	for _, k := range keys {
		if strings.HasSuffix(k.Root, ".search") {
			search = append(search, k.Key)
		}
	}
	page.Go("#/traces?key=" + search[0])
	page.Wait(`document.querySelector(".trace .strip")`)
	one := waymark(t, ".", "traces", "--format", "json", file, search[0])
	equal(t, page, one, `
		const rows = [...document.querySelectorAll("[aria-label='Calls of the trace'] tbody tr")].map(r => [...r.children].map(c => c.textContent));
		for (const [i, n] of known.nodes.slice(0, rows.length).entries()) {
			const got = [rows[i][0], rows[i][2], rows[i][4]], want = [f.duration(n.total_ns), f.duration(n.self_ns), f.count(n.calls)];
			if (got.join() !== want.join()) return n.name + ': ' + got + ', want ' + want;
		}`)
	critical := waymark(t, ".", "traces", "--critical", "--format", "json", file, search[0])
	equal(t, page, critical, `
		const sum = known.critical.reduce((n, s) => n + s.duration_ns, 0);
		if (sum !== known.duration_ns) return 'the critical path takes ' + sum;
		if (document.querySelectorAll('.strip i').length !== Math.min(2000, known.critical.length)) return 'segments'`)
	page.Screenshots("traces")
	page.Go("#/traces?key=" + search[0] + "&with=" + search[1])
	page.Wait(`document.querySelectorAll(".trace .strip").length === 2`)
	page.Screenshots("compare")
}

func source(t *testing.T, page *browser.Page, report []byte) {
	page.Go("#/source")
	var r struct {
		Functions []struct {
			Name, File string
			Line       int
		}
	}
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Functions {
		if strings.HasSuffix(f.Name, "search.Normalize") {
			page.Go(fmt.Sprintf("#/source?file=%s&line=%d", f.File, f.Line))
		}
	}
	equal(t, page, report, `
		const file = document.querySelector('select').value;
		for (const x of known.functions.filter(x => x.file === file)) {
			const line = document.getElementById('L' + x.line), same = known.functions.filter(y => y.file === file && y.line === x.line);
			if (line.children[0].textContent !== f.count(same.reduce((n, y) => n + y.calls, 0))) return x.name + ': ' + line.children[0].textContent;
			if (!line.querySelector('code').textContent.includes('func')) return x.name + ' is not at ' + line.textContent;
		}`)
	page.Screenshots("source")
}

// pprof's own pages know the functions, too.
func pprof(t *testing.T, page *browser.Page) {
	page.Eval("location.href = new URL('pprof/top', location.href).href, undefined", nil)
	page.Wait(`document.querySelector('#toptable, table') && document.body.innerText.includes('search.Normalize')`)
	page.Screenshots("pprof")
}

// Two recordings are compared: the flame graph and the tree have the numbers of both.
func TestBase(t *testing.T) {
	write := func(name, actions string) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte("<trace-file><trace key=\"1226000000000-0\">"+actions+"</trace></trace-file>"), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	old := write("old.xml", "1226000000000,START,p.Main|1226000000000,START,p.Load|1226000000050,END,p.Load|1226000000050,START,p.Old|1226000000080,END,p.Old|1226000000100,END,p.Main")
	now := write("new.xml", "1226000000000,START,p.Main|1226000000000,START,p.Load|1226000000090,END,p.Load|1226000000090,START,p.Load|1226000000100,END,p.Load|1226000000120,END,p.Main")
	page := browser.Start(t).Open(serve(t, "--base", old, now))
	page.Go("#/flame")
	page.Run(chromedp.Focus(".flame canvas"), chromedp.KeyEvent(kb.Home))
	page.Wait(`document.querySelector(".graph > p").textContent.includes("120.000 ms, before 100.000 ms")`)
	page.Screenshots("base")
	page.Go("#/tree")
	page.Wait(`document.querySelector(".row:nth-child(1)[aria-level='1']")`)
	var rows string
	page.Eval(`[...document.querySelectorAll(".window .row")].map(r => r.children[0].title + " " + [...r.children].slice(-2).map(c => c.textContent)).join("; ")`, &rows)
	if want := "p.Main 100.000 ms,1; p.Load 50.000 ms,1; p.Old 30.000 ms,1"; rows != want {
		t.Errorf("before, the tree has %s, want %s", rows, want)
	}
}

// A recording whose functions have names of HTML shows them as text.
func TestHostileNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hostile.xml")
	name := `&lt;img src=x onerror=&quot;document.title=&#39;owned&#39;&quot;&gt;`
	text := fmt.Sprintf(`<trace-file><trace key="1226000000000-0">1226000000000,START,%[1]s|1226000000010,END,%[1]s</trace></trace-file>`, name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	page := browser.Start(t).Open(serve(t, file))
	for _, address := range []string{"#/overview", "#/flame", "#/tree", "#/timeline", "#/traces", "#/source"} {
		page.Go(address)
		var owned bool
		page.Eval(`document.title.includes("owned") || document.querySelector("img") !== null`, &owned)
		if owned {
			t.Errorf("%s: the name of a function became HTML", address)
		}
	}
	page.Go("#/overview")
	page.Wait(`document.querySelector("td a").textContent.includes("<img src=x")`)
}
