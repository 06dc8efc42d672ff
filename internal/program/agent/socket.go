package agent

import (
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/ending"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// A socketSetting says whether commands may connect to the program, and where.
type socketSetting struct {
	On    bool   // socket, agent
	Given bool   // either of them
	Path  string // socket=PATH, with placeholders; empty: in the user's folder of sockets
}

// decided says that WAYMARK has settled whether the program listens, or is wrong.
var decided bool

// Listen lets commands connect, unless WAYMARK has settled that. Nobody has asked for it: where there
// can be no socket, the program runs without one and says nothing. A program with more rights than
// its caller has none: the caller says where temporary files are.
func Listen() {
	if host.Enabled() && !decided && !rt.Secure() {
		host.Mute(true)
		defer host.Mute(false)
		listenAt("")
	}
}

// listen lets commands connect, and reports whether they can. What goes wrong is said; the program
// runs without.
func listen(s socketSetting) bool {
	err := listenAt(s.Path)
	if err != nil {
		console.Say("WAYMARK: socket: %v; waymark's commands can't look into the program", err)
	}
	return err == nil
}

func listenAt(path string) error {
	var err error
	if path == "" {
		dir, err := control.Folder()
		if err != nil {
			return err
		}
		name, err := control.SocketName(os.Getpid())
		if err != nil {
			return err
		}
		path = filepath.Join(dir, name)
		control.Sweep(dir)
	} else if path, err = expand(path, executable(), os.Getpid()); err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil { // the program may go elsewhere
		return err
	}
	l, err := control.Listen(path, host)
	if err != nil {
		return err
	}
	atExit(l.Close)
	host.Go(func() { l.Serve(commands) })
	return nil
}

// Serve answers the requests of a command's connection, as control.Server.Serve does.
func (public) Serve(conn io.ReadWriter, peer string) error { return commands().Serve(conn, peer) }

// commands returns what answers commands. It is made when the first of them comes.
var commands = sync.OnceValue(func() *control.Server {
	s := control.NewServer(&live{program: executable()})
	s.Ending = func(f func()) { ending.Add(f) }
	s.Later = func() {
		host.Go(func() {
			for left := s.Expire(); left >= 0; left = s.Expire() {
				host.Ready(-1, false, int64(min(left, control.ExpireEvery)))
			}
		})
	}
	return s
})

// executable returns the path of the program's file, or another name for it.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return "program"
	}
	return path
}
