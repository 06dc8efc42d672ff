package pattern

import (
	"slices"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	funcs := []Func{
		{Package: "net/http", Dir: "/go/src/net/http", Name: "Get"},
		{Package: "net/http", Dir: "/go/src/net/http", Name: "Client.Do"},
		{Package: "net/http/httptest", Dir: "/go/src/net/http/httptest", Name: "NewServer"},
		{Package: "gopkg.in/yaml.v3", Dir: "/mod/yaml.v3", Name: "Unmarshal"},
		{Package: "example.com/app", Dir: "/src/app", Main: true, Name: "main"},
		{Package: "example.com/app", Dir: "/src/app", Main: true, Name: "T.Close"},
		{Package: "example.com/app/lib", Dir: "/src/app/lib", Name: "T.Close"},
		{Package: "example.com/apple", Dir: "/src/apple", Name: "F"},
	}
	const exact = "exact "
	for pattern, want := range map[string]string{
		"net/http":              "net/http.Get net/http.Client.Do",
		"net/http/...":          "net/http.Get net/http.Client.Do net/http/httptest.NewServer",
		"net/http.Get":          exact + "net/http.Get",
		"net/http.*":            "net/http.Get",
		"net/http.Client.*":     "net/http.Client.Do",
		"net/http.(*Client).Do": exact + "net/http.Client.Do",
		"gopkg.in/yaml.v3":      "gopkg.in/yaml.v3.Unmarshal",
		"gopkg.in/...":          "gopkg.in/yaml.v3.Unmarshal",
		"main.main":             exact + "example.com/app.main",
		"main.*":                "example.com/app.main",
		"example.com/app/...":   "example.com/app.main example.com/app.T.Close example.com/app/lib.T.Close",
		"example.com/....Close": "example.com/app.T.Close example.com/app/lib.T.Close",
		"/Close$/":              "example.com/app.T.Close example.com/app/lib.T.Close",
		"/^main\\.T/":           "example.com/app.T.Close",
		"./...":                 "example.com/app.main example.com/app.T.Close example.com/app/lib.T.Close",
		".":                     "example.com/app.main example.com/app.T.Close",
		"./lib":                 "example.com/app/lib.T.Close",
		"../apple":              "example.com/apple.F",
		"/src/apple":            "example.com/apple.F",
		"std":                   "net/http.Get net/http.Client.Do net/http/httptest.NewServer",
		"all": "net/http.Get net/http.Client.Do net/http/httptest.NewServer gopkg.in/yaml.v3.Unmarshal example.com/app.main " +
			"example.com/app.T.Close example.com/app/lib.T.Close example.com/apple.F",
		"net/htt":     "",
		"Get":         "",
		"net/http.Ge": "",
	} {
		p, err := Compile(pattern, "/src/app")
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		var got []string
		isExact := false
		for _, f := range funcs {
			ok, e := p.Match(f)
			if ok {
				got = append(got, f.Full())
				isExact = isExact || e
				if !p.MayMatch(f.Package, f.Dir, f.Main) {
					t.Errorf("%s matches %s, but not perhaps", pattern, f.Full())
				}
			}
		}
		text := strings.Join(got, " ")
		if isExact {
			text = exact + text
		}
		if text != want {
			t.Errorf("%s matches %q; want %q", pattern, text, want)
		}
	}
	for _, bad := range []string{"", "@", "/(/"} {
		if _, err := Compile(bad, "/"); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestMayMatchIsNarrow(t *testing.T) {
	for _, c := range []struct {
		pattern, pkg string
		want         bool
	}{
		{"net/http.Get", "net/http", true},
		{"net/http.Get", "net", false},
		{"strings", "net/http", false},
		{"std", "example.com/app", false},
		{"main.main", "example.com/app", false},
		{"net/...", "net/http", true},
		{"net/h...p.Get", "net/http", true},
	} {
		p, err := Compile(c.pattern, "/")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.MayMatch(c.pkg, "/x", false); got != c.want {
			t.Errorf("%s may match functions of %s: %v; want %v", c.pattern, c.pkg, got, c.want)
		}
	}
}

func TestSet(t *testing.T) {
	s, err := CompileSet([]string{"strings, bytes", "/a,b/,fmt", "/x/"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Unmatched(), []string{"strings", "bytes", "/a,b/", "fmt", "/x/"}; !slices.Equal(got, want) {
		t.Errorf("patterns are %q; want %q", got, want)
	}
	s.Match(Func{Package: "fmt", Name: "Print"})
	if got := s.Unmatched(); slices.Contains(got, "fmt") || len(got) != 4 {
		t.Errorf("unmatched: %q", got)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"example.com/app.handle", "main.handle", "main.main", "strings.Map"}
	for text, want := range map[string][]string{
		"main.handel": {"main.handle", "main.main"},
		"strings.map": {"strings.Map"},
		"zzzzzzzzzzz": nil,
	} {
		if got := Nearest(text, names, 2); len(got) == 0 != (len(want) == 0) || len(want) > 0 && got[0] != want[0] {
			t.Errorf("nearest to %s: %q; want %q", text, got, want)
		}
	}
}

func TestFromRuntime(t *testing.T) {
	for _, c := range []struct{ pkg, name, full string }{
		{"net/http", "net/http.(*Client).Do", "net/http.Client.Do"},
		{"example.com/p", "example.com/p.G[...]", "example.com/p.G"},
		{"example.com/p", "example.com/p.(*T[...]).M.func1", "example.com/p.T.M.func1"},
		{"example.com/app", "main.main", "example.com/app.main"},
		{"gopkg.in/yaml.v3", "gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in/yaml.v3.Unmarshal"},
	} {
		if got := FromRuntime(c.pkg, c.name).Full(); got != c.full {
			t.Errorf("%s of %s is %s; want %s", c.name, c.pkg, got, c.full)
		}
	}
}

func TestRebase(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      nil,
		"./...":                 {"/m/..."},
		".,../x,net/http":       {"/m", "/x", "net/http"},
		"main.f,/^a,b$/":        {"main.f", "/^a,b$/"},
		"/abs/p":                {"/abs/p"},
		"...Close,.../internal": {"...Close", ".../internal"},
	} {
		if got := Rebase(text, "/m"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
