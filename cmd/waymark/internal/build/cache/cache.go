// Package cache keeps what waymark makes for builds: rewritten files, patched runtimes, copies of
// modules. Names are hashes of all that an entry depends on, so that builds that run side by side
// can share it. Each entry has a checksum, which every use verifies. A damaged entry, as after a
// loss of power, counts as missing.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// DefaultLimit is the size above which Trim removes entries, bytes.
const DefaultLimit = 1 << 30

// grace protects entries that a running build may use from Trim.
const grace = time.Hour

// A Cache is a folder of entries.
type Cache struct {
	Dir   string
	Limit int64 // bytes
}

// Open returns the cache of the user: WAYMARKCACHE, or waymark in the user's cache
// folder. WAYMARKCACHESIZE, in MB, sets its limit.
func Open() (*Cache, error) {
	dir := os.Getenv("WAYMARKCACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no folder for the cache: %w; set WAYMARKCACHE", err)
		}
		dir = filepath.Join(base, "waymark")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &Cache{Dir: dir, Limit: DefaultLimit}
	if s := os.Getenv("WAYMARKCACHESIZE"); s != "" {
		mb, err := strconv.ParseInt(s, 10, 64)
		if err != nil || mb < 0 {
			return nil, fmt.Errorf("WAYMARKCACHESIZE=%s: want a number of megabytes", s)
		}
		c.Limit = mb << 20
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(err)
	}
	return c, nil
}

func unwritable(err error) error {
	return fmt.Errorf("cache: %w; set WAYMARKCACHE to a folder that can be written", err)
}

// Hash returns the name for contents, hashed in order with their lengths.
func Hash(contents ...[]byte) string {
	h := sha256.New()
	for _, b := range contents {
		fmt.Fprintf(h, "%d\n", len(b))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Put stores content under its hash, with ext appended, and returns the file's
// path. The same content has the same path.
func (c *Cache) Put(content []byte, ext string) (string, error) {
	name := Hash(content)
	path := filepath.Join(c.Dir, "files", name[:2], name+ext)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		touch(path)
		return path, nil
	}
	return path, c.write(path, content, 0o644)
}

// Holds reports whether a file that Put has stored still has its content.
func Holds(path string) bool {
	content, err := os.ReadFile(path)
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	name, _, _ = strings.Cut(name, "_") // of an extension such as _test.go
	return err == nil && Hash(content) == name
}

// write makes a file appear whole or not at all.
func (c *Cache) write(path string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return unwritable(err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return unwritable(err)
	}
	_, err = tmp.Write(content)
	if err1 := tmp.Chmod(mode); err == nil {
		err = err1
	}
	if err1 := tmp.Close(); err == nil {
		err = err1
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return unwritable(err)
	}
	return nil
}

// Named returns the path of what a name stands for, for those who read and write it themselves.
func (c *Cache) Named(name string) string { return filepath.Join(c.Dir, "named", name) }

// Get reads what Set stored under a name. The caller makes the name from all that the content
// depends on.
func (c *Cache) Get(name string) ([]byte, bool) {
	path := c.Named(name)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	sum, content, ok := bytes.Cut(b, []byte("\n"))
	if !ok || string(sum) != Hash(content) {
		return nil, false
	}
	touch(path)
	return content, true
}

// Set stores content under a name.
func (c *Cache) Set(name string, content []byte) error {
	return c.set(name, content, 0o644)
}

// SetPrivate is Set for what only the user may read, as it is made of recordings.
func (c *Cache) SetPrivate(name string, content []byte) error {
	return c.set(name, content, 0o600)
}

func (c *Cache) set(name string, content []byte, mode fs.FileMode) error {
	return c.write(filepath.Join(c.Dir, "named", name), slices.Concat([]byte(Hash(content)+"\n"), content), mode)
}

// A tree's folder has the tree itself and its checksum in it.
const (
	treeName = "tree"
	sumName  = "sum"
)

// Tree returns the folder for a name, calling fill with an empty folder to make it if
// it isn't there yet.
func (c *Cache) Tree(name string, fill func(dir string) error) (string, error) {
	dir, ok := c.Lookup(name)
	if ok {
		return dir, nil
	}
	entry := filepath.Dir(dir)
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		return "", unwritable(err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(entry), ".tmp-*")
	if err != nil {
		return "", unwritable(err)
	}
	defer removeAll(tmp)
	if err := fillTree(tmp, fill); err != nil {
		return "", err
	}
	// A damaged one makes room. If another build was faster, its own is as good.
	for range 2 {
		if err = os.Rename(tmp, entry); err == nil {
			return dir, nil
		}
		if dir, ok := c.Lookup(name); ok {
			return dir, nil
		}
		old, err := os.MkdirTemp(filepath.Dir(entry), ".tmp-*")
		if err != nil {
			return "", unwritable(err)
		}
		defer removeAll(old)
		os.Rename(entry, filepath.Join(old, treeName))
	}
	return "", unwritable(err)
}

func fillTree(tmp string, fill func(dir string) error) error {
	dir := filepath.Join(tmp, treeName)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return unwritable(err)
	}
	if err := fill(dir); err != nil {
		var path *fs.PathError
		if errors.As(err, &path) && strings.HasPrefix(path.Path, dir) {
			return unwritable(err)
		}
		return err
	}
	sum, err := treeSum(dir)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, sumName), []byte(sum), 0o644); err != nil {
		return unwritable(err)
	}
	return os.Chmod(tmp, 0o755)
}

