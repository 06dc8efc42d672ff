package mcp

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A fake is a command that prints some text.
type fake struct {
	stdout, stderr string
	status         int
	dir            string // of the last run
	args           []string
}

func (f *fake) run(_ context.Context, dir string, args []string, stdout, stderr io.Writer) (int, error) {
	f.dir, f.args = dir, args
	io.WriteString(stderr, f.stderr)
	_, err := io.WriteString(stdout, f.stdout)
	return f.status, err
}

// connect serves with s, and returns a client's session.
func connect(t *testing.T, s *Server) *sdk.ClientSession {
	t.Helper()
	client, server := sdk.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), server) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

// call calls a tool, and returns the texts of its result.
func call(t *testing.T, s *sdk.ClientSession, tool, arguments string) (texts []string, failed bool) {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	for _, c := range r.Content {
		texts = append(texts, c.(*sdk.TextContent).Text)
	}
	return texts, r.IsError
}

func TestCommandLines(t *testing.T) {
	f := new(fake)
	s := connect(t, &Server{Run: f.run, Changes: true, Addresses: []string{"https://there/given"}})
	for _, c := range []struct{ tool, arguments, want string }{
		{"ps", `{}`, "ps --format json"},
		{"status", `{"process": 4711}`, "status --format json -- 4711"},
		{"status", `{"process": "https://there/given"}`, "status --format json -- https://there/given"},
		{"top", `{"process":"app"}`, "top --limit=1 --top=0 --format json --every=2s --sort=total -- app"},
		{"watch", `{"process":"app","functions":["a.F","@IO"],"if":"args[0] > 1","on":["panic"],"n":3}`,
			"watch --format json --if=args[0] > 1 --on=panic --limit=3 --for=10s -- app a.F @IO"},
		{"trace", `{"process":"app","functions":"a.F","on":["panic"]}`, "trace --format text --on=panic --limit=1 --for=10s -- app a.F"},
		{"reached", `{"process":"app","method":"Gateway.Charge","caller":"Place"}`,
			`watch --caller --format json --limit=100 --for=10s -- app /\.[^./]+\.Charge$/`},
		{"report", `{"files":["a.wmt"],"sort":"self","min":"1ms"}`, "report --config=off --format json --sort=self --min=1ms -- a.wmt"},
		{"traces", `{"files":["a.wmt"]}`, "traces --config=off --format json --top=20 -- a.wmt"},
		{"traces", `{"files":["a.wmt"],"key":"1-2"}`, "traces --config=off --format text --top=20 -- a.wmt 1-2"},
		{"test", `{"run":"TestX","race":true}`, "test --trace -run=TestX -race=true --lines=80 -- ."},
		{"build", `{"output":"app","packages":["./cmd/app"]}`, "build --args --results -o=app -- ./cmd/app"},
	} {
		if texts, failed := call(t, s, c.tool, c.arguments); failed || strings.Join(f.args, " ") != c.want {
			t.Errorf("%s %s runs %q, want %s; it says %q", c.tool, c.arguments, f.args, c.want, texts)
		}
	}
	call(t, s, "tree", `{"files":["a.wmt"],"dir":"/tmp"}`)
	if f.dir != "/tmp" {
		t.Errorf("the command ran in %q, want /tmp", f.dir)
	}
}

