package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Replaceable reports whether a trace file may take the place of what is at path.
// It may if that is nothing, an empty file or an older trace file, but not the
// user's own.
func Replaceable(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("%s is there and is not a regular file: record to another one", path)
	}
	b := make([]byte, format.HeaderSize)
	n, err := head(path, b)
	if err != nil {
		return err
	}
	if n > 0 && errors.Is(format.CheckHeader(b[:n]), format.ErrNotTrace) {
		return fmt.Errorf("%s is there and is not a trace file: remove it, or record to another one", path)
	}
	return nil
}
