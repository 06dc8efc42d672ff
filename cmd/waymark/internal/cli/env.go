package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) envCommand() *cobra.Command {
	var f buildFlags
	var outFormat string
	return a.buildCmd("env [--flags] [go build flags] [packages]",
		"print the environment of an instrumented build, for other tools", "", mixed,
		func(set *pflag.FlagSet) {
			f.define(set)
			set.StringVar(&outFormat, "format", "text", "text or json")
		},
		func(line *commandLine) error {
			if outFormat != "text" && outFormat != "json" {
				return usagef("--format=%s: want text or json", outFormat)
			}
			b, err := a.prepare(&f, line.flags, line.args, false)
			if err != nil || b == nil {
				return err
			}
			if b.Version != "" {
				return usagef("env: %s: other tools can't build a package at a version: clone its module, and name the package in the clone", line.args[0])
			}
			all, err := goflags(b.Env.GOFLAGS, b.Flags)
			if err != nil {
				return err
			}
			vars := [][2]string{{"GOFLAGS", all}}
			for _, kv := range b.Env.Extra {
				k, v, _ := strings.Cut(kv, "=")
				vars = append(vars, [2]string{k, v})
			}
			if outFormat == "json" {
				m := make(map[string]string)
				for _, kv := range vars {
					m[kv[0]] = kv[1]
				}
				enc := json.NewEncoder(a.stdout)
				enc.SetIndent("", "\t")
				return enc.Encode(m)
			}
			for _, kv := range vars {
				if _, err := fmt.Fprintf(a.stdout, "export %s='%s'\n", kv[0], strings.ReplaceAll(kv[1], "'", `'\''`)); err != nil {
					return err
				}
			}
			return nil
		})
}

// goflags appends flags to a value of GOFLAGS, in which flags and values are one
// word, quoted if they hold spaces.
func goflags(old string, flags []string) (string, error) {
	words := strings.Fields(old)
	for i := 0; i < len(flags); i++ {
		w := flags[i]
		if !strings.Contains(w, "=") && i+1 < len(flags) && !strings.HasPrefix(flags[i+1], "-") {
			i++
			w += "=" + flags[i]
		}
		switch {
		case !strings.ContainsAny(w, " \t'\""):
		case !strings.Contains(w, "'"):
			w = "'" + w + "'"
		case !strings.Contains(w, `"`):
			w = `"` + w + `"`
		default:
			return "", fmt.Errorf("env: GOFLAGS can't hold %s, which has both kinds of quotes: give -flags without quotes, or use a folder without blanks in its name", w)
		}
		words = append(words, w)
	}
	return strings.Join(words, " "), nil
}
