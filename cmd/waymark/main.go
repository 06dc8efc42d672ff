// Waymark traces the functions of Go programs. See `waymark help`.
package main

import (
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cover"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/notes"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/vet"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/vetted"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli"
)

func main() {
	switch {
	case vet.IsCall(os.Args[1:]):
		vet.Main()
	case cover.IsCall(os.Args[1:]):
		os.Exit(cover.Main(os.Args[1:]))
	case vetted.IsCall(os.Args[1:]):
		os.Exit(vetted.Main(os.Args[1:]))
	case notes.IsCall(os.Args[1:]):
		os.Exit(notes.Main(os.Args[1:]))
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
