package live

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
)

// A Silent is a Go program that was not asked: it doesn't listen, or is another user's.
type Silent struct {
	PID      int    `json:"pid"`
	Program  string `json:"program"` // path of the executable
	UptimeNS int64  `json:"uptime_ns"`
	Release  string `json:"go"`
	Main     string `json:"package"` // its import path
	Listens  bool   `json:"listens"`
	Plain    bool   `json:"plain"` // plain Go has built it: it can be patched, on amd64
}

// Silents returns the Go programs of this user, of root those of all users, that aren't among the asked ones. The toolchain
// is left out.
func Silents(asked []Process) (list []Silent) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || slices.ContainsFunc(asked, func(p Process) bool { return p.PID == pid }) {
			continue
		}
		uid, _, err := owner(pid)
		if err != nil || uid != os.Geteuid() && os.Geteuid() != 0 {
			continue
		}
		exe := fmt.Sprintf("/proc/%d/exe", pid)
		info, err := buildinfo.ReadFile(exe)
		if err != nil || strings.HasPrefix(info.Path, "cmd/") { // the toolchain's own are over soon, and nobody means them
			continue
		}
		path, _ := os.Readlink(exe)
		s := Silent{PID: pid, Program: names.Printable(strings.TrimSuffix(path, " (deleted)")), Main: names.Printable(info.Path), UptimeNS: int64(stopped.Uptime(pid))}
		s.Release, _, _ = strings.Cut(names.Printable(info.GoVersion), " ")
		s.Plain = !slices.ContainsFunc(info.Settings, func(b debug.BuildSetting) bool {
			return b.Key == "-tags" && slices.Contains(strings.Split(b.Value, ","), library.Tag)
		})
		s.Listens = slices.ContainsFunc(sockets(Folders(uid)), func(path string) bool {
			id, ok := control.PIDOf(filepath.Base(path))
			return ok && id == pid
		})
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Silent) int { return a.PID - b.PID })
	return list
}
