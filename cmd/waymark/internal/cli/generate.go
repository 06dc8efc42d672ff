package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/generate"
)

func (a *app) generateCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "generate [flags] INTERFACE...", Short: "write implementations of interfaces whose methods are probes, for go:generate",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("generate: want the name of an interface of the package in this folder: waymark %s", cmd.Use)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			source, err := generate.File(dir, args)
			if err != nil {
				return err
			}
			if out == "-" {
				_, err := a.stdout.Write(source)
				return err
			}
			if out == "" {
				out = strings.ToLower(args[0]) + "_probes.go"
			}
			return os.WriteFile(filepath.Join(dir, filepath.Base(out)), source, 0o666)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` in this folder; - is stdout (default: the first interface's name, in lower case, and _probes.go)")
	config.Mark(cmd.Flags(), config.IsOutput, "output")
	cmd.Long = `Generate writes a Go file for interfaces that embed probe.Interface: a type whose methods fire
probes, and a function New... that registers a provider of it:

	//go:generate waymark generate Trace
	type Trace interface {
		probe.Interface
		Start()
		Finish(result int)
	}`
	return cmd
}
