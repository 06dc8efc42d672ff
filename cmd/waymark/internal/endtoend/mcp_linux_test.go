package endtoend

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// planted is the shop's way to charge cards, with a mistake: the gateway wants hundredths, too.
const planted = `package main

import (
	"context"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/orders"
)

type wholeUnits struct{ orders.StubGateway }

func (g wholeUnits) Charge(ctx context.Context, card, reference string, amount catalog.Money) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	units := amount / 100
	return g.StubGateway.Charge(ctx, card, reference, units)
}
`

// An mcpClient is a session with the command, as an agent has it.
type mcpClient struct {
	*testing.T
	*mcp.ClientSession
}

// ask calls a tool, and returns all that its result says.
func (a *mcpClient) ask(tool string, arguments map[string]any) (text string, failed bool) {
	a.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	r, err := a.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.Fatalf("%s %v: %v", tool, arguments, err)
	}
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text + "\n"
	}
	return text, r.IsError
}

// wants calls a tool whose result must match a regular expression.
func (a *mcpClient) wants(fails bool, want, tool string, arguments map[string]any) string {
	a.Helper()
	text, failed := a.ask(tool, arguments)
	if failed != fails || !regexp.MustCompile(want).MatchString(text) {
		a.Errorf("%s %v: failed %v, want %v, and text that matches %s\n%s", tool, arguments, failed, fails, want, text)
	}
	return text
}

