package gocmd

import (
	"fmt"
	"path/filepath"
	"strings"
)

// JoinWords returns the value of a flag like -toolexec for words, as the go command splits it.
func JoinWords(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch quoted[i] = w; {
		case strings.Contains(w, "'") && strings.Contains(w, `"`):
			return "", fmt.Errorf("%s has both kinds of quotes in its name, which the go command's -toolexec can't take", filepath.Base(w))
		case strings.Contains(w, "'"):
			quoted[i] = `"` + w + `"`
		case w == "" || strings.ContainsAny(w, " \t\r\n\""):
			quoted[i] = "'" + w + "'"
		}
	}
	return strings.Join(quoted, " "), nil
}

// SplitWords splits the value of a flag like -toolexec into words, as the go command does.
func SplitWords(value string) ([]string, error) {
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
