package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// actual ends the name of a program whose own name this command has taken.
const actual = ".actual"

// link links the program and takes its place.
func link(args []string) (int, error) {
	code, err := goCommand(append([]string{"tool", "link"}, args...)...)
	if code != 0 || err != nil {
		return code, err
	}
	for i, arg := range args {
		if arg == "-o" && i+1 < len(args) {
			return 0, standIn(args[i+1])
		}
	}
	return 0, nil
}

// standIn puts this command in the place of a program.
func standIn(exe string) error {
	if fi, err := os.Stat(exe); err != nil || !fi.Mode().IsRegular() {
		return nil // -o /dev/null, or a folder
	}
	if err := os.Rename(exe, exe+actual); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Link(self, exe); err == nil {
		return nil
	}
	return copyFile(exe, self) // another file system
}

// reached is what a recording says that has the size it was given: here, because
// the programs make millions of calls. It may come in the middle of a line of theirs.
var reached = regexp.MustCompile(`waymark: [^ \n]*\.wmt has reached its size of [0-9]+ bytes; recording has stopped, the program goes on untraced\n`)

// runTwice runs a program with tracing off and while it is recorded. Status and
// output are those of the first run; the second is to be like it.
func runTwice(exe string, args []string) (int, error) {
	dir, err := os.MkdirTemp("", "standin")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	off, err := runOnce(exe, args, "")
	if err != nil {
		return 0, err
	}
	os.Stdout.Write(off.output)
	count("run", 1)
	if off.status != 0 {
		return off.status, nil
	}
	trace := filepath.Join(dir, "%p.wmt")
	on, err := runOnce(exe, args, "record,max-size=16MB,o="+trace)
	if err != nil {
		return 0, err
	}
	on.output = reached.ReplaceAll(on.output, nil)
	if on.status != off.status || !bytes.Equal(on.output, off.output) {
		return 1, fmt.Errorf("recorded, %s exits with %d instead of %d, and prints\n%s", filepath.Base(exe), on.status, off.status, on.output)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	if slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasSuffix(f.Name(), ".wmt") }) {
		count("recorded", 1)
	}
	return 0, nil
}

// An outcome is what a run of a program gave.
type outcome struct {
	output []byte // stdout and stderr as they come, which is what the runner looks at
	status int
}

func runOnce(exe string, args []string, settings string) (outcome, error) {
	cmd := command(exe, args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Env = append(cmd.Env, "WAYMARK="+settings)
	code, err := status(cmd)
	return outcome{output.Bytes(), code}, err
}
