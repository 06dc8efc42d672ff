// Package setting reads the form of the variable WAYMARK: key=value pairs, divided by commas.
//
//	err := setting.Each("record,o=a\\,b.wmt", func(at int, key, value string) error {
//		...                                  // 1 "record" "", then 8 "o" "a,b.wmt"
//	})
//
// A backslash takes the meaning from a comma, #, : or backslash that follows. The form
// p:RE#t:RE#d:N#i:N is understood, too, see IsAlias.
package setting

import "strings"

// IsAlias reports whether the settings are in the form p:RE#t:RE#d:N#i:N.
func IsAlias(text string) bool {
	return len(text) > 1 && text[1] == ':' && strings.IndexByte("ptdi", text[0]) >= 0
}

// Each calls f for each pair, at being where it begins, in characters from 1. It ends with the first
// error of f, and returns it.
func Each(text string, f func(at int, key, value string) error) error {
	comma, equals := byte(','), "="
	if IsAlias(text) {
		comma, equals = '#', ":"
	}
	for at := 0; at < len(text); {
		item, size := next(text[at:], comma)
		if rest := text[at+size:]; strings.HasPrefix(strings.TrimSpace(item), "budget=") { // strict is a part of its value
			if more, n := next(rest, comma); strings.TrimSpace(more) == "strict" {
				item, size = item+",strict", size+n
			}
		}
		key, value, _ := strings.Cut(item, equals)
		if key = strings.TrimSpace(key); key != "" {
			if err := f(at+1, key, unescape(strings.TrimSpace(value))); err != nil {
				return err
			}
		}
		at += size
	}
	return nil
}

// next returns the text before the first comma that is not escaped, and the text's size in s with
// the comma.
func next(s string, comma byte) (item string, size int) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == comma:
			return s[:i], i + 1
		case s[i] == '\\':
			i++
		}
	}
	return s, len(s)
}

// unescape removes the backslashes before separators. Others stay: regular expressions have them.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`,#:\`, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
