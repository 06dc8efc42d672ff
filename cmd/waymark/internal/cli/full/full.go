// Package full is the command with all its parts.
package full

import (
	"context"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/mcp"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/parquet"
)

// Run does what this process's command line says, as cli.Run does.
func Run() int { return cli.Run(&cli.Parts{Parquet: export.Stream(parquet.Write), MCP: serve}) }

func serve(ctx context.Context, t cli.Tools, in io.Reader, out io.Writer) error {
	s := mcp.Server(t)
	return s.Serve(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
}

// An unclosed is a writer that the protocol doesn't close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
