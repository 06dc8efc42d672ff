package endtoend

import (
	"bufio"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A program that runs with more rights than its caller obeys nothing of the caller's. No file or
// socket is made, read, replaced or said, and nothing of the calls is printed.
func TestSecure(t *testing.T) {
	needRoot(t)
	const nobody = 65534
	prog, dir := instrument(t, "faults", "--all"), openDir(t)
	own := filepath.Join(dir, "own") // the caller's, for sockets
	private := filepath.Join(dir, "private")
	for name, mode := range map[string]os.FileMode{own: 0o777, private: 0o700} {
		if err := os.Mkdir(name, mode); err != nil {
			t.Fatal(err)
		}
		os.Chmod(name, mode)
	}
	if err := os.Chown(own, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	shadow := filepath.Join(private, "shadow")
	const secret = "root:$y$hunter2:20000:\n"
	if err := os.WriteFile(shadow, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Flags&unix.ST_NOSUID != 0 {
		t.Skip("SKIPPED: needs a file system without nosuid")
	}
	image, err := os.ReadFile(prog)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		name string
		give func(path string) error
	}{
		{"setuid", func(path string) error { return os.Chmod(path, 0o755|os.ModeSetuid) }},
		{"setgid", func(path string) error { return os.Chmod(path, 0o755|os.ModeSetgid) }},
		{"capability", func(path string) error {
			const version2, effective, netRaw = 0x02000000, 1, 13
			value := binary.LittleEndian.AppendUint32(nil, version2|effective)
			value = binary.LittleEndian.AppendUint32(value, 1<<netRaw)
			return unix.Setxattr(path, "security.capability", append(value, make([]byte, 12)...), 0)
		}},
	} {
		path := filepath.Join(dir, kind.name)
		if err := os.WriteFile(path, image, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := kind.give(path); err != nil {
			t.Logf("SKIPPED %s: %v", kind.name, err)
			continue
		}
		for _, setting := range []string{
			"", "@" + shadow, "record,o=" + private + "/t.wmt", "stats,report=json:" + shadow, "traces=main.work,o=" + shadow,
			"seen=" + private + "/x.seen", "t=main.work,d=3", "socket=" + private + "/s.sock", "socket", "suspend", "agent=1", "counts=" + private + "/c",
		} {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			cmd := exec.CommandContext(ctx, path, "1", "100", "0", "pause")
			cmd.Dir = dir
			cmd.Env = []string{"XDG_RUNTIME_DIR=" + own, "TMPDIR=" + own, "WAYMARKCLOCK=none", "PATH=/bin"}
			if setting != "" {
				cmd.Env = append(cmd.Env, "WAYMARK="+setting)
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			var said strings.Builder
			cmd.Stderr = &said
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if line != "half\n" {
				t.Errorf("%s, WAYMARK=%s: the program printed %q: %v", kind.name, setting, line, err)
			}
			if made, err := filepath.Glob(own + "/*"); len(made) > 0 || err != nil {
				t.Errorf("%s, WAYMARK=%s: there are %q, %v", kind.name, setting, made, err)
				os.RemoveAll(made[0])
			}
			in.Write([]byte("\n"))
			err = cmd.Wait()
			cancel()
			want := "faults: done\n"
			if setting != "" {
				want = "waymark: WAYMARK is passed over: the program runs with more rights than its caller; the program runs untraced\n" + want
			}
			if err != nil || said.String() != want {
				t.Errorf("%s, WAYMARK=%s: %v, it says\n%swant\n%s", kind.name, setting, err, said.String(), want)
			}
			entries, _ := os.ReadDir(private)
			if held, err := os.ReadFile(shadow); err != nil || string(held) != secret || len(entries) != 1 {
				t.Errorf("%s, WAYMARK=%s: the private folder has %v, and the file holds %q, %v", kind.name, setting, entries, held, err)
				os.WriteFile(shadow, []byte(secret), 0o600)
				for _, e := range entries {
					if e.Name() != "shadow" {
						os.Remove(filepath.Join(private, e.Name()))
					}
				}
			}
		}
	}
}
