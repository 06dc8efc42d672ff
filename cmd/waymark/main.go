// Waymark traces the functions of Go programs. See `waymark help`.
package main

import (
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli"
)

func main() { os.Exit(cli.Run(nil)) }
