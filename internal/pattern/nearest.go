package pattern

import (
	"path"
	"sort"
	"strings"
)

// mostLetters is the length of a text, bytes, to which no name is near: to compare takes time.
const mostLetters = 500

// Nearest returns up to n of the names that are most like text, nearest first. Names of functions
// are also like parts of them: the method with its type or alone, or with its package.
func Nearest(text string, names []string, n int) []string {
	if len(text) > mostLetters {
		return nil
	}
	type scored struct {
		name string
		dist int
	}
	var list []scored
	text = strings.ToLower(normal(text))
	for _, name := range names {
		full := strings.ToLower(normal(name))
		d := distance(text, full)
		// People write the end of a name as often as all of it.
		end := path.Base(full)
		d = min(d, distance(path.Base(text), end)+1)
		if pkg, function, ok := strings.Cut(end, "."); ok {
			method := function[strings.LastIndexByte(function, '.')+1:]
			for _, part := range []string{function, method, pkg + "." + method} {
				d = min(d, distance(text, part)+1)
			}
		}
		if d <= (len(path.Base(text))+1)/2 { // most of it is the same
			list = append(list, scored{name, d})
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].dist != list[j].dist {
			return list[i].dist < list[j].dist
		}
		return list[i].name < list[j].name
	})
	var out []string
	for _, s := range list {
		if s.dist > list[0].dist+2 {
			break // the others are nearer by far
		}
		if len(out) < n && (len(out) == 0 || out[len(out)-1] != s.name) {
			out = append(out, s.name)
		}
	}
	return out
}

// IsIt asks whether one of the n names that are most like text was meant: "; is it a or b?". It is
// empty if none comes near.
func IsIt(text string, names []string, n int) string {
	near := Nearest(text, names, n)
	if len(near) == 0 {
		return ""
	}
	for i := range near {
		near[i] = Quote(near[i])
	}
	return "; is it " + strings.Join(near, " or ") + "?"
}

// Quote returns a word for a shell: receivers have parentheses, and patterns have stars.
func Quote(name string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./@%+-,:=", r)
	}
	if name != "" && strings.TrimFunc(name, plain) == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// distance is Levenshtein's: the insertions, deletions and replacements of
// bytes that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(a); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(b); j++ {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
