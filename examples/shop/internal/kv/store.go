// Package kv is a log-structured key-value store. All data is held in memory,
// and each write is appended to a log file as a checksummed record, from which
// the store is recovered. When too much of the log is out of date the store
// replaces it with a snapshot of the data. The store goes on appending to that.
package kv

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const (
	logName  = "data.log"
	tempName = "data.tmp" // a snapshot that is not complete
)

var (
	// ErrNotFound is returned for a key that is not in the store.
	ErrNotFound = errors.New("kv: key not found")
	// ErrClosed is returned by operations on a closed store.
	ErrClosed = errors.New("kv: store is closed")
)

// A CorruptError reports a record in the log that cannot be read back.
type CorruptError struct {
	Offset int64
	Err    error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("kv: log is corrupt at offset %d: %v", e.Offset, e.Err)
}

// Unwrap returns the underlying error.
func (e *CorruptError) Unwrap() error { return e.Err }

// A Store is an open store. It is safe for concurrent use, but only one Store
// may be open on a directory at a time.
type Store struct {
	dir        string
	minGarbage int64

	mu       sync.RWMutex
	log      *os.File // nil if closed
	data     map[string][]byte
	logSize  int64
	liveSize int64 // what logSize would be after compaction
	buf      []byte
}

// An Option adjusts a store opened by [Open].
type Option func(*Store)

// WithMinGarbage sets how many bytes of the log must be out of date before
// the store considers compaction.
func WithMinGarbage(n int64) Option { return func(s *Store) { s.minGarbage = n } }

// Open opens the store in dir, which must exist, recovering what was written
// there earlier. The error is a [*CorruptError] if some of that is damaged,
// other than by a crash during the last write, which is undone.
func Open(dir string, opts ...Option) (*Store, error) {
	s := &Store{dir: dir, minGarbage: 256 << 10, data: make(map[string][]byte)}
	for _, opt := range opts {
		opt(s)
	}
	log, err := os.OpenFile(filepath.Join(dir, logName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	s.log = log
	if err := s.replay(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return s, nil
}

// Get returns the value of key, which the caller must not modify.
func (s *Store) Get(key string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.log == nil {
		return nil, ErrClosed
	}
	value, ok := s.data[key]
	if !ok {
		return nil, ErrNotFound
	}
	return value, nil
}

// Put sets the value of key.
func (s *Store) Put(key string, value []byte) error {
	return s.write(record{kind: kindPut, key: key, value: bytes.Clone(value)})
}

// Delete removes key. Removing a key that is not there is not an error.
func (s *Store) Delete(key string) error {
	return s.write(record{kind: kindDelete, key: key})
}

// Scan calls fn with each key that has the given prefix, in order, and its
// value, until fn returns an error, which Scan then returns.
func (s *Store) Scan(prefix string, fn func(key string, value []byte) error) error {
	s.mu.RLock()
	data := maps.Clone(s.data)
	s.mu.RUnlock()
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if err := fn(key, data[key]); err != nil {
			return err
		}
	}
	return nil
}

// Close flushes the store to disk and closes it.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		return ErrClosed
	}
	err := errors.Join(s.log.Sync(), s.log.Close())
	s.log = nil
	return err
}

// replay reads the log, and truncates an unfinished record at its end.
func (s *Store) replay() error {
	info, err := s.log.Stat()
	if err != nil {
		return err
	}
	r := bufio.NewReader(s.log)
	for {
		rec, err := readRecord(r)
		switch {
		case err == io.EOF:
			return nil
		case err == io.ErrUnexpectedEOF,
			err == errChecksum && s.logSize+rec.size() == info.Size():
			return s.log.Truncate(s.logSize)
		case err != nil:
			return &CorruptError{Offset: s.logSize, Err: err}
		}
		s.apply(rec)
	}
}

// write appends a record to the log and applies it, and compacts the log if
// it is time to.
func (s *Store) write(r record) error {
	if len(r.key) > maxLen || len(r.value) > maxLen {
		return fmt.Errorf("kv: key or value over %d bytes", maxLen)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		return ErrClosed
	}
	s.buf = appendRecord(s.buf[:0], r)
	// At its place, so that it replaces any part of one that failed.
	if _, err := s.log.WriteAt(s.buf, s.logSize); err != nil {
		return err
	}
	s.apply(r)
	if garbage := s.logSize - s.liveSize; garbage >= s.minGarbage && garbage > s.liveSize {
		return s.compact()
	}
	return nil
}

// apply changes the data by a record that is in the log.
func (s *Store) apply(r record) {
	s.logSize += r.size()
	if old, ok := s.data[r.key]; ok {
		s.liveSize -= record{key: r.key, value: old}.size()
	}
	if r.kind == kindDelete {
		delete(s.data, r.key)
		return
	}
	s.liveSize += r.size()
	s.data[r.key] = r.value
}

// compact replaces the log with a snapshot of the data.
func (s *Store) compact() (err error) {
	temp := filepath.Join(s.dir, tempName)
	snapshot, err := os.Create(temp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, snapshot.Close(), os.Remove(temp))
		}
	}()
	if err := s.writeSnapshot(snapshot); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(s.dir, logName)); err != nil {
		return err
	}
	old := s.log
	s.log, s.logSize = snapshot, s.liveSize
	old.Close() // it is deleted: nothing in it matters any more
	return nil
}

// writeSnapshot writes a record for each key and flushes them to disk.
func (s *Store) writeSnapshot(f *os.File) error {
	w := bufio.NewWriter(f)
	for key, value := range s.data {
		s.buf = appendRecord(s.buf[:0], record{kind: kindPut, key: key, value: value})
		if _, err := w.Write(s.buf); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), f.Sync())
}
