package cli

import (
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cover"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/notes"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/vet"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/vetted"
)

// Run does what this process's command line says, and returns the exit status. The line is a user's,
// or the go command's, which calls this program in place of its tools. parts is nil in a command that lacks them.
func Run(parts *Parts) int {
	args := os.Args[1:]
	switch {
	case vet.IsCall(args):
		vet.Main() // doesn't return
	case cover.IsCall(args):
		return cover.Main(args)
	case vetted.IsCall(args):
		return vetted.Main(args)
	case notes.IsCall(args):
		return notes.Main(args)
	}
	return Main(args, parts, os.Stdin, os.Stdout, os.Stderr)
}
