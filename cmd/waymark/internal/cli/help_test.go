package cli

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// run returns what the command prints, and its exit status.
func run(args ...string) (stdout, stderr string, status int) {
	var out, err strings.Builder
	status = Main(args, nil, strings.NewReader(""), &out, &err)
	return out.String(), err.String(), status
}

func TestHelp(t *testing.T) {
	app := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	for _, cmd := range app.root().Commands() {
		help, _, status := run(cmd.Name(), "-h")
		if status != 0 {
			t.Errorf("%s -h: status %d", cmd.Name(), status)
		}
		for _, line := range strings.Split(help, "\n") {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("%s -h: %d columns: %s", cmd.Name(), n, line)
			}
		}
		_, text, _ := strings.Cut(help, "Examples:\n")
		text, _, _ = strings.Cut(text, "\n\n")
		if n := strings.Count(text, "waymark"); cmd.Name() != "help" && (n < 2 || strings.Count(text, "\n") != 1) {
			t.Errorf("%s -h: want two examples, got\n%s", cmd.Name(), text)
		}
	}
}

func TestTopics(t *testing.T) {
	help, _, _ := run("help")
	for name, want := range map[string]string{"patterns": "'store.(*DB).Put'", "conditions": "args.country"} {
		text, _, status := run("help", name)
		if status != 0 || !strings.Contains(text, want) || !strings.Contains(help, "waymark help "+name) {
			t.Errorf("help %s: status %d, want %s in it, and its name in help; got\n%s", name, status, want, text)
		}
		for _, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("help %s: %d columns: %s", name, n, line)
			}
		}
	}
}

// The common flags come first, and the others when they are asked for.
func TestHelpAll(t *testing.T) {
	some, _, _ := run("run", "-h")
	all, _, status := run("run", "--help-all")
	if status != 0 || !strings.Contains(some, "--top N") || strings.Contains(some, "--untested-go") || !strings.Contains(some, "waymark run --help-all shows") ||
		!strings.Contains(all, "--top N") || !strings.Contains(all, "--untested-go") {
		t.Errorf("status %d; run -h:\n%s\nrun --help-all:\n%s", status, some, all)
	}
	help, _, _ := run("help")
	for _, title := range []string{"Start:\n  run ", "Recordings:\n  report ", "Running programs:\n  ps ", "Coverage:\n  seen ", "Other:\n  groups "} {
		if !strings.Contains(help, title) {
			t.Errorf("help lacks %q:\n%s", title, help)
		}
	}
}

