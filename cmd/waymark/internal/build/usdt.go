package build

import (
	"fmt"
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/notes"
	"github.com/waymark-go/waymark/internal/usdt"
)

// checkUSDT returns an error if programs of the build can't have USDT probes.
func (b *Build) checkUSDT() error {
	if !b.bearsUSDT() {
		return fmt.Errorf("--usdt: USDT probes need linux on amd64 or arm64, this build is for %s/%s", b.Env.GOOS, b.Env.GOARCH)
	}
	return nil
}

// bearsUSDT reports whether programs of the build can have USDT probes.
func (b *Build) bearsUSDT() bool {
	_, ok := usdt.ArchOf(b.Env.GOARCH)
	return b.Env.GOOS == "linux" && ok
}

// completeLinked has the go command call this command for its tools, to add USDT notes to programs
// that have been linked. flags are all that the go command gets.
func (b *Build) completeLinked(flags gocmd.Flags) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var outer []string
	if value, ok := append(flags, b.Flags...).Lookup("toolexec"); ok {
		if outer, err = gocmd.SplitWords(value); err != nil {
			return fmt.Errorf("-toolexec=%s: %w", value, err)
		}
	}
	value, err := gocmd.JoinWords(notes.Words(self, outer))
	if err != nil {
		return fmt.Errorf("--usdt: %w", err)
	}
	b.Flags = append(b.Flags.Without("toolexec"), "-toolexec="+value)
	return nil
}
