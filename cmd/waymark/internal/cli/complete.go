package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/manifest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/dashboard"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/diff"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/testtrace"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/tracefile"
)

// completes sets the shells' completion of a command: the values of its flags, and its files.
func completes(cmd *cobra.Command) {
	if cmd.DisableFlagParsing { // then cobra leaves values of flags to us, too
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if name, part, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
				return valuesOf(cmd, name[2:], args, part)
			}
			if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "--") {
				if f := cmd.Flags().Lookup(args[n-1][2:]); f != nil && f.NoOptDefVal == "" {
					return valuesOf(cmd, f.Name, args, word)
				}
			}
			return nil, cobra.ShellCompDirectiveDefault
		}
		return
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return valuesOf(cmd, f.Name, args, word)
		})
	})
	if strings.Contains(cmd.Use, "FILE") || strings.Contains(cmd.Use, "OLD NEW") {
		cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"wmt"}, cobra.ShellCompDirectiveFilterFileExt)
	} else {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}

// valuesOf returns the values of a flag that word may be the beginning of. args are the arguments
// before it.
func valuesOf(cmd *cobra.Command, flag string, args []string, word string) ([]string, cobra.ShellCompDirective) {
	switch flag {
	case "config":
		return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
	case "output", "counts", "check":
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list []string
	for _, v := range values(cmd, flag, args) {
		if strings.HasPrefix(v, word) {
			list = append(list, v)
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func values(cmd *cobra.Command, flag string, args []string) []string {
	switch flag {
	case "sort":
		switch cmd.Name() {
		case "attach":
			return dashboard.Sorts()
		case "top":
			return topColumns
		}
		return report.Sorts
	case "by":
		return report.Bys
	case "names", "overflow":
		return setting.Find(flag).Choices
	case "trace":
		return traceModes
	case "to":
		return exportNames()
	case "fail-over":
		return []string{"5%", "10%"}
	case "budget":
		return []string{"3%", "3%,strict", "10%", "0", noBudget}
	case "format":
		switch cmd.Name() {
		case "report":
			return append(slices.Clone(report.Formats), htmlFormat)
		case "groups":
			return manifest.Formats
		case "diff":
			return diff.Formats
		case "info":
			return report.Formats[:2] // it is no table
		case "tree":
			return report.TreeFormats
		case "ps", "status", "on", "off", "reset", "resume", "top", "watch", "calls", "trace", "stack", "monitor", "dump", "record":
			return liveFormats
		case "sample":
			return append(slices.Clone(liveFormats), sampleFormats...)
		}
		return report.Formats
	case "monitor":
		return control.Monitors
	case "on":
		return endsOfCalls
	case "verbose":
		return []string{"0", "1", "2", "3", "4"}
	case "test":
		return testNames(args)
	case "include", "exclude", "without", "root", "callers", "print", "args", "results":
		if cmd.DisableFlagParsing {
			return declaredGroups(".")
		}
		return recordedGroups(args)
	}
	return nil
}

// recordedGroups returns the groups of the recordings among arguments.
func recordedGroups(files []string) (list []string) {
	eachFile(files, func(f *tracefile.File) {
		f.Funcs(func(_ uint32, s tracefile.Func) bool {
			for _, g := range s.Groups {
				list = append(list, "@"+g)
			}
			return true
		})
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// testNames returns the tests in the recordings among arguments.
func testNames(files []string) (list []string) {
	eachFile(files, func(f *tracefile.File) {
		for _, t := range testtrace.Open(f).Tests {
			list = append(list, t.Name)
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

func eachFile(files []string, do func(*tracefile.File)) {
	for _, name := range files {
		if f, err := tracefile.Open(name); err == nil {
			do(f)
			f.Close()
		}
	}
}

var newGroup = regexp.MustCompile(`\bNewGroup\("([^"]+)"`)

// declaredGroups returns the groups that Go files below a folder declare. It only searches the text
// of the files, because a completion must be quick.
func declaredGroups(dir string) (list []string) {
	files := 0
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return nil
		case d.IsDir():
			if path != dir && (name == "vendor" || name == "testdata" || name[0] == '.' || name[0] == '_') {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go"):
			if files++; files > 2000 {
				return fs.SkipAll
			}
			src, _ := os.ReadFile(path)
			for _, m := range newGroup.FindAllSubmatch(src, -1) {
				list = append(list, "@"+string(m[1]))
			}
		}
		return nil
	})
	slices.Sort(list)
	return slices.Compact(list)
}
