package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export"
)

// Parts are what the program full has and the one that is installed has not.
type Parts struct {
	Parquet export.Write

	// MCP answers requests for tools that come in until the client or ctx ends.
	MCP func(ctx context.Context, t Tools, in io.Reader, out io.Writer) error
}

// Tools are commands that a coding agent may run: a mcp.Server is made of them.
type Tools struct {
	Version   string
	Changes   bool
	Addresses []string
	Run       func(ctx context.Context, dir string, args []string, stdout, stderr io.Writer) (status int, err error)
}

// fullPath is the program that has all parts.
const fullPath = gocmd.Library + "/cmd/waymark/full"

// inFull has the program full do what this command line says. It builds that first if it isn't in the cache.
func (a *app) inFull(what string) error {
	program, err := a.full(what)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, a.args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inherit(a.stdin), a.stdout, a.stderr
	return programStatus(awaitProgram(cmd, cmd.Start))
}

// full returns the path of the program full of this version.
func (a *app) full(what string) (string, error) {
	id, err := build.Identity()
	if err != nil {
		return "", err
	}
	c, err := cache.Open()
	if err != nil {
		return "", err
	}
	name := gocmd.ExeName(fullPath)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	dir, err := c.Tree("full-"+cache.Hash([]byte(id)), func(dir string) error {
		fmt.Fprintf(a.stderr, "waymark: building what %s needs, once; this takes up to a minute\n", what)
		return buildFull(dir)
	})
	if err != nil {
		return "", fmt.Errorf("%s is in a separate program, which can't be built here: %w\nwhere it can be built, go install %s@VERSION makes a waymark that includes it", what, err, fullPath)
	}
	return filepath.Join(dir, name), nil
}

// buildFull builds the program full into a folder: a release's from its module, else that of the checkout of which this
// command is.
func buildFull(dir string) error {
	ctx, stop := interrupted(0)
	defer stop()
	cmd := exec.CommandContext(ctx, "go", "install", "-ldflags=-s -w")
	version, released := library.Released()
	if released {
		cmd.Args = append(cmd.Args, fullPath+"@"+version)
	} else {
		_, file, _, _ := runtime.Caller(0)
		if !filepath.IsAbs(file) {
			return errors.New("this waymark was built with -trimpath in a checkout, and doesn't know the folder of the checkout")
		}
		cmd.Dir = filepath.Join(filepath.Dir(file), "../../full")
		if _, err := os.Stat(cmd.Dir); err != nil {
			return fmt.Errorf("this waymark was built in a checkout that is not there any more: %w", err)
		}
	}
	cmd.Env = append(cmd.Environ(), "GOBIN="+dir, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOFLAGS=")
	if released {
		cmd.Env = append(cmd.Env, "GOWORK=off")
	}
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err != nil {
		return errors.New(strings.TrimSpace(cmp.Or(string(text), err.Error())))
	}
	return nil
}