// Mistakes are results that say what to do, and no command runs.
func TestMistakes(t *testing.T) {
	f := new(fake)
	s := connect(t, &Server{Run: f.run, Addresses: []string{"https://there/given"}})
	for _, c := range []struct{ tool, arguments, want string }{
		{"watch", `{"proces":1,"functions":["f"]}`, "watch: want the argument process: id of the process"},
		{"watch", `{"process":1,"functions":["f"],"iff":"x"}`, "watch has no argument iff; is it if?; it has process, functions, if"},
		{"watch", `{"process":1,"functions":["f"],"n":1000}`, "watch: n: 1000: want 1 to 100"},
		{"watch", `{"process":1,"functions":["f"],"for":"1h"}`, "watch: for: 1h0m0s: want more than 0, and 10m0s at most"},
		{"watch", `{"process":1,"functions":["f"],"for":"soon"}`, `watch: for: "soon": want a duration`},
		{"watch", `{"process":"--dir","functions":["f"]}`, "doesn't begin with a dash"},
		{"watch", `{"process":1,"functions":[]}`, "watch: functions: []: want a list"},
		{"watch", `{"process":1,"functions":["f"],"caller":"F"}`, `watch: caller: "F": want a true or false`},
		{"reached", `{"process":1,"method":"(*T)"}`, "want the name of a method"},
		{"status", `{"process":"http://127.0.0.1:1/x"}`, "waymark mcp --address ADDRESS"},
		{"top", `{"process":"https://there/given/and/more"}`, "waymark mcp --address ADDRESS"},
		{"watch", `{"process":"HTTP://127.0.0.1:1","functions":["f"]}`, "waymark mcp --address ADDRESS"},
		{"reached", `{"process":["https://there/given", "x"],"method":"M"}`, "want"},
		{"test", `{}`, "waymark mcp --allow-changes"},
		{"build", `{"output":"x"}`, "waymark mcp --allow-changes"},
	} {
		texts, failed := call(t, s, c.tool, c.arguments)
		if !failed || !strings.Contains(strings.Join(texts, "\n"), c.want) {
			t.Errorf("%s %s: %q, want an error with %s", c.tool, c.arguments, texts, c.want)
		}
	}
	if f.args != nil {
		t.Errorf("the command ran with %q", f.args)
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments string
		fake                  fake
		want                  []string
		failed                bool
	}{
		{"head and rows", "report", `{"files":["f"],"rows":2}`, fake{stdout: `{"events": 3, "functions": [{"name": "a"}, {"name": "b"}]}`},
			[]string{"{\"events\":3}\n{\"name\":\"a\"}", "2 of 3 rows; raise rows or bytes, or choose by include, exclude, min"}, false},
		{"array", "traces", `{"files":["f"]}`, fake{stdout: "[\n {\"key\": \"1\"},\n {\"key\": \"2\"}\n]\n", stderr: "waymark: a note\n"},
			[]string{"{\"key\":\"1\"}\n{\"key\":\"2\"}", "waymark: a note"}, false},
		{"bytes", "ps", `{"bytes":20}`, fake{stdout: "{\"pid\":1}\n{\"pid\":2}\n{\"pid\":3}\n"},
			[]string{"{\"pid\":1}\n{\"pid\":2}", "2 of 3 rows; raise rows or bytes"}, false},
		{"long row", "ps", `{"bytes":10}`, fake{stdout: `{"p":"aaéa"}`}, []string{`{"p":"aaé`, "the first 10 bytes of the first of 1 rows; raise rows or bytes"}, false},
		{"cut in a rune", "ps", `{"bytes":9}`, fake{stdout: `{"p":"aaéa"}`}, []string{`{"p":"aa`, "the first 8 bytes of the first of 1 rows; raise rows or bytes"}, false},
		{"no process", "status", `{"process":1}`, fake{stderr: "waymark: there is no process 1\n", status: 1},
			[]string{"waymark: there is no process 1\nexit status 1\n" + hintLive}, true},
		{"damage", "report", `{"files":["f"]}`, fake{stdout: `{"functions":[{"name":"a"}]}`, stderr: "waymark: f: damaged\n", status: 1},
			[]string{"{}\n{\"name\":\"a\"}", "waymark: f: damaged\nexit status 1"}, true},
		{"no calls", "watch", `{"process":1,"functions":["f"]}`, fake{}, []string{noCalls}, false},
		{"too much", "ps", `{}`, fake{stdout: strings.Repeat("x", mostHeld+1)}, []string{"the answer has more than 32 MiB: choose less by "}, true},
		{"no JSON", "ps", `{}`, fake{stdout: "{"}, []string{"the command's output is no JSON: unexpected EOF"}, true},
	} {
		s := connect(t, &Server{Run: c.fake.run, Changes: true})
		if texts, failed := call(t, s, c.tool, c.arguments); !slices.Equal(texts, c.want) || failed != c.failed {
			t.Errorf("%s: %q, failed %v, want %q, %v", c.name, texts, failed, c.want, c.failed)
		}
	}
}

