package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
)

const configFile = "waymark.toml"

func defineConfig(set *pflag.FlagSet) {
	set.String("config", "", "read flags from `FILE`, off for none; default: "+configFile+" in the main module's folder")
}

// configurable lets an offline command take flags from a file.
func (a *app) configurable(cmd *cobra.Command) *cobra.Command {
	defineConfig(cmd.Flags())
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.configure(cmd, ""); err != nil {
			return err
		}
		return located(cmd.Flags(), run(cmd, args))
	}
	return cmd
}

// configure sets flags that the command line leaves open, from the file that --config names or from
// the file in the main module's folder. dir is where the go command runs.
func (a *app) configure(cmd *cobra.Command, dir string) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	path := cmd.Flags().Lookup("config").Value.String()
	switch path {
	case "off":
		return nil
	case "":
		if path = defaultConfig(dir); path == "" {
			return nil
		}
	default:
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
	}
	commands := make(map[string]*pflag.FlagSet)
	for _, c := range cmd.Root().Commands() {
		if c.Flags().Lookup("config") != nil {
			commands[c.Name()] = c.Flags()
		}
	}
	err = config.Apply(path, cmd.Flags().Changed("config"), dir, cmd.Name(), commands)
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("--config=%s: no such file; --config=off takes none", path)
	} else if err != nil {
		return usageError{err}
	}
	a.configPath = path
	return nil
}

// defaultConfig returns the file in the folder of the main module or the workspace
// that dir is in, "" if there is none.
func defaultConfig(dir string) string {
	for {
		for _, name := range []string{"go.mod", "go.work"} {
			if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && fi.Mode().IsRegular() {
				path := filepath.Join(dir, configFile)
				if fi, err := os.Lstat(path); err != nil || !fi.Mode().IsRegular() {
					return "" // errors about other files would show what these hold
				}
				return path
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// located adds the place in a file to errors about values of flags.
func located(set *pflag.FlagSet, err error) error {
	var usage usageError
	if !errors.As(err, &usage) {
		return err
	}
	list := []error{usage.error}
	if joined, ok := usage.error.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for i, e := range list {
		list[i] = config.Locate(set, e)
	}
	return usageError{errors.Join(list...)}
}

// describeConfig says which file flags come from, as --verbose asks.
func (a *app) describeConfig() {
	if a.configPath != "" {
		a.note(fmt.Sprintf("flags from %s", a.configPath))
	}
}
