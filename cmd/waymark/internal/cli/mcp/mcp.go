// Package mcp offers the commands as tools to coding agents and other programs, by the Model
// Context Protocol. Each call of a tool runs a command, and its answer is bounded.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Server offers the tools.
type Server struct {
	Version string // of the command
	Changes bool   // tools may write files and run the user's code

	// Addresses are those of programs that are reached over HTTP: tools send the user's token to no others.
	Addresses []string

	// Run runs the command with args in a folder; "" is the server's own. It returns the exit status.
	// When ctx is done the command ends, and undoes what it has switched on.
	Run func(ctx context.Context, dir string, args []string, stdout, stderr io.Writer) (status int, err error)
}

// instructions are for the agent.
const instructions = `Waymark traces functions of Go programs. Programs that run: ps lists those that listen; top finds
where the time goes; watch shows calls with arguments and results; trace shows what one call did; reached tells
which types an interface's method was called on. Recordings: report, tree, traces. A program that
"waymark build --args --results" has made listens by itself.
Answers are small first, and say how to get more. Notes name the command's flags: arguments have the same
names without dashes.`

// Serve answers the requests that come over t until the client or ctx ends.
func (s *Server) Serve(ctx context.Context, t sdk.Transport) error {
	server := sdk.NewServer(&sdk.Implementation{Name: "waymark", Version: s.Version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}})
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup // they undo what they have switched on
	defer running.Wait()
	defer cancel()
	for _, tool := range tools {
		closed := false
		server.AddTool(&sdk.Tool{
			Name: tool.name, Description: tool.about, InputSchema: tool.schema(),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !tool.changes, OpenWorldHint: &closed},
		}, func(of context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			running.Add(1)
			defer running.Done()
			of, end := context.WithCancel(of)
			defer end()
			defer context.AfterFunc(ctx, end)()
			return s.call(of, tool, r.Params.Arguments), nil
		})
	}
	if err := server.Run(ctx, t); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// call runs a tool. Errors are results too: the agent reads them, and does better.
func (s *Server) call(ctx context.Context, t *tool, arguments json.RawMessage) *sdk.CallToolResult {
	if t.changes && !s.Changes {
		return failed(fmt.Errorf("%s writes files and runs code of the user's: this server must not. "+
			"Ask the user to start it as waymark mcp --allow-changes, or to run waymark %[1]s", t.name))
	}
	given, err := t.parse(arguments)
	if err != nil {
		return failed(err)
	}
	if p := given.text("process"); strings.Contains(p, "/") && !slices.Contains(s.Addresses, p) {
		return failed(fmt.Errorf("%s: process: want an id or a program's name. Only the user says which addresses are asked: waymark mcp --address ADDRESS", t.name))
	}
	stdout := &held{most: mostHeld}
	stderr := &held{most: mostHeld}
	if t.mixed {
		stderr = stdout
	}
	status, err := s.Run(ctx, given.dir, given.commandLine(), stdout, stderr)
	switch {
	case ctx.Err() != nil:
		return failed(errors.New("the call was cancelled: what it had switched on is off again"))
	case stdout.over:
		return failed(fmt.Errorf("the answer has more than %d MiB: choose less by %s", mostHeld>>20, strings.Join(t.narrower(), ", ")))
	case err != nil:
		return failed(err)
	}
	rows, err := t.rows(given, stdout.b)
	if err != nil {
		return failed(err)
	}
	text, more := clip(rows, given.most)
	notes := strings.TrimSpace(stderrOf(t, stderr))
	if more != "" {
		notes = join(notes, more+"; "+t.wider())
	}
	result := &sdk.CallToolResult{IsError: status != 0 && !t.mayFail}
	if text != "" {
		result.Content = append(result.Content, &sdk.TextContent{Text: text})
	}
	if status != 0 {
		notes = join(notes, fmt.Sprintf("exit status %d", status))
		if t.hint != "" && text == "" {
			notes = join(notes, t.hint)
		}
	}
	if text == "" && status == 0 {
		notes = join(notes, t.nothing)
	}
	if notes != "" {
		result.Content = append(result.Content, &sdk.TextContent{Text: notes})
	}
	return result
}

// stderrOf returns what a command said beside its answer.
func stderrOf(t *tool, stderr *held) string {
	if t.mixed {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(stderr.b)), "\n")
	text, more := clip(lines, bounds{rows: 40, bytes: 4 << 10})
	return join(text, more)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

func failed(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}
}