// A failed test is an answer, with what stdout and stderr have.
func TestFailedTest(t *testing.T) {
	f := fake{stdout: "--- FAIL\n", stderr: "TestX\n  main.f(1)\n", status: 1}
	s := connect(t, &Server{Run: f.run, Changes: true})
	texts, failed := call(t, s, "test", `{}`)
	if want := []string{"TestX\n  main.f(1)\n--- FAIL", "exit status 1"}; failed || !slices.Equal(texts, want) {
		t.Errorf("%q, failed %v, want %q", texts, failed, want)
	}
}

func TestReached(t *testing.T) {
	calls := []string{
		`{"function":"example.com/m.v2/pay.(*Card).Charge","end":"return","args":"1","results":"nil","duration_ns":5,"caller":{"function":"m.Place","file":"p.go","line":3}}`,
		`{"function":"example.com/m.v2/pay.(*Card).Charge","end":"return","args":"2","caller":{"function":"m.Place","file":"p.go","line":3}}`,
		`{"function":"main.Bill.Charge","end":"panic","panic":"\"no\"","caller":{"function":"m.Place","file":"p.go","line":9}}`,
		`{"function":"main.Bill.Charge","end":"return","caller":{"function":"m.Other","file":"p.go","line":9}}`,
		`{"function":"example.com/v%2e2.Charge","end":"return","caller":{"function":"m.Place","file":"p.go","line":9}}`,
	}
	f := fake{stdout: strings.Join(calls, "\n")}
	s := connect(t, &Server{Run: f.run})
	texts, _ := call(t, s, "reached", `{"process":1,"method":"Charge","caller":"Place"}`)
	want := `{"type":"*example.com/m.v2/pay.Card","function":"example.com/m.v2/pay.(*Card).Charge","calls":2,"callers":[` +
		`{"function":"m.Place","file":"p.go","line":3,"calls":2,"examples":[{"args":"1","results":"nil","duration_ns":5},{"args":"2","duration_ns":0}]}]}` + "\n" +
		`{"type":"main.Bill","function":"main.Bill.Charge","calls":1,"callers":[{"function":"m.Place","file":"p.go","line":9,"calls":1,"examples":[{"panic":"\"no\"","duration_ns":0}]}]}`
	if strings.Join(texts, "\n") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(texts, "\n"), want)
	}
}

// The end of a call, of the server, or of the client ends commands; the server waits for them.
func TestCancel(t *testing.T) {
	begun, ended := make(chan bool), make(chan bool, 1)
	block := func(ctx context.Context, _ string, _ []string, _, _ io.Writer) (int, error) {
		begun <- true
		<-ctx.Done()
		ended <- true
		return 0, ctx.Err()
	}
	for _, end := range []string{"call", "server", "client"} {
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		client, server := &sdk.IOTransport{Reader: toClient, Writer: fromClient}, &sdk.IOTransport{Reader: toServer, Writer: fromServer}
		served := make(chan error, 1)
		serving, stop := context.WithCancel(context.Background())
		go func() { served <- (&Server{Run: block}).Serve(serving, server) }()
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(), client, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		go session.CallTool(ctx, &sdk.CallToolParams{Name: "ps", Arguments: map[string]any{}})
		<-begun
		switch end {
		case "call":
			cancel()
		case "server":
			stop()
		case "client":
			fromClient.Close()
		}
		select {
		case <-ended:
		case <-time.After(2 * time.Minute):
			t.Fatalf("the command outlives the %s", end)
		}
		stop()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		cancel()
		session.Close()
	}
}
