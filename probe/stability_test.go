package probe

import (
	"strings"
	"testing"
)

// Every stability and dependency is written and read.
func TestStabilities(t *testing.T) {
	for s := Private; s <= Standard; s++ {
		for d := Unknown; d <= Common; d++ {
			a := Attributes{s, Standard - s, d}
			for _, text := range []string{a.String(), strings.ToLower(a.String())} {
				got, err := ParseAttributes(text)
				if err != nil || got != a {
					t.Errorf("%s is read as %s, %v", text, got, err)
				}
			}
		}
	}
	want(t, "an unknown one", Stability(8).String()+" "+Dependency(6).String(), "Stability(8) Dependency(6)")
	for _, text := range []string{"", "Stable", "Stable/Stable", "Stable/Stable/Common/Common", "Common/Stable/Stable", "Stability(8)/Stable/CPU"} {
		if a, err := ParseAttributes(text); err == nil || !strings.Contains(err.Error(), "want NAME/DATA/DEPENDENCY, the first two of Private, Internal,") {
			t.Errorf("%q is read as %v, %v; want an error that lists what there is", text, a, err)
		}
	}
}
