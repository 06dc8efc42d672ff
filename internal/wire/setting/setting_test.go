package setting

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestEach(t *testing.T) {
	for text, want := range map[string][]string{
		"":                   nil,
		"record":             {"1 record="},
		"record,usdt=0":      {"1 record=", "8 usdt=0"},
		" record , o = a b ": {"1 record=", "10 o=a b"},
		`o=a\,b.wmt,,p=x\.y`: {"1 o=a,b.wmt", `13 p=x\.y`},
		`p:a\#b#d:3#usdt:0`:  {"1 p=a#b", "8 d=3", "12 usdt=0"},
		"o=x=y,last":         {"1 o=x=y", "7 last="},
		`o=a\`:               {`1 o=a\`},

		"budget=3%,strict,stats": {"1 budget=3%,strict", "18 stats="}, `budget=3%\,strict`: {"1 budget=3%,strict"},
		"every=3s,strict": {"1 every=3s", "10 strict="}, " budget=3% , strict": {"1 budget=3% ,strict"},
	} {
		var got []string
		err := Each(text, func(at int, key, value string) error {
			got = append(got, fmt.Sprintf("%d %s=%s", at, key, value))
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
	stop := errors.New("stop")
	n := 0
	if err := Each("a,b", func(int, string, string) error { n++; return stop }); err != stop || n != 1 {
		t.Errorf("an error ends with %v after %d calls, want it after 1", err, n)
	}
}
