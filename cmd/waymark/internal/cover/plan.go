package cover

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/edit"
)

// A Plan has the texts that the compiler gets in place of the user's.
type Plan struct {
	Files map[string]File // by path, as the go command knows them

	// Uncovered are import paths of packages that aren't covered though the go command
	// has them covered.
	Uncovered []string
}

// A File is one of the overlay.
type File struct {
	Original  string     // where the user's text is; "" of a file that was generated
	Rewritten string     // where the text for the compiler is
	Runs      []edit.Run `json:",omitempty"` // what is the same in both; nil if they are one file
}

// word is the first argument of this command when the go command calls it.
const word = "toolexec"

// Flag returns the go command's flag by which it calls the command at path for each of its
// tools. plan is a file with a Plan in JSON. user is the user's own -toolexec, which gets
// the tools from this command.
func Flag(path, plan string, user []string) (string, error) {
	words := append([]string{path, word, plan, strconv.Itoa(len(user))}, user...)
	for i, w := range words {
		switch {
		case strings.Contains(w, "'") && strings.Contains(w, `"`):
			return "", fmt.Errorf("-cover: %s has both kinds of quotes in its name, which the go command's -toolexec can't take", filepath.Base(w))
		case strings.Contains(w, "'"):
			words[i] = `"` + w + `"`
		case w == "" || strings.ContainsAny(w, " \t\r\n\""):
			words[i] = "'" + w + "'"
		}
	}
	return "-toolexec=" + strings.Join(words, " "), nil
}

// Split splits the value of a flag like -toolexec into words, as the go command does.
func Split(value string) ([]string, error) {
	var words []string
	const space = " \t\r\n"
	for rest := strings.TrimLeft(value, space); rest != ""; rest = strings.TrimLeft(rest, space) {
		if q := rest[0]; q == '"' || q == '\'' {
			quoted, after, ok := strings.Cut(rest[1:], string(q))
			if !ok {
				return nil, fmt.Errorf("unterminated %c string", q)
			}
			words, rest = append(words, quoted), after
			continue
		}
		end := strings.IndexAny(rest, space)
		if end < 0 {
			end = len(rest)
		}
		words, rest = append(words, rest[:end]), rest[end:]
	}
	return words, nil
}
