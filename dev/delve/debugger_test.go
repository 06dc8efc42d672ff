package delve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A variable is what Delve's protocol tells of a variable, or of a part of one: service/api.Variable.
type variable struct {
	Name       string
	Addr       uint64
	OnlyAddr   bool
	Type       string
	Flags      uint16
	Kind       reflect.Kind
	Value      string
	Bytes      []byte `json:"StringValueBytes"` // of a string that is no UTF-8
	Len, Cap   int
	Children   []variable
	Base       uint64
	Unreadable string
}

// shadowed is the flag of a variable that another one of the same name hides.
const shadowed = 1 << 1

// A stop is what Delve shows where a breakpoint was hit.
type stop struct {
	line      int
	variables []variable
}

// most is how many stops at each line are compared.
const most = 3

// debug runs a program in Delve and stops at all lines of a file that have code.
func debug(t *testing.T, ctx context.Context, program, file string, lines int) []stop {
	t.Helper()
	cmd := exec.CommandContext(ctx, *delve, "exec", program, "--headless", "--api-version=2", "--listen=127.0.0.1:0",
		"--check-go-version=false", "-r", "stdin:"+os.DevNull, "-r", "stdout:"+os.DevNull, "-r", "stderr:"+os.DevNull)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	_, address, _ := strings.Cut(strings.TrimSpace(first), "listening at: ")
	client, err := jsonrpc.Dial("tcp", address)
	if err != nil {
		t.Fatalf("%s: %v", first, err)
	}
	defer client.Close()
	load := map[string]any{"FollowPointers": true, "MaxVariableRecurse": depth, "MaxStringLen": 1 << 16, "MaxArrayValues": 1 << 12, "MaxStructFields": -1}
	for line := 1; line <= lines; line++ {
		point := map[string]any{"file": file, "line": line, "LoadArgs": load, "LoadLocals": load}
		err := client.Call("RPCServer.CreateBreakpoint", map[string]any{"Breakpoint": point}, nil)
		if errors.As(err, new(rpc.ServerError)) {
			continue // the line has no code
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var list []stop
	hits := make(map[int]int)
	for {
		var answer struct {
			State struct {
				Exited  bool
				Threads []struct {
					Breakpoint     *struct{ ID, Line int }
					BreakpointInfo *struct{ Arguments, Locals []variable }
				}
			}
		}
		if err := client.Call("RPCServer.Command", map[string]any{"name": "continue"}, &answer); err != nil {
			if ctx.Err() != nil || !errors.As(err, new(rpc.ServerError)) {
				t.Fatal(err)
			}
			return list // the program has died
		}
		if answer.State.Exited {
			return list
		}
		for _, thread := range answer.State.Threads {
			at, info := thread.Breakpoint, thread.BreakpointInfo
			if at == nil || info == nil {
				continue
			}
			if at.ID < 0 { // of a panic that nothing recovers, or a fatal error
				return list
			}
			list = append(list, stop{at.Line, append(info.Arguments, info.Locals...)})
			if hits[at.Line]++; hits[at.Line] == most {
				if err := client.Call("RPCServer.ClearBreakpoint", map[string]any{"Id": at.ID}, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func (v *variable) String() string {
	text := fmt.Sprintf("%s %s %q", v.Name, v.Type, v.Value)
	if v.Unreadable != "" {
		text += " unreadable: " + v.Unreadable
	}
	for i := range v.Children {
		text += " [" + v.Children[i].String() + "]"
		if len(text) > 600 {
			return text[:600] + "…"
		}
	}
	return text
}

// lost reports whether Delve can't read a part of the variable.
func (v *variable) lost() bool {
	return v.Unreadable != "" || slices.ContainsFunc(v.Children, func(c variable) bool { return c.lost() })
}
