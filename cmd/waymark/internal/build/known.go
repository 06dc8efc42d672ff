package build

import (
	"encoding/json"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
)

// known lists packages by what is special about them.
type known struct {
	Runtime []string // runtime and what it imports: never instrumented
	Agent   []string // the agent, the listener and what they import: initialised first
}

// closures finds the known packages of a toolchain and target. The cache keeps the answer, which
// depends on the toolchain, the target and the library only.
func closures(env *gocmd.Env, c *cache.Cache) (*known, error) {
	hash, err := library.Hash()
	if err != nil {
		return nil, err
	}
	name := "closures-" + cache.Hash([]byte(strings.Join([]string{env.GOVERSION, env.GOROOT, env.GOOS, env.GOARCH, env.CGO_ENABLED, env.GOEXPERIMENT, hash}, " ")))
	k := new(known)
	if data, ok := c.Get(name); ok && json.Unmarshal(data, k) == nil {
		return k, nil
	}
	dir, err := library.Dir(c, "1.21")
	if err != nil {
		return nil, err
	}
	// In the library's own folder, away from the user's module and its flags.
	lib := *env
	lib.Dir = dir
	lib.Extra = append([]string{"GOWORK=off", "GOFLAGS="}, env.Extra...)
	if k.Runtime, err = lib.Names(nil, "runtime"); err != nil {
		return nil, err
	}
	if k.Agent, err = lib.Names(nil, library.Agent, library.Listener); err != nil {
		return nil, err
	}
	data, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	return k, c.Set(name, data)
}
