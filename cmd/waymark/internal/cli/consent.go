package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/host"
)

// defineYes defines the flag by which another user's program is patched without a question.
func (a *app) defineYes(set *pflag.FlagSet) {
	set.BoolVar(&a.yes, "yes", false, "patch another user's running program without asking")
}

// A consent is what the user has said about the programs of other users.
type consent struct {
	given  map[string]bool // process id and program: the user has agreed
	silent bool            // nobody can be asked: a dashboard has the terminal, or a page asks
}

// askBeforePatching has the user asked before another user's program is patched that doesn't listen.
func (a *app) askBeforePatching() {
	host.Allow = func(pid int, program string) error {
		if a.yes || live.Own(pid) {
			return nil
		}
		ask := a.ask
		if in, ok := a.stdin.(*os.File); !ok || !isTerminal(in) {
			ask = nil
		}
		return a.consent.allow(pid, program, ask)
	}
}

// ask asks a question on the terminal, and reports whether the answer is yes.
func (a *app) ask(question string) bool {
	fmt.Fprint(a.stderr, question)
	answer, _ := bufio.NewReader(a.stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// allow asks once whether a program may be patched. The error says why not. ask is nil if there is no terminal.
func (c *consent) allow(pid int, program string, ask func(question string) bool) error {
	key := fmt.Sprint(pid, program)
	switch {
	case c.given[key]:
		return nil
	case c.silent || ask == nil:
		return fmt.Errorf("process %d, %s, is another user's, and its code would be changed while it runs: begin the command with --yes to say that it may be", pid, program)
	case !ask(fmt.Sprintf("waymark: process %d, %s, is another user's. To look into it changes its code while it runs, and changes it back at the end. Go on? [y/N] ", pid, program)):
		return fmt.Errorf("process %d is left as it is", pid)
	}
	if c.given == nil {
		c.given = make(map[string]bool)
	}
	c.given[key] = true
	return nil
}
