package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
)

// buildErrors is a writer for the go command's stderr, in whole lines. It keeps the compiler's
// messages back, because the compiler sees rewritten code: say replaces them by those of a plain
// build. Other lines, for example vet's, are passed on.
type buildErrors struct {
	w        io.Writer
	header   string // the line "# package" that was read last, if nothing was read since
	holding  bool
	rejected []rejection
}

// A rejection is what the compiler says of one package.
type rejection struct {
	pkg  string // as in the line "# package [tests]"
	text string // with that line
}

var diagnostic = regexp.MustCompile(`^(\s|\S+\.(go|s):\d+|asm: |too many errors)`)

func (e *buildErrors) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		out := ""
		switch {
		case strings.HasPrefix(line, "# ["): // the second line of what vet says
			out, e.header = e.header+line, ""
		case strings.HasPrefix(line, "# "):
			out, e.header, e.holding = e.header, line, false
		case e.header != "" && diagnostic.MatchString(line):
			e.rejected = append(e.rejected, rejection{strings.TrimSpace(e.header[2:]), e.header + line})
			e.header, e.holding = "", true
		case e.holding && diagnostic.MatchString(line):
			e.rejected[len(e.rejected)-1].text += line
		default:
			out, e.header, e.holding = e.header+line, "", false
		}
		if _, err := io.WriteString(e.w, out); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// rejections returns what the compiler says in the output of the go command.
func rejections(out string) []rejection {
	e := &buildErrors{w: io.Discard}
	io.WriteString(e, out)
	return e.rejected
}

// say ends the output of go test. It prints the compiler's messages about the plain tests, then
// those that were kept back about packages that compile plain.
func (a *app) say(e *buildErrors, b *build.Build, f *buildFlags) {
	io.WriteString(e.w, e.header)
	if len(e.rejected) == 0 {
		return
	}
	var tests []string
	for _, r := range e.rejected {
		name, variant, ok := strings.Cut(strings.TrimSuffix(r.pkg, ".test]"), " [")
		if !ok {
			variant = b.Dependent(name)
		}
		if !slices.Contains(tests, variant) {
			tests = append(tests, variant)
		}
	}
	out, ok := a.plain(b, f, "test", b.Given.Without("o", "c"), append([]string{"-c", "-o", os.DevNull}, tests...), false)
	text, fault := onlyRewritten(e.rejected, out)
	if ok {
		fault = "the tests build without waymark but not with it: " + isOurs
	} else {
		io.WriteString(e.w, out)
	}
	if text == "" {
		return
	}
	if groups := groupErrors(text); groups != "" {
		io.WriteString(e.w, groups)
		return
	}
	io.WriteString(e.w, text)
	fmt.Fprintln(a.stderr, "waymark: "+fault)
}

// The compiler's messages about a variable that a directive takes for a group. They have the
// directive's position, but quote generated code, whose names are waymark's.
var (
	noGroup    = regexp.MustCompile(`^(.+:\d+:\d+): cannot use (\S+) \(.*of (?:\S+ )?type (.*)\) as \*.*\.Group value in argument to wmt?\d*_group`)
	aboutGroup = regexp.MustCompile(`^(.+?:\d+(?::\d+)?): (.*\bwmt?\d*_g(?:\d+\.|roup\b).*)`)
	ourNames   = regexp.MustCompile(`\bwmt?\d*_g\d+\.`)
	argumentTo = regexp.MustCompile(` in argument to wmt?\d*_group`)
)

// groupErrors returns such messages with the user's names, "" if out has any other message.
func groupErrors(out string) string {
	const want = ": want a variable that holds a *waymark.Group"
	var b strings.Builder
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		m := aboutGroup.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "# "):
			b.WriteString(line)
		case strings.HasSuffix(line, "too many errors"):
			continue
		case m == nil:
			return ""
		case noGroup.MatchString(line):
			b.WriteString(noGroup.ReplaceAllString(line, "$1: //waymark:group: $2 is of type $3"+want))
		default:
			text := argumentTo.ReplaceAllString(m[2], "")
			if !strings.HasPrefix(text, "undefined: ") {
				text += want
			}
			b.WriteString(m[1] + ": //waymark:group: " + text)
		}
		b.WriteString("\n")
	}
	return ourNames.ReplaceAllString(b.String(), "")
}
