package main

import (
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
	if err := modzip.CreateFromDir(f, id, src); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