// treeSum returns the checksum of a folder's files with their names.
func treeSum(dir string) (string, error) {
	var parts [][]byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		parts = append(parts, []byte(filepath.ToSlash(rel)+" "+Hash(content)))
		return err
	})
	return Hash(parts...), err
}

// Lookup returns the folder that Tree made for a name, and whether it is there as it was made.
func (c *Cache) Lookup(name string) (dir string, ok bool) {
	entry := filepath.Join(c.Dir, "trees", name)
	dir = filepath.Join(entry, treeName)
	want, err := os.ReadFile(filepath.Join(entry, sumName))
	if err != nil {
		return dir, false
	}
	if sum, err := treeSum(dir); err != nil || sum != string(want) {
		return dir, false
	}
	touch(entry)
	return dir, true
}

// touch notes a use, once an hour at most.
func touch(path string) {
	fi, err := os.Stat(path)
	if now := time.Now(); err == nil && now.Sub(fi.ModTime()) > grace {
		os.Chtimes(path, now, now)
	}
}

// An entry is a file, or a whole tree.
type entry struct {
	path string
	size int64
	used time.Time
}

func (c *Cache) entries() (list []entry, total int64, err error) {
	for _, kind := range []string{"files", "named", "trees"} {
		root := filepath.Join(c.Dir, kind)
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err != nil {
				return nil // removed meanwhile
			}
			switch {
			case kind == "trees" && filepath.Dir(path) == root:
				size := treeSize(path)
				list, total = append(list, entry{path, size, fi.ModTime()}), total+size
				return fs.SkipDir
			case !d.IsDir():
				list, total = append(list, entry{path, fi.Size(), fi.ModTime()}), total+fi.Size()
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return list, total, nil
}

func treeSize(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if fi, err := d.Info(); err == nil {
				size += fi.Size()
			}
		}
		return nil
	})
	return size
}

// Trim removes entries until the cache is within its limit, those first that were unused for the
// longest. It works at most once an hour, and keeps entries that were used in the last hour.
func (c *Cache) Trim() error {
	stamp := filepath.Join(c.Dir, "trimmed")
	if fi, err := os.Stat(stamp); err == nil && time.Since(fi.ModTime()) < grace {
		return nil
	}
	if err := os.WriteFile(stamp, nil, 0o644); err != nil {
		return nil // it is read-only: what is in it can be used, and nothing is added
	}
	return c.trim(time.Now().Add(-grace))
}

func (c *Cache) trim(before time.Time) error {
	list, total, err := c.entries()
	if err != nil {
		return err
	}
	sort.Slice(list, func(i, j int) bool { return list[i].used.Before(list[j].used) })
	for _, e := range list {
		if total <= c.Limit || e.used.After(before) {
			break
		}
		if err := removeAll(e.path); err != nil {
			return err
		}
		total -= e.size
	}
	return nil
}

// Clean removes all entries and returns how many bytes they took.
func (c *Cache) Clean() (int64, error) {
	_, total, err := c.entries()
	if err != nil {
		return 0, err
	}
	for _, name := range []string{"files", "named", "trees", "links", "trimmed"} {
		if err := removeAll(filepath.Join(c.Dir, name)); err != nil {
			return 0, err
		}
	}
	os.Remove(c.Dir) // if nothing else is in it
	return total, nil
}

// removeAll also removes the read-only folders that copies of modules consist of.
func removeAll(path string) error {
	filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o755)
		}
		return nil
	})
	return os.RemoveAll(path)
}
