package probes

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// OfProcess returns the probes of all files that a process on linux runs code of, with how many times
// tracers are attached to each. Without the right to read the process's memory that isn't known, and
// files of another user's process may not be found.
func OfProcess(pid int) ([]Probe, error) {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	f, err := os.Open(filepath.Join(proc, "maps"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no process %d: waymark ps lists programs of waymark build", pid)
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	mappings, err := readMaps(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if len(mappings) == 0 {
		return nil, fmt.Errorf("process %d: its files can't be seen; it may have ended, or be another user's", pid)
	}
	memory, err := os.Open(filepath.Join(proc, "mem"))
	if err == nil {
		defer memory.Close()
	}
	var all []Probe
	seen := make(map[string]bool)
	for _, m := range mappings {
		if seen[m.id()] {
			continue
		}
		seen[m.id()] = true
		list, err := m.probes(proc)
		if err != nil {
			continue // no ELF file, or one that can't be read
		}
		for i := range list {
			if p := &list[i]; p.semaphore != 0 && memory != nil {
				var word [2]byte
				if _, err := memory.ReadAt(word[:], int64(p.semaphore)); err == nil {
					n := int(binary.LittleEndian.Uint16(word[:]))
					p.Attached = &n
				}
			}
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("process %d: %w: build the program with waymark build --usdt PATTERN, or with providers of package probe", pid, ErrNone)
	}
	return all, nil
}

// A mapping is executable memory of a process that is of a file.
type mapping struct {
	start, end, offset uint64
	device, inode      string
	path               string
}

func (m *mapping) id() string { return m.device + " " + m.inode + " " + m.path }

// readMaps reads a file /proc/PID/maps.
func readMaps(r io.Reader) (list []mapping, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		// 00400000-004a8000 r-xp 00001000 08:01 1311 /path with spaces
		line := lines.Text()
		fields := strings.Fields(line)
		if len(fields) < 6 || !strings.Contains(fields[1], "x") || fields[4] == "0" {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		m := mapping{device: fields[3], inode: fields[4], path: line[strings.Index(line, fields[5]):]}
		for _, n := range []struct {
			to   *uint64
			text string
		}{{&m.start, from}, {&m.end, to}, {&m.offset, fields[2]}} {
			if *n.to, err = strconv.ParseUint(n.text, 16, 64); err != nil {
				return nil, err
			}
		}
		list = append(list, m)
	}
	return list, lines.Err()
}

// probes returns the probes of the mapped file, with addresses in the process.
func (m *mapping) probes(proc string) ([]Probe, error) {
	data, shown, err := m.open(proc)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	file, err := elf.NewFile(data)
	if err != nil {
		return nil, err
	}
	list, err := read(file, shown)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	moved := uint64(0) // from addresses of the file to those of the process
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			const page = 4096
			moved = m.start - m.offset - (p.Vaddr&^(page-1) - p.Off&^(page-1))
			break
		}
	}
	for i := range list {
		if list[i].semaphore != 0 {
			list[i].semaphore += moved
		}
	}
	return list, nil
}

// open opens the file, which may have no name any more, or never had one, and says how to name it.
func (m *mapping) open(proc string) (*os.File, string, error) {
	name, gone := strings.CutSuffix(m.path, " (deleted)")
	if !gone {
		f, err := os.Open(filepath.Join(proc, "root", name))
		return f, name, err
	}
	if f, err := os.Open(filepath.Join(proc, "exe")); err == nil { // rebuilt meanwhile
		if target, err := os.Readlink(f.Name()); err == nil && target == m.path {
			return f, name, nil
		}
		f.Close()
	}
	fds, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return nil, "", err
	}
	for _, e := range fds {
		fd := filepath.Join(proc, "fd", e.Name())
		if target, err := os.Readlink(fd); err != nil || target != m.path {
			continue
		}
		// Several files in memory may have the same name: the inode tells them apart.
		info, err := os.ReadFile(filepath.Join(proc, "fdinfo", e.Name()))
		if err == nil && bytes.Contains(info, []byte("\nino:")) && !bytes.Contains(info, []byte("\nino:\t"+m.inode+"\n")) {
			continue
		}
		f, err := os.Open(fd)
		return f, fd, err
	}
	return nil, "", fmt.Errorf("%s: no open file", m.path)
}