// Names that come near are asked for, also with one dash.
func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"reprot x.wmt":                 "unknown command reprot; is it report?",
		"app.wmt":                      "unknown command app.wmt; is it waymark report app.wmt?",
		"help reprot":                  "unknown command reprot; is it report?",
		"zzzzz":                        "unknown command zzzzz; see waymark help",
		"report":                       "report: want a recording: waymark report [flags] FILE...",
		"report -top 5 x":              "unknown flag -top: waymark's flags have two dashes: --top",
		"tree -callers=x x":            "unknown flag -callers=x: waymark's flags have two dashes: --callers",
		"report --tpo 5 x":             "unknown flag --tpo; is it --top?",
		"report --zzzzz 5 x":           "unknown flag --zzzzz; see waymark report -h",
		"report --top":                 "flag --top needs a value",
		"report --top x x":             "--top=x: want a whole number",
		"report --min soon x":          "--min=soon: want a duration, as in 10us or 1.5s; a number is seconds",
		"report --sort tot x":          `--sort: sort by "tot": want total, self, calls, avg, max, panics, errors, objects, bytes, running, runnable or waiting; is it total?`,
		"report --by packages x":       `--by: a report by "packages": want function, package, group, goroutine or type; is it package?`,
		"report --format jsn x":        `--format: format "jsn": want text, json, csv or html; is it json?`,
		"report --names ful x":         "--names=ful: want short or full; is it full?",
		"traces --critical x":          "traces: --critical needs one trace: name it by its key, as waymark traces lists it",
		"run --waiting --calls-only .": "run: --waiting divides times, and --calls-only has no times: use one of them",
		"run --inclde x .":             "unknown flag --inclde; is it --include?",
		"run --race .":                 "unknown flag --race; is it -race? The go command's flags have one dash",
		"run --zzzzz .":                "unknown flag --zzzzz; the go command's flags have one dash",
		"run --by args.n -ask 5 .":     "unknown flag -ask: neither waymark nor go build has it; the program's own flags follow its package: waymark run . -ask",
		// A number behind an unknown flag is not taken for a process.
		"record --for 1s -o z.wmt -ask 1 .": "unknown flag -ask: neither waymark nor go build has it; the program's own flags follow its package: waymark record . -ask",
		"record -race 1":                    "record: -race is for builds, and 1 is a process that runs: leave one of them out",
		"record 1 .":                        "record: . is to be built, and 1 is a process that runs: leave one of them out; for its functions, give patterns such as ./... or main.*",
		"record 1 main.go":                  "record: main.go is to be built, and 1 is a process that runs: leave one of them out; for its functions, give patterns such as ./... or main.*",
		"record 1 -ask 5":                   "unknown flag -ask; is it --all?",
		"record --for 1s 1 --ouput x":       "unknown flag --ouput; is it --output?",
		"run --top=x .":                     "--top=x: want a whole number",
		"run --overflow rnig .":             "--overflow=rnig: want block, drop or ring; is it ring?",
		"test --trace=fialed .":             "--trace=fialed: want --trace, which is --trace=failed, or --trace=all; is it failed?",
		"run --args main.work .":            "--args main.work: a pattern stands behind an equals sign, --args=main.work",
		"test --results T.M ./x":            "--results T.M: a pattern stands behind an equals sign, --results=T.M",
		"groups --format=jsn ./x":           "groups: --format jsn: want text, json, properties; is it json?",
	} {
		if _, got, status := run(strings.Fields(args)...); got != "waymark: "+want+"\n" || status != exitUsage {
			t.Errorf("waymark %s: status %d\ngot  %swant waymark: %s", args, status, got, want)
		}
	}
}

func TestFormerly(t *testing.T) {
	for old, now := range formerly {
		of, flag, _ := strings.Cut(old, "--")
		commands := []string{of}
		if of == "" {
			commands = []string{"report", "build"}
		}
		for _, c := range commands {
			if _, got, status := run(strings.TrimSpace(c), "--"+flag, "x"); got != "waymark: unknown flag --"+flag+": it is "+now+" now\n" || status != exitUsage {
				t.Errorf("waymark %s --%s: status %d, %s", c, flag, status, got)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	const noFiles, extension = ":4\n", ":8\n"
	for args, want := range map[string]string{
		"report --sort ":      "total\nself\ncalls\navg\nmax\npanics\nerrors\nobjects\nbytes\nrunning\nrunnable\nwaiting\n" + noFiles,
		"report --sort=c":     "calls\n" + noFiles,
		"top --sort ":         "total\nself\ncalls\navg\nmax\npanics\nerrors\nrunning\nrunnable\nwaiting\n" + noFiles,
		"tree --format j":     "json\n" + noFiles,
		"info --format ":      "text\njson\n" + noFiles,
		"run --by ":           "function\npackage\ngroup\ngoroutine\ntype\n" + noFiles,
		"run --overflow ":     "block\ndrop\nring\n" + noFiles,
		"record --overflow=r": "ring\n" + noFiles,
		"test --trace=":       "failed\nall\n" + noFiles,
		"test --names ":       "short\nfull\n" + noFiles,
		"groups --format p":   "properties\n" + noFiles,
		"report ":             "wmt\n" + extension,
		"replay --config ":    "toml\n" + extension,
		"build ":              ":0\n",
		"clean ":              noFiles,
	} {
		list := append([]string{"__complete"}, strings.Split(args, " ")...)
		if got, _, _ := run(list...); got != want {
			t.Errorf("waymark %s<TAB>: %q, want %q", args, got, want)
		}
	}
}
