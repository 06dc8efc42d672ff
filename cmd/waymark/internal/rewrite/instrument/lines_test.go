package instrument

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// The compiler of go1.27 takes relative names in //line directives from the folder of the file that it
// reads, which is another one.
func TestLineDirectives(t *testing.T) {
	const source = `package m

//line a.y:10
func f() {
	x := 1 //line b.y:1
//line sub/c.y:20:5
	_ = x /*line d.y:7:8*/
//line /abs/e.y:30
//line :31
//line f.y
//line C:g.y:32
}
`
	want := strings.NewReplacer(
		"//line a.y", "//line /src/m/a.y", "//line sub/", "//line /src/m/sub/", "/*line d.y", "/*line /src/m/d.y", "//line C:g", "//line /src/m/C:g",
	).Replace(source)
	for release, want := range map[string]string{"go1.26.8": source, "go1.27.2": want, "": source} {
		o := &Options{Config: syntax.Config{Toolchain: release}}
		a, err := Analyze(&syntax.Unit{ImportPath: "m", Files: []syntax.File{{Path: "/src/m/m.go", Source: []byte(source)}}}, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Funcs {
			f.Instrument = true
		}
		plan, err := a.Plan()
		if err != nil {
			t.Fatal(err)
		}
		text, err := plan.Files[0].Text()
		if err != nil {
			t.Fatal(err)
		}
		directives := func(text string) (out []string) {
			for line := range strings.Lines(text) {
				if strings.Contains(line, "line ") {
					out = append(out, line)
				}
			}
			return out
		}
		if got, want := strings.Join(directives(string(text)), ""), strings.Join(directives(want), ""); got != want {
			t.Errorf("%s:\n%swant:\n%s", release, got, want)
		}
	}
}
