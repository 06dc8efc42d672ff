package cover

import (
	"encoding/json"
	"fmt"
	"os"
)

// A pkgConfig is what the go command passes to cover about a package, see
// cmd/internal/cov/covcmd. Members that this package doesn't know stay as they are.
type pkgConfig map[string]any

func (c *pkgConfig) read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("-cover: the go command calls its tool cover in a way that waymark does not know: %w", err)
	}
	if err := json.Unmarshal(data, c); err != nil {
		return fmt.Errorf("-cover: %s: %w", path, err)
	}
	return nil
}

func (c pkgConfig) path() string {
	path, _ := c["PkgPath"].(string)
	return path
}

// local reports whether profiles have the whole paths of files.
func (c pkgConfig) local() bool {
	local, _ := c["Local"].(bool)
	return local
}

// write writes the configuration for a run whose results about the package nobody reads.
func (c pkgConfig) write(path, out string) error {
	c["OutConfig"], c["EmitMetaFile"] = out, ""
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