// TestMCP drives a session as an agent does: the shop's receipts are wrong, and which code is to blame
// is found in the running program.
func TestMCP(t *testing.T) {
	if !*long {
		t.Skip("-long is not given: make test-long")
	}
	dir := t.TempDir()
	shop := filepath.Join(dir, "shop")
	if err := os.CopyFS(shop, os.DirFS(repository.Path(t, "examples/shop"))); err != nil {
		t.Fatal(err)
	}
	app := filepath.Join(shop, "app.go")
	source, err := os.ReadFile(app)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(source), "orders.StubGateway{}", "wholeUnits{}", 1)
	if changed == string(source) {
		t.Fatal("the shop has no orders.StubGateway{} in app.go")
	}
	for name, text := range map[string]string{app: changed, filepath.Join(shop, "gateway.go"): planted} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := filepath.Join(dir, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOWORK=off", "XDG_RUNTIME_DIR="+run)

	server := exec.Command(tool(t), "mcp", "--allow-changes")
	server.Env, server.Stderr = env, os.Stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(context.Background(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	a := &mcpClient{t, session}
	list, err := session.ListTools(context.Background(), nil)
	if err != nil || len(list.Tools) != 13 {
		t.Fatalf("%d tools, error %v, want 13", len(list.Tools), err)
	}

	program := filepath.Join(dir, "theshop")
	if text, failed := a.ask("ps", nil); failed || strings.Contains(text, "/theshop") { // others may listen
		t.Errorf("ps before the start: failed %v\n%s", failed, text)
	}
	a.wants(false, "built", "build", map[string]any{"dir": shop, "output": program})
	url := serve(t, program, env)
	pid := regexp.MustCompile(`"pid":(\d+),"program":"[^"]*/theshop"`).FindStringSubmatch(a.wants(false, `"pid":\d+,"program":"[^"]*/theshop"`, "ps", nil))[1]
	a.wants(false, `"on":\[\]`, "status", map[string]any{"process": "theshop"})

	stop := orders(t, url)
	defer stop()
	a.wants(false, `"function":"github.com/waymark-go/waymark/examples/shop/internal/orders.\(\*Service\).Place","calls":[1-9]`,
		"top", map[string]any{"process": "theshop", "functions": []string{"orders.Service.*"}, "for": "300ms"})
	// The service is right: the receipt that it got is not for the total.
	a.wants(false, `"results":"\{ID.*receipt for 0\.`, "watch", map[string]any{"process": "theshop", "functions": []string{"orders.Service.Place"}, "n": 1})
	a.wants(false, `wholeUnits.Charge`, "trace", map[string]any{"process": "theshop", "functions": []string{"orders.Service.Place"}})
	a.wants(false, `"callers":\[\{"function":"main.wholeUnits.Charge"`, "stack", map[string]any{"process": "theshop", "functions": []string{"orders.StubGateway.Charge"}, "n": 2})
	a.wants(false, `StubGateway.Charge","calls":[1-9]`, "monitor", map[string]any{"process": "theshop", "functions": []string{"orders.StubGateway.Charge"}, "every": "200ms", "for": "300ms"})

	// Who charges what?
	text := a.wants(false, `"type":"main.wholeUnits"`, "reached", map[string]any{"process": "theshop", "method": "Gateway.Charge", "n": 4})
	amounts := make(map[string]int)
	for line := range strings.Lines(text) {
		var row struct {
			Type    string
			Callers []struct {
				Function string
				Examples []struct{ Args string }
			}
		}
		if json.Unmarshal([]byte(line), &row) != nil {
			continue // a note
		}
		for _, c := range row.Callers {
			for _, e := range c.Examples {
				var amount int
				fmt.Sscan(e.Args[strings.LastIndexByte(e.Args, ' ')+1:], &amount)
				amounts[row.Type+" by "+c.Function] = amount
			}
		}
	}
	const module = "github.com/waymark-go/waymark/examples/shop/internal/orders."
	whole, stub := amounts["main.wholeUnits by "+module+"(*Service).Place"], amounts[module+"StubGateway by main.wholeUnits.Charge"]
	if whole < 100 || stub != whole/100 {
		t.Errorf("wholeUnits got %d and gave %d, want a hundredth of the amount to be found\n%s", whole, stub, text)
	}
	a.wants(false, `"on":\[\]`, "status", map[string]any{"process": "theshop"})

	recording := filepath.Join(dir, "shop.wmt")
	record := exec.Command(tool(t), "record", pid, "-o", recording, "--for", "300ms")
	record.Env = env
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a.wants(false, `(?s)^\{"complete":true,.*wholeUnits.Charge","package".*2 of 3 rows; raise rows`, "report",
		map[string]any{"files": []string{"shop.wmt"}, "dir": dir, "include": []string{"main.wholeUnits.*", "orders.StubGateway.*"}, "rows": 2})
	a.wants(false, `"depth":1,"name":".*StubGateway.Charge"`, "tree", map[string]any{"files": []string{recording}, "root": "main.wholeUnits.Charge"})
	key := regexp.MustCompile(`"key":"([^"]+)"`).FindStringSubmatch(a.wants(false, `"root":`, "traces", map[string]any{"files": []string{recording}}))
	a.wants(false, `ServeHTTP|Place|Ship`, "traces", map[string]any{"files": []string{recording}, "key": key[1]})

	a.mistakes(dir, recording)
	a.wants(false, `ok .*internal/cache`, "test", map[string]any{"dir": shop, "packages": []string{"./internal/cache"}})
	a.wants(false, `(?s)FAIL.*exit status 1`, "test", map[string]any{"dir": shop, "packages": []string{"./none"}})
}

// mistakes calls tools with bad input.
func (a *mcpClient) mistakes(dir, recording string) {
	a.wants(true, `there is no process 4194305\n(?s).*ps lists the programs`, "status", map[string]any{"process": 4194305})
	a.wants(true, `no program app listens in .*: there (is|are) .*\d+ theshop`, "top", map[string]any{"process": "app"})
	a.wants(true, `names no function that was instrumented; is it`, "watch", map[string]any{"process": "theshop", "functions": []string{"orders.Service.Plac"}})
	a.wants(true, `argz is not known`, "watch", map[string]any{"process": "theshop", "functions": []string{"orders.Service.Place"}, "if": "argz"})
	a.wants(true, `report has no argument file; is it files\?|want the argument files`, "report", map[string]any{"file": recording})
	a.wants(true, `none.wmt: no such file`, "report", map[string]any{"files": []string{"none.wmt"}})

	whole, err := os.ReadFile(recording)
	if err != nil {
		a.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged.wmt")
	whole[len(whole)/2] ^= 0xff
	for i := 0; i < 100; i++ {
		whole[len(whole)/2+i] = 0xa5
	}
	if err := os.WriteFile(damaged, whole, 0o666); err != nil {
		a.Fatal(err)
	}
	a.wants(true, `(?s)"name":.*damaged.*exit status 1`, "report", map[string]any{"files": []string{damaged}})
	if err := os.WriteFile(damaged, []byte("no recording"), 0o666); err != nil {
		a.Fatal(err)
	}
	a.wants(true, `(?s)damaged.wmt: .*want recordings of waymark record`, "tree", map[string]any{"files": []string{damaged}})
}

// serve starts the shop, and returns its address.
func serve(t *testing.T, program string, env []string) (url string) {
	t.Helper()
	cmd := exec.Command(program, "-serve", "-requests", "0")
	cmd.Env, cmd.Stderr = append(env, "WAYMARK=socket"), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	words := strings.Fields(line)
	if err != nil || len(words) < 3 {
		t.Fatalf("the shop says %q, %v", line, err)
	}
	return words[2]
}

// orders places orders, one after the other, until stop is called.
func orders(t *testing.T, url string) (stop func()) {
	quit, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			const body = `{"lines":[{"sku":"BO-0001","quantity":1}],"region":"UK","card":"4242424242424242"}`
			r, err := http.NewRequest("PUT", fmt.Sprintf("%s/orders/o%d", url, i), strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			reply, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			reply.Body.Close()
			select {
			case <-quit:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() { close(quit); <-done }
}
