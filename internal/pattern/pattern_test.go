package pattern

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/waymark-go/waymark/internal/text/names"
)

func TestMatch(t *testing.T) {
	funcs := []Func{
		{Package: "net/http", Dir: "/go/src/net/http", Name: "Get"},
		{Package: "net/http", Dir: "/go/src/net/http", Name: "Client.Do"},
		{Package: "net/http", Dir: "/go/src/net/http", Name: "Get.func1"},
		{Package: "net/http/httptest", Dir: "/go/src/net/http/httptest", Name: "NewServer"},
		{Package: "gopkg.in/yaml.v3", Dir: "/mod/yaml.v3", Name: "Unmarshal"},
		{Package: "example.com/app", Dir: "/src/app", Main: true, Name: "main"},
		{Package: "example.com/app", Dir: "/src/app", Main: true, Name: "T.Close"},
		{Package: "example.com/app/lib", Dir: "/src/app/lib", Name: "T.Close"},
		{Package: "example.com/apple", Dir: "/src/apple", Name: "F"},
	}
	const exact = "exact "
	for pattern, want := range map[string]string{
		"net/http":              "net/http.Get net/http.Client.Do net/http.Get.func1",
		"net/http/...":          "net/http.Get net/http.Client.Do net/http.Get.func1 net/http/httptest.NewServer",
		"net/http.Get":          exact + "net/http.Get",
		"net/http.*":            "net/http.Get net/http.Client.Do net/http.Get.func1",
		"net/http.Client":       "net/http.Client.Do",
		"net/http.(*Client)":    "net/http.Client.Do",
		"net/http.G*":           "net/http.Get",
		"net/http.Client.*":     "net/http.Client.Do",
		"net/http.(*Client).Do": exact + "net/http.Client.Do",
		"gopkg.in/yaml.v3":      "gopkg.in/yaml.v3.Unmarshal",
		"gopkg.in/...":          "gopkg.in/yaml.v3.Unmarshal",
		"gopkg.in/yaml%2ev3":    "gopkg.in/yaml.v3.Unmarshal",
		"main.main":             exact + "example.com/app.main",
		"main.*":                "example.com/app.main example.com/app.T.Close",
		"example.com/app/...":   "example.com/app.main example.com/app.T.Close example.com/app/lib.T.Close",
		"example.com/....Close": "example.com/app.T.Close example.com/app/lib.T.Close",
		"/Close$/":              "example.com/app.T.Close example.com/app/lib.T.Close",
		"/^main\\.T/":           "example.com/app.T.Close",
		"./...":                 "example.com/app.main example.com/app.T.Close example.com/app/lib.T.Close",
		".":                     "example.com/app.main example.com/app.T.Close",
		"./lib":                 "example.com/app/lib.T.Close",
		"../apple":              "example.com/apple.F",
		"/src/apple":            "example.com/apple.F",
		"std":                   "net/http.Get net/http.Client.Do net/http.Get.func1 net/http/httptest.NewServer",
		"all": "net/http.Get net/http.Client.Do net/http.Get.func1 net/http/httptest.NewServer gopkg.in/yaml.v3.Unmarshal example.com/app.main " +
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

// Names are as they are printed: with short paths, stars and brackets.
func TestPrintedNames(t *testing.T) {
	funcs := []Func{
		FromRuntime("example.com/shop/cache", "example.com/shop/cache.(*LRU[...]).Get"),
		FromRuntime("example.com/shop/cache", "example.com/shop/cache.(*LRU[...]).Put"),
		FromRuntime("example.com/shop/a/store", "example.com/shop/a/store.Open"),
		FromRuntime("example.com/shop/b/store", "example.com/shop/b/store.Open"),
		FromRuntime("example.com/shop/b/store", "example.com/shop/b/store.Close"),
		FromRuntime("github.com/lib/cache", "github.com/lib/cache.Get"),
		FromRuntime("gopkg.in/yaml.v3", "gopkg.in/yaml%2ev3.Unmarshal"),
		FromRuntime("github.com/hashicorp/golang-lru/v2", "github.com/hashicorp/golang-lru/v2.New"),
		FromRuntime("example.com/shop/queue/v2", "example.com/shop/queue/v2.(*Queue).Push"),
		FromRuntime("gopkg.in/ini.v1", "gopkg.in/ini%2ev1.Load"),
		FromRuntime("errors", "errors.New"),
		FromRuntime("github.com/pkg/errors", "github.com/pkg/errors.New"),
		FromRuntime("example.com/shop", "main.run"),
	}
	var packages []Package
	for _, f := range funcs {
		p := Package{Path: f.Package, Own: strings.HasPrefix(f.Package, "example.com/")}
		switch f.Package {
		case "github.com/hashicorp/golang-lru/v2":
			p.Name = "lru"
		case "gopkg.in/yaml.v3":
			p.Name = "yaml"
		}
		packages = append(packages, p)
	}
	for text, want := range map[string]string{
		"cache.(*LRU[...]).Get":             "example.com/shop/cache.LRU.Get",
		"cache.(*LRU).Get":                  "example.com/shop/cache.LRU.Get",
		"cache.LRU.Get":                     "example.com/shop/cache.LRU.Get",
		"shop/cache.(*LRU).Get":             "example.com/shop/cache.LRU.Get",
		"cache.(*LRU).*":                    "example.com/shop/cache.LRU.Get example.com/shop/cache.LRU.Put",
		"cache.*":                           "example.com/shop/cache.LRU.Get example.com/shop/cache.LRU.Put",
		"cache.LRU":                         "example.com/shop/cache.LRU.Get example.com/shop/cache.LRU.Put",
		"shop/cache.(*LRU)":                 "example.com/shop/cache.LRU.Get example.com/shop/cache.LRU.Put",
		"queue.(*Queue)":                    "example.com/shop/queue/v2.Queue.Push",
		"lib/cache.*":                       "github.com/lib/cache.Get",
		"cache":                             "example.com/shop/cache.LRU.Get example.com/shop/cache.LRU.Put",
		"store.Close":                       "example.com/shop/b/store.Close",
		"store.Open":                        "example.com/shop/a/store.Open example.com/shop/b/store.Open: pattern store.Open names functions of 2 packages: example.com/shop/a/store.Open, example.com/shop/b/store.Open; write more of the path",
		"a/store.Open":                      "example.com/shop/a/store.Open",
		"yaml.v3.Unmarshal":                 "gopkg.in/yaml.v3.Unmarshal",
		"gopkg.in/yaml%2ev3.Unmarshal":      "gopkg.in/yaml.v3.Unmarshal",
		"gopkg.in/yaml%2ev3.*":              "gopkg.in/yaml.v3.Unmarshal",
		"yaml%2ev3.Unmarshal":               "gopkg.in/yaml.v3.Unmarshal",
		"yaml.Unmarshal":                    "gopkg.in/yaml.v3.Unmarshal",
		"yaml":                              "gopkg.in/yaml.v3.Unmarshal",
		"lru.*":                             "github.com/hashicorp/golang-lru/v2.New",
		"lru":                               "github.com/hashicorp/golang-lru/v2.New",
		"lru.New":                           "github.com/hashicorp/golang-lru/v2.New",
		"golang-lru/v2.New":                 "github.com/hashicorp/golang-lru/v2.New",
		"golang-lru.New":                    "github.com/hashicorp/golang-lru/v2.New",
		"queue.Queue.Push":                  "example.com/shop/queue/v2.Queue.Push",
		"queue.(*Queue).*":                  "example.com/shop/queue/v2.Queue.Push",
		"github.com/hashicorp/golang-lru.*": "github.com/hashicorp/golang-lru/v2.New",
		"v2.Queue.Push":                     "example.com/shop/queue/v2.Queue.Push",
		"ini.Load":                          "gopkg.in/ini.v1.Load",
		`/^shop/queue\.\(\*Queue/`:          "example.com/shop/queue/v2.Queue.Push",
		"lru.Old":                           "",
		"errors.New":                        "errors.New",
		"op/cache.(*LRU).Get":               "",
		"Get":                               "",
		"main.run":                          "example.com/shop.run",
		`/^cache\.\(\*LRU\)\.Get$/`:         "example.com/shop/cache.LRU.Get",
		`/^cache\.\(\*LRU\[\.\.\.\]\)/`:     "example.com/shop/cache.LRU.Get example.com/shop/cache.LRU.Put",
		`/^store\.Open$/`:                   "example.com/shop/a/store.Open example.com/shop/b/store.Open",
		`/^main\.run$/`:                     "example.com/shop.run",
		`/^che\./`:                          "",
		`/^yaml\.v3\.U/`:                    "gopkg.in/yaml.v3.Unmarshal",
		`/^gopkg\.in/yaml%2ev3\.U/`:         "gopkg.in/yaml.v3.Unmarshal",
	} {
		s, err := CompileSet([]string{text}, "/")
		if err != nil {
			t.Fatal(err)
		}
		s.Resolve(packages)
		var got []string
		for _, f := range funcs {
			ok, exact := s.Match(f)
			if !ok {
				continue
			}
			got = append(got, f.Full())
			if single := text[0] != '/' && strings.Contains(names.Unescape(normal(text)), f.Name); exact != single {
				t.Errorf("%s names %s exactly: %v", text, f.Full(), exact)
			}
			if !s.MayMatch(f.Package, f.Dir, f.Main) {
				t.Errorf("%s matches %s, but not perhaps", text, f.Full())
			}
		}
		result := strings.Join(got, " ")
		for _, err := range s.Ambiguous() {
			result += ": " + err.Error()
		}
		if result != want {
			t.Errorf("%s matches %q; want %q", text, result, want)
		}
	}
}

func TestLoosen(t *testing.T) {
	s, err := CompileSet([]string{"errors.New", "cache.(*LRU).*"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	s.Loosen()
	for name, want := range map[string]bool{
		"errors.New":                        true,
		"github.com/pkg/errors.New":         true,
		"github.com/pkg/errors.Newf":        false,
		"github.com/pkg/terrors.New":        false,
		"example.com/cache.(*LRU[...]).Get": true,
		"example.com/errors/v2.New":         true,
		"gopkg.in/errors%2ev3.New":          true,
		"example.com/errors/v2/x.New":       false,
		"example.com/errors/v1.New":         false,
	} {
		path, _ := names.Split(name)
		if got, _ := s.Match(FromRuntime(path, name)); got != want {
			t.Errorf("%s matches: %v, want %v", name, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"example.com/app.handle", "main.handle", "main.main", "strings.Map", "example.com/m/cache.(*LRU).Get"}
	for text, want := range map[string][]string{
		"main.handel": {"main.handle"},
		"cache.Get":   {"example.com/m/cache.(*LRU).Get"},
		"strings.map": {"strings.Map"},
		"zzzzzzzzzzz": nil,
		"Get":         {"example.com/m/cache.(*LRU).Get"},
		"LRU.Get":     {"example.com/m/cache.(*LRU).Get"},
		"(*LRU).Gat":  {"example.com/m/cache.(*LRU).Get"},
		"nosuch":      nil, // nearest is attach
	} {
		if got := Nearest(text, append(names, "attach"), 2); !slices.Equal(got, want) {
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

// Goroutines match side by side: make test runs this with the race detector.
func TestMatchSideBySide(t *testing.T) {
	s, err := CompileSet([]string{"cache", "none"}, "")
	if err != nil {
		t.Fatal(err)
	}
	s.Resolve([]Package{{Path: "example.com/a/cache"}, {Path: "example.com/b/cache"}})
	var wg sync.WaitGroup
	for _, path := range []string{"example.com/a/cache", "example.com/b/cache", "example.com/a/cache"} {
		wg.Add(1)
		go func(path string) {
			defer wg.Done()
			s.Match(FromRuntime(path, path+".Get"))
		}(path)
	}
	wg.Wait()
	if got := s.Unmatched(); len(got) != 1 || got[0] != "none" || len(s.Ambiguous()) != 1 {
		t.Errorf("%q matched nothing, %v; want none alone, and that cache names two packages", got, s.Ambiguous())
	}
}

// A text without a pattern is a mistake, as that of a variable that isn't set. main names the command's package.
func TestNoPattern(t *testing.T) {
	for _, text := range []string{"", ",", " "} {
		if _, err := CompileSet([]string{text}, ""); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	p, err := Compile("main", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    Func
		want bool
	}{
		{Func{Package: "example.com/m", Main: true, Name: "F"}, true},
		{Func{Package: "example.com/m", Main: true, Name: "T.M"}, true},
		{Func{Package: "example.com/m", Name: "F"}, false},
	} {
		if ok, _ := p.Match(c.f); ok != c.want {
			t.Errorf("main matches %v: %t, want %t", c.f, ok, c.want)
		}
	}
}
