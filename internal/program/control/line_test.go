package control

import "testing"

func TestParseLine(t *testing.T) {
	for target, want := range map[string]string{
		"main.go:38":         "main.go",
		"./main.go:38":       "main.go",
		"../store//db.go:38": "store/db.go",
		"/src/db.go:38":      "/src/db.go",
		"main.go":            "",
		"main.go:0":          "",
		"main.go:x":          "",
		"a.b:38":             "",
	} {
		file, line, ok := ParseLine(target)
		if ok != (want != "") || ok && (file != want || line != 38) {
			t.Errorf("%s: %q, %d, %t; want %q", target, file, line, ok, want)
		}
	}
}
