package ui

import (
	"strings"
	"testing"
)

// A bundle has each module once, behind those that it imports.
func TestBundle(t *testing.T) {
	got, err := Bundle("import {Flame} from './lib/flame.js';\nimport {el, svg} from './lib/dom.js';\nnew Flame();\n")
	if err != nil {
		t.Fatal(err)
	}
	dom, flame := strings.Index(got, "const $dom = (() => {"), strings.Index(got, "const $flame = (() => {")
	if dom < 0 || flame < dom || strings.Count(got, "const $dom =") != 1 {
		t.Errorf("dom is at %d, flame at %d, want both once and in this order", dom, flame)
	}
	if !strings.HasSuffix(got, "{\nconst {Flame} = $flame;\nconst {el, svg} = $dom;\nnew Flame();\n}\n") {
		t.Errorf("the end is %q", got[max(len(got)-200, 0):])
	}
	for _, line := range strings.Split(got, "\n") {
		if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ") {
			t.Errorf("%s is left", line)
		}
	}
	for module, want := range map[string]string{"import x from './lib/dom.js';": "can't be bundled", "import {x} from './lib/none.js';": "none.js"} {
		if _, err := Bundle(module); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", module, err, want)
		}
	}
}
