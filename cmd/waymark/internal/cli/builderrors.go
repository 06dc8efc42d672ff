package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
)

// buildErrors is a writer for what go test says on stderr, in whole lines. It keeps back what
// the compiler says, because the compiler sees rewritten code: the plain build has the
// words for that, see say. What vet says is passed on.
type buildErrors struct {
	w        io.Writer
	header   string // the line "# package" that was read last, if nothing was read since
	holding  bool
	held     bytes.Buffer
	packages []string // that the compiler rejects, as in "# package [tests]"
}

var diagnostic = regexp.MustCompile(`^(\s|\S+\.go:\d+|too many errors)`)

func (e *buildErrors) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		out := ""
		switch {
		case strings.HasPrefix(line, "# ["): // the second line of what vet says
			out, e.header = e.header+line, ""
		case strings.HasPrefix(line, "# "):
			out, e.header, e.holding = e.header, line, false
		case e.header != "" && diagnostic.MatchString(line):
			e.packages = append(e.packages, strings.TrimSpace(e.header[2:]))
			e.held.WriteString(e.header + line)
			e.header, e.holding = "", true
		case e.holding && diagnostic.MatchString(line):
			e.held.WriteString(line)
		default:
			out, e.header, e.holding = e.header+line, "", false
		}
		if _, err := io.WriteString(e.w, out); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// say ends the output of go test: with the compiler's words for the plain tests, or what was
// kept back if these compile.
func (a *app) say(e *buildErrors, b *build.Build, f *buildFlags) {
	io.WriteString(e.w, e.header)
	if len(e.packages) == 0 {
		return
	}
	var tests []string
	for _, p := range e.packages {
		name, variant, ok := strings.Cut(strings.TrimSuffix(p, ".test]"), " [")
		if !ok {
			variant = b.Dependent(name)
		}
		if !slices.Contains(tests, variant) {
			tests = append(tests, variant)
		}
	}
	plain := b.Plain.Command(slices.Concat([]string{"test"}, b.Given.Without("o", "c"), []string{"-c", "-o", os.DevNull}, tests)...)
	var out bytes.Buffer
	plain.Stderr = &out
	a.trace(f, plain)
	if await(plain) != nil && out.Len() > 0 {
		out.WriteTo(e.w)
		return
	}
	if text := groupErrors(e.held.String()); text != "" {
		io.WriteString(e.w, text)
		return
	}
	e.held.WriteTo(e.w)
	fmt.Fprintln(a.stderr, "waymark: the tests "+ourFault)
}

// What the compiler says of what a directive takes for a group: it reads the directive's position,
// and code of the generated file, where names are ours.
var (
	noGroup    = regexp.MustCompile(`^(.+:\d+:\d+): cannot use (\S+) \(.*of (?:\S+ )?type (.*)\) as \*.*\.Group value in argument to wmt?\d*_group`)
	aboutGroup = regexp.MustCompile(`^(.+?:\d+(?::\d+)?): (.*\bwmt?\d*_g(?:\d+\.|roup\b).*)`)
	ourNames   = regexp.MustCompile(`\bwmt?\d*_g\d+\.`)
	argumentTo = regexp.MustCompile(` in argument to wmt?\d*_group`)
)

// groupErrors returns what the compiler says of such things, in words of the user's, if it says
// nothing else.
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
			b.WriteString(noGroup.ReplaceAllString(line, "$1: //waymark:trace: $2 is of type $3"+want))
		default:
			text := argumentTo.ReplaceAllString(m[2], "")
			if !strings.HasPrefix(text, "undefined: ") {
				text += want
			}
			b.WriteString(m[1] + ": //waymark:trace: " + text)
		}
		b.WriteString("\n")
	}
	return ourNames.ReplaceAllString(b.String(), "")
}
