// Package cache keeps what waymark makes for builds: rewritten files, patched
// runtimes, copies of modules. Names are hashes of contents, so that an entry is
// never wrong, only unused, and builds that run side by side can share it.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
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
	if fi, err := os.Stat(path); err == nil && fi.Size() == int64(len(content)) {
		touch(path, fi)
		return path, nil
	}
	return path, c.write(path, content, 0o644)
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

// Get reads what Set stored under a name. The caller makes the name from all that the content
// depends on.
func (c *Cache) Get(name string) ([]byte, bool) {
	path := filepath.Join(c.Dir, "named", name)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	if fi, err := os.Stat(path); err == nil {
		touch(path, fi)
	}
	return b, true
}

// Set stores content under a name.
func (c *Cache) Set(name string, content []byte) error {
	return c.write(filepath.Join(c.Dir, "named", name), content, 0o644)
}

// SetPrivate is Set for what only the user may read, as it is made of recordings.
func (c *Cache) SetPrivate(name string, content []byte) error {
	return c.write(filepath.Join(c.Dir, "named", name), content, 0o600)
}

// Tree returns the folder for a name, calling fill with an empty folder to make it if
// it isn't there yet.
func (c *Cache) Tree(name string, fill func(dir string) error) (string, error) {
	dir, ok := c.Lookup(name)
	if ok {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", unwritable(err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".tmp-*")
	if err != nil {
		return "", unwritable(err)
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return "", err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, err1 := os.Stat(dir); err1 == nil {
			return dir, nil // another build was faster
		}
		return "", fmt.Errorf("cache: %w", err)
	}
	return dir, nil
}

// Lookup returns the folder that Tree made for a name, and whether it is there.
func (c *Cache) Lookup(name string) (dir string, ok bool) {
	dir = filepath.Join(c.Dir, "trees", name)
	fi, err := os.Stat(dir)
	if err != nil {
		return dir, false
	}
	touch(dir, fi)
	return dir, true
}

// touch notes a use, once an hour at most.
func touch(path string, fi fs.FileInfo) {
	if now := time.Now(); now.Sub(fi.ModTime()) > grace {
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
