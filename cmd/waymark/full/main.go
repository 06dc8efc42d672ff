// Full is waymark with what few need and all would wait for while they install it: the export to
// Parquet and the server of the Model Context Protocol. Waymark builds it when it is asked for one of
// these, and has it do that.
package main

import (
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/full"
)

func main() { os.Exit(full.Run()) }
