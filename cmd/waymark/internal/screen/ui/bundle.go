package ui

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	importLine = regexp.MustCompile(`^import \{([\w, ]+)\} from '[./a-z]*?([a-z]+)\.js';$`)
	exportLine = regexp.MustCompile(`^export (?:async )?(?:function|class|const|let) (\w+)`)
)

// Bundle returns a module and the modules in assets/lib that it imports as one script, for pages that
// are a single file. Of JavaScript it knows what these modules have: named imports and exports, each in
// a line.
func Bundle(module string) (string, error) {
	var b strings.Builder
	if err := bundle(&b, make(map[string]bool), "", module); err != nil {
		return "", err
	}
	return b.String(), nil
}

// bundle writes the modules that a module imports, and then the module, in a function of its own.
// So names that the module doesn't export are its own.
func bundle(b *strings.Builder, done map[string]bool, name, module string) error {
	var body strings.Builder
	var exports []string
	for line := range strings.Lines(module) {
		line = strings.TrimSuffix(line, "\n")
		if m := importLine.FindStringSubmatch(line); m != nil {
			if !done[m[2]] {
				done[m[2]] = true
				source, err := assets.ReadFile("assets/lib/" + m[2] + ".js")
				if err != nil {
					return err
				}
				if err := bundle(b, done, m[2], string(source)); err != nil {
					return err
				}
			}
			fmt.Fprintf(&body, "const {%s} = $%s;\n", m[1], m[2])
			continue
		}
		if m := exportLine.FindStringSubmatch(line); m != nil {
			exports = append(exports, m[1])
			line = strings.TrimPrefix(line, "export ")
		} else if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ") {
			return fmt.Errorf("module %s: this can't be bundled: %s", name, line)
		}
		body.WriteString(line + "\n")
	}
	if name == "" {
		fmt.Fprintf(b, "{\n%s}\n", body.String())
		return nil
	}
	fmt.Fprintf(b, "const $%s = (() => {\n%sreturn {%s};\n})();\n", name, body.String(), strings.Join(exports, ", "))
	return nil
}

// Style returns the style sheet that all pages have, and those of some pages.
func Style(pages ...string) string {
	list := []string{"assets/style.css"}
	for _, page := range pages {
		list = append(list, "assets/pages/"+page+".css")
	}
	var b strings.Builder
	for _, name := range list {
		text, err := assets.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		b.Write(text)
	}
	return b.String()
}
