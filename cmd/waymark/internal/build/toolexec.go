package build

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// standIn has the go command call this command for its tools. words returns the words of its
// -toolexec, from the path of this command and the words of another -toolexec. The other one gets
// the tools from this one. It is the user's own, in flags, or this command's for another purpose.
func (b *Build) standIn(flags gocmd.Flags, words func(self string, outer []string) []string) error {
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
	value, err := gocmd.JoinWords(words(self, outer))
	if err != nil {
		return fmt.Errorf("-toolexec: %w", err)
	}
	b.Flags = append(b.Flags.Without("toolexec"), "-toolexec="+value)
	return nil
}

// standInBy is standIn for what works by a plan, which it gets as a file with JSON.
func (b *Build) standInBy(o *Options, flags gocmd.Flags, plan any, words func(self, plan string, outer []string) []string) error {
	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	name, err := o.Cache.Put(data, ".json")
	if err != nil {
		return err
	}
	return b.standIn(flags, func(self string, outer []string) []string { return words(self, name, outer) })
}
