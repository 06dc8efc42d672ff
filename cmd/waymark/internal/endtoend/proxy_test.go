package endtoend

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modzip "golang.org/x/mod/zip"
)

// proxy is a command of scripts: proxy DIR VERSION MODULE... adds modules, named by their
// folders, to a module proxy made of files. GOPROXY=file://DIR has the go command ask it.
func proxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: proxy DIR VERSION MODULE...")
	}
	for _, src := range args[2:] {
		ts.Check(publish(ts.MkAbs(args[0]), args[1], ts.MkAbs(src)))
	}
}

// publish adds the module in the folder src to the module proxy in the folder dir.
func publish(dir, version, src string) error {
	mod, err := os.ReadFile(filepath.Join(src, "go.mod"))
	if err != nil {
		return err
	}
	id := module.Version{Path: modfile.ModulePath(mod), Version: version}
	path, err := module.EscapePath(id.Path)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(dir, "list"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	versions := append(strings.Fields(string(list)), version)
	semver.Sort(versions)
	for name, text := range map[string]string{
		"list": strings.Join(versions, "\n") + "\n", version + ".mod": string(mod), version + ".info": `{"Version":"` + version + `"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		return err
	}
	files, err := filesOf(src)
	if err == nil {
		err = modzip.Create(f, id, files)
	}
	if err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// filesOf lists the files of the module in the folder src, without what make builds. The folder
// bin, which make fills, holds the log that this test is writing.
func filesOf(src string) ([]modzip.File, error) {
	checked, err := modzip.CheckDir(src)
	if err != nil {
		return nil, err
	}
	var files []modzip.File
	for _, name := range checked.Valid {
		path, err := filepath.Rel(src, name)
		if err != nil {
			return nil, err
		}
		if path = filepath.ToSlash(path); !strings.HasPrefix(path, "bin/") {
			files = append(files, diskFile{path, name})
		}
	}
	return files, nil
}

// A diskFile is a file of a module: its slash-separated path there, and its name on the disk.
type diskFile struct{ path, name string }

func (f diskFile) Path() string                 { return f.path }
func (f diskFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.name) }
func (f diskFile) Open() (io.ReadCloser, error) { return os.Open(f.name) }
