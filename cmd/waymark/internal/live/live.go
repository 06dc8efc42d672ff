// Package live finds running programs, and connects to them or to what patches them. It is the
// command's side of package control's protocol.
package live

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/host"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
)

// How long a program may take to answer. At its end a recording is completed.
const (
	patience    = 5 * time.Second
	endPatience = time.Minute
)

// ErrEnded is the error of a connection whose other end is gone.
var ErrEnded = errors.New("the program has ended, or closed the connection")

// A Conn is a connection to a program.
type Conn struct {
	net.Conn
	path string // of the socket, or the address

	Patched bool // the program doesn't listen, and is patched
}

// Over returns a connection to the program at the other end of c. name stands for it in errors.
func Over(c net.Conn, name string) *Conn { return &Conn{Conn: c, path: name} }

// dial connects to a socket. Unless it is nobody's, the process that listens must be the user's or
// root's: anybody may have made a folder with that name first.
func dial(path string, user int) (*Conn, error) {
	conn, err := net.DialTimeout("unix", path, patience)
	if err != nil {
		return nil, err
	}
	c := &Conn{Conn: conn, path: path}
	if p, err := c.peer(); user != anybody && (err != nil || p.uid != user && p.uid != 0) {
		c.Close()
		return nil, errors.Join(err, fmt.Errorf("%s is not user %d's: a process of user %d listens there", path, user, p.uid))
	}
	return c, nil
}

// anybody is the user of sockets in a folder that was named.
const anybody = -1

// A peer is the process that listens at a socket, as the kernel knows it.
type peer struct{ pid, uid int }

// Ask sends a request and returns the answer, whose names and texts are made printable: the program
// may be another user's. Only Change.Path is as the program says, to be opened. It is an error if the
// program refuses, with a *control.Error, or doesn't answer.
func (c *Conn) Ask(r control.Request) (*control.Response, error) {
	r.Version = control.Version
	limit := patience + time.Duration(r.WaitNS)
	if r.Do == control.DoStop || r.Do == control.DoDump {
		limit = endPatience
	}
	c.SetDeadline(time.Now().Add(limit))
	defer c.SetDeadline(time.Time{})
	if err := control.Write(c, r); err != nil && !errors.Is(err, syscall.EPIPE) { // it may have said why it hung up
		return nil, c.explain(err)
	}
	var answer control.Response
	if err := control.Read(c, &answer); err != nil {
		return nil, c.explain(err)
	}
	printable(&answer)
	switch {
	case answer.Version > control.Version:
		return nil, fmt.Errorf("the program was built with a newer waymark, whose protocol has version %d: this command speaks %d", answer.Version, control.Version)
	case answer.Version < control.Version:
		return nil, fmt.Errorf("the program was built with an older waymark, whose protocol has version %d: build it again, this command speaks %d", answer.Version, control.Version)
	case answer.Error != nil:
		return nil, c.why(&answer)
	}
	return &answer, nil
}

// printable makes an answer printable, but for the path of a file that is opened.
func printable(answer *control.Response) {
	path := ""
	if answer.Change != nil {
		path = answer.Change.Path
	}
	names.MakePrintable(answer)
	if answer.Change != nil {
		answer.Change.Path = path
	}
}

// explain says what an error of the connection means.
func (c *Conn) explain(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer in time at %s: is the program stopped?", c.path)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fmt.Errorf("%w: %s", ErrEnded, c.path)
	case errors.Is(err, control.ErrGarbage):
		return fmt.Errorf("%s: %w", c.path, err)
	}
	return err
}

// A Process is a program that listens.
type Process struct {
	control.Status
	Path string // of its socket
}

// Processes returns the programs that listen in dir, or if that is empty the user's own, by their
// ids. What doesn't answer is left out, and so are sockets of programs that have ended; unanswered
// are the sockets of those that are alive.
func Processes(dir string) (list []Process, unanswered []string) {
	dirs, user := folders(dir)
	for _, path := range sockets(dirs) {
		c, err := dial(path, user)
		if err != nil {
			if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist) {
				unanswered = append(unanswered, path)
			}
			continue
		}
		answer, err := c.Ask(control.Request{Do: control.DoStatus})
		c.Close()
		if err != nil || answer.Status == nil {
			unanswered = append(unanswered, path)
			continue
		}
		list = append(list, Process{*answer.Status, path})
	}
	slices.SortFunc(list, func(a, b Process) int { return a.PID - b.PID })
	return list, unanswered
}

func sockets(dirs []string) (list []string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.Type() == fs.ModeSocket && !strings.HasPrefix(e.Name(), ".") {
				list = append(list, filepath.Join(dir, e.Name()))
			}
		}
	}
	return list
}

// Connect connects to the process with that id, to the only program with that name, or to the one whose
// handler has that address. dir is a folder of sockets that others have mounted; empty: the user's own.
func Connect(process, dir string) (*Conn, error) {
	if IsRemote(process) {
		return connectRemote(process)
	}
	_, user := folders(dir)
	pid, err := strconv.Atoi(process)
	if err != nil {
		p, err := find(process, dir)
		if err != nil {
			return nil, err
		}
		if p.Path == "" {
			return connect(p.PID)
		}
		return dial(p.Path, user)
	}
	if dir == "" {
		return connect(pid)
	}
	list, _ := Processes(dir)
	for _, p := range list {
		if p.PID == pid {
			return dial(p.Path, user)
		}
	}
	return nil, fmt.Errorf("no process %d listens in %s%s", pid, dir, others(list))
}

