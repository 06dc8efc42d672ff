package build

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/cmd/waymark/internal/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/vetted"
)

// vets reports whether go test is to run checks of vet that the user has chosen. The few that it runs by itself
// find nothing in rewritten files.
func vets(flags gocmd.Flags) bool {
	checks, ok := flags.Lookup("vet")
	return ok && checks != "" && checks != "off"
}

// vet puts this command between the go command and its tool vet, see package vetted.
func (b *Build) vet(o *Options, flags gocmd.Flags) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	plan := make(vetted.Plan)
	for path, to := range b.overlay {
		if filepath.Ext(path) != ".go" || to == "" {
			continue
		}
		user, ok := b.user[path]
		if !ok {
			if _, err := os.Stat(path); err == nil {
				user = path
			}
		}
		plan[to], plan[path] = user, user
	}
	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	name, err := o.Cache.Put(data, ".json")
	if err != nil {
		return err
	}
	outer, err := b.toolexec(flags)
	if err != nil {
		return err
	}
	flag, err := vetted.Flag(self, name, outer)
	if err != nil {
		return err
	}
	b.Flags = append(b.Flags.Without("toolexec"), flag)
	return nil
}

// toolexec returns the words of the -toolexec that the go command would get: the user's own, or this command's
// for another purpose. flags are the user's.
func (b *Build) toolexec(flags gocmd.Flags) ([]string, error) {
	value, ok := append(flags, b.Flags...).Lookup("toolexec")
	if !ok {
		return nil, nil
	}
	words, err := gocmd.SplitWords(value)
	if err != nil {
		return nil, fmt.Errorf("-toolexec=%s: %w", value, err)
	}
	return words, nil
}
