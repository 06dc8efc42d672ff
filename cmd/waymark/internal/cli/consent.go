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
	set.BoolVar(&a.yes, "yes", false, "change the code of another user's program while it runs, without a question")
}

// askBeforePatching has the user asked before another user's program is patched that doesn't listen.
func (a *app) askBeforePatching() {
	host.Allow = func(pid int, program string) error {
		if a.yes || live.Own(pid) {
			return nil
		}
		in, ok := a.stdin.(*os.File)
		if !ok || !isTerminal(in) {
			return fmt.Errorf("process %d, %s, is another user's, and its code would be changed while it runs: --yes says that it may be", pid, program)
		}
		fmt.Fprintf(a.stderr, "waymark: process %d, %s, is another user's. To look into it changes its code while it runs, and changes it back at the end. Go on? [y/N] ", pid, program)
		answer, _ := bufio.NewReader(in).ReadString('\n')
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			return fmt.Errorf("process %d is left as it is", pid)
		}
		return nil
	}
}
