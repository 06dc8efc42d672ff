package build

import (
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/vetted"
)

// vets reports whether go test is to run checks of vet that the user has chosen. The few that it runs by itself
// find nothing in rewritten files.
func vets(flags gocmd.Flags) bool {
	checks, ok := flags.Lookup("vet")
	return ok && checks != "" && checks != "off"
}

// vet puts this command between the go command and its tool vet, see package vetted.
func (b *Build) vet(o *Options, flags gocmd.Flags) error {
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
	return b.standInBy(o, flags, plan, vetted.Words)
}