// ConnectPatched connects to a process of this machine to patch it, also if it listens: lines are known by its code.
func ConnectPatched(process string) (*Conn, error) {
	pid, err := strconv.Atoi(process)
	if err != nil {
		p, err := find(process, "")
		if err != nil {
			return nil, err
		}
		pid = p.PID
	}
	uid, program, err := owner(pid)
	if err != nil {
		return nil, err
	}
	return patched(pid, uid, program, true)
}

// patched connects to a process that is patched.
func patched(pid, uid int, program string, built bool) (*Conn, error) {
	if me := os.Geteuid(); uid != me && me != 0 {
		return nil, fmt.Errorf("process %d, %s, is user %d's: only they and root may look into it", pid, program, uid)
	}
	c, err := host.Connect(pid, built)
	switch {
	case err != nil && built:
		return nil, fmt.Errorf("process %d, %s, can't be patched: %w", pid, program, err)
	case errors.Is(err, host.ErrTaken):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("process %d, %s, doesn't listen, and can't be patched: %w", pid, program, err)
	}
	return &Conn{Conn: c, path: fmt.Sprintf("process %d", pid), Patched: true}, nil
}

// Runs reports whether a program of this user with that name listens.
func Runs(name string) bool {
	list, _ := Processes("")
	return slices.ContainsFunc(list, func(p Process) bool { return filepath.Base(p.Program) == name })
}

// PID returns the id of the only process of this user with that name.
func PID(name string) (int, error) {
	p, err := find(name, "")
	return p.PID, err
}

// find finds the only process with that name, whose socket is in dir or among the user's own. If none listens it may be
// one that doesn't, which has no Path.
func find(name, dir string) (Process, error) {
	dirs, _ := folders(dir)
	list, _ := Processes(dir)
	var found []Process
	for _, p := range list {
		if filepath.Base(p.Program) == name {
			found = append(found, p)
		}
	}
	var silents []Process
	if len(found) == 0 && dir == "" {
		for _, s := range Silents(list) {
			if s.Listens {
				continue
			}
			p := Process{Status: control.Status{PID: s.PID, Program: s.Program}}
			if silents = append(silents, p); filepath.Base(s.Program) == name {
				found = append(found, p)
			}
		}
	}
	switch len(found) {
	case 0:
		text := ""
		if plain := others(silents); plain != "" {
			text = "; of plain Go" + strings.TrimPrefix(plain, ":")
		}
		return Process{}, fmt.Errorf("no program %s listens in %s%s%s", name, strings.Join(dirs, ", "), others(list), text)
	case 1:
		return found[0], nil
	}
	return Process{}, fmt.Errorf("%d processes are named %s%s", len(found), name, others(found))
}

// others lists processes in an error.
func others(list []Process) string {
	if len(list) == 0 {
		return ""
	}
	const most = 10
	var text []string
	for _, p := range list[:min(len(list), most)] {
		text = append(text, fmt.Sprintf("%d %s", p.PID, filepath.Base(p.Program)))
	}
	if n := len(list); n > most {
		text = append(text, fmt.Sprintf("and %d more", n-most))
	}
	if len(text) > 1 {
		return ": there are " + strings.Join(text, ", ")
	}
	return ": there is " + text[0]
}

// connect connects to a process of this machine.
func connect(pid int) (*Conn, error) {
	uid, program, err := owner(pid)
	if err != nil {
		return nil, err
	}
	for _, path := range sockets(Folders(uid)) {
		name := filepath.Base(path)
		if id, ok := control.PIDOf(name); !ok || id != pid {
			continue
		}
		if current, err := control.SocketName(pid); err == nil && current != name {
			continue // that of an earlier process with this id
		}
		c, err := dial(path, uid)
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("process %d, %s, is user %d's: only they and root may look into it", pid, program, uid)
		}
		if err != nil {
			return nil, fmt.Errorf("process %d, %s: %w", pid, program, err)
		}
		return c, nil
	}
	return patched(pid, uid, program, false)
}

// folders returns the folders to look for sockets in, dir or if that is empty the user's own, and
// whose they are.
func folders(dir string) (dirs []string, user int) {
	if dir != "" {
		return []string{dir}, anybody
	}
	return Folders(os.Geteuid()), os.Geteuid()
}

// Folders returns where the sockets of a user's programs may be, which needn't have this command's
// environment.
func Folders(uid int) (list []string) {
	for _, dir := range []string{control.FolderOf(uid), filepath.Join("/run/user", strconv.Itoa(uid), "waymark"),
		filepath.Join("/tmp", "waymark-"+strconv.Itoa(uid)), filepath.Join(os.TempDir(), "waymark-"+strconv.Itoa(uid))} {
		if !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}
