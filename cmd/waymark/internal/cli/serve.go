package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/levels"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui/process"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui/recorded"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	listen string
	open   bool
	dir    string
	base   []string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve [flags] FILE...|PID", Short: "show recordings, or a running program, in a browser",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("serve: want a recording, a process id or the name of a program: waymark %s%s", cmd.Use, asIn("serve"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := ui.CheckAddress(f.listen); err != nil {
				return usagef("--listen: %w", err)
			}
			if len(args) == 1 && a.namesProcess(args[0]) {
				if len(f.base) > 0 {
					return usagef("--base: want recordings with it, not a process")
				}
				return a.serveProcess(&f, args[0])
			}
			if f.dir != "" {
				return usagef("--dir: want a process with it, not recordings")
			}
			return a.serveFiles(&f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`ADDRESS` of this machine to listen at; port 0 is any")
	flags.BoolVar(&f.open, "open", false, "open the address in the browser, too")
	flags.StringArrayVar(&f.base, "base", nil, "compare with the older recording `FILE` (repeatable)")
	config.Mark(flags, config.IsFile, "base")
	a.defineYes(flags)
	flags.StringVar(&f.dir, "dir", "", "look for sockets of programs in `DIR`, such as a mounted folder of a container")
	return cmd
}

// serveFiles serves pages about recordings.
func (a *app) serveFiles(f *serveFlags, files []string) error {
	err := a.serveRecordings(f, files)
	if errors.Is(err, format.ErrNotTrace) && len(files) == 1 && filepath.Base(files[0]) == files[0] {
		return fmt.Errorf("%w; and no program of that name listens, see waymark ps", err)
	}
	return err
}

func (a *app) serveRecordings(f *serveFlags, files []string) error {
	return a.withSet(files, func(set *tracefile.Set) error {
		if len(f.base) == 0 {
			return a.serveSet(f, set, nil)
		}
		return a.withSet(f.base, func(base *tracefile.Set) error { return a.serveSet(f, set, base) })
	})
}

// serveSet serves pages about the recordings of a set, compared with those of base unless that is nil.
func (a *app) serveSet(f *serveFlags, set, base *tracefile.Set) error {
	s := ui.New(filepath.Base(set.Processes[0].Info().Program))
	for _, p := range recorded.Pages {
		s.AddPage(p)
		if p.Name == "tree" {
			s.AddPage(ui.Page{Name: "timeline", Title: "Timeline"})
		}
	}
	o := recorded.Options{Base: base}
	if c, err := cache.Open(); err == nil {
		o.Cache = c
		defer c.Trim()
	}
	r := recorded.New(set, o)
	r.Mount(s)
	done := mountTimeline(s, set, r.Wait)
	defer done()
	return a.serve(f, s)
}

// mountTimeline adds the timeline of recordings to s. Its index is made meanwhile, after wait: two
// readings at a time take twice the memory.
func mountTimeline(s *ui.Server, set *tracefile.Set, wait func()) (done func() error) {
	o := levels.Options{}
	if c, err := cache.Open(); err == nil {
		o.Cache = filepath.Join(c.Dir, "named", "levels")
	}
	timeline := levels.NewTimeline(set, o)
	go func() {
		wait()
		timeline.Prepare() // an error is told to who asks
	}()
	s.Handle("GET /api/timeline/", http.StripPrefix("/api/timeline", timeline))
	return timeline.Close
}

// serveProcess serves the page about a running program.
func (a *app) serveProcess(f *serveFlags, name string) error {
	connect := func(targets ...string) (*live.Conn, error) { return connect(name, f.dir, targets) }
	c, err := connect()
	if err != nil {
		return err
	}
	answer, err := c.Ask(control.Request{Do: control.DoStatus})
	c.Close()
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	if answer.Status == nil {
		return fmt.Errorf("%s: the program has answered without its status", name)
	}
	if !live.IsRemote(name) {
		name = strconv.Itoa(answer.Status.PID) // another process may get the name
	}
	a.consent.silent = true
	s := ui.New(fmt.Sprintf("%s %d", filepath.Base(answer.Status.Program), answer.Status.PID))
	process.New(connect, process.Options{Folder: folder, Lines: f.dir == "" && !live.IsRemote(name)}).Mount(s)
	return a.serve(f, s)
}

// serve prints the address and answers until ^C or SIGTERM.
func (a *app) serve(f *serveFlags, s *ui.Server) error {
	listener, err := ui.Listen(f.listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("--listen: %w: choose another port, or 0 for any", err)
	}
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	ctx, stop := interrupted(0)
	defer stop()
	url := s.URL(listener.Addr())
	if _, err := fmt.Fprintln(a.stdout, url); err != nil {
		listener.Close()
		return err
	}
	a.note("open this address in a browser; ^C ends")
	if f.open {
		a.browse(ctx, url)
	}
	return s.Serve(ctx, listener)
}

// browse opens an address in the user's browser, or says why it can't.
func (a *app) browse(ctx context.Context, url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if err := cmd.Start(); err != nil {
		a.note("--open: " + err.Error())
		return
	}
	go cmd.Wait()
}
