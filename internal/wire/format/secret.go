package format

// LooksSecret reports whether a parameter or field of this name probably holds a secret. Capitals and
// underscores divide the name into parts. The name looks secret if a part is one of the words or its
// plural. A part may also end in a word of five letters or more (authtoken), or begin with a word of
// six letters or more (passwordhash). A word may be several parts: apikey is apiKey and API_KEY.
// words are in lower case, letters only.
//
// The program decides by LooksSecret too, about fields: the waymark command copies this file into
// package runtime. So the file uses nothing but the language, and allocates nothing.
func LooksSecret(name string, words []string) bool {
	for from := 0; from < len(name); {
		to := from + 1
		for to < len(name) && !beginsPart(name, to) {
			to++
		}
		for _, word := range words {
			if partMatches(name[from:to], word) || partsMatch(name, from, word) {
				return true
			}
		}
		from = to
	}
	return false
}

// TypePrefix is what words begin with that name types, and not fields: type:example.com/m.Card.
const TypePrefix = "type:"

// TypeLooksSecret reports whether values of a named type are probably secrets. name may be qualified,
// and may have type arguments; pkg is its import path. It looks so if its name does, see LooksSecret,
// or if a word names it: type:Card, type:m.Card or type:example.com/m.Card.
func TypeLooksSecret(pkg, name string, words []string) bool {
	from, to := 0, len(name)
	for i := 0; i < len(name); i++ {
		if name[i] == '[' {
			to = i
			break
		}
		if name[i] == '.' {
			from = i + 1
		}
	}
	name = name[from:to]
	for _, word := range words {
		n := len(word) - len(name)
		if len(word) <= len(TypePrefix) || word[:len(TypePrefix)] != TypePrefix || n < len(TypePrefix) || word[n:] != name {
			continue
		}
		path := word[len(TypePrefix):n]
		if path == "" {
			return true
		}
		if path[len(path)-1] != '.' {
			continue
		}
		path = path[:len(path)-1]
		if m := len(pkg) - len(path); m == 0 && pkg == path || m > 0 && pkg[m:] == path && pkg[m-1] == '/' {
			return true
		}
	}
	return LooksSecret(name, words)
}

// beginsPart reports whether a part of name begins at i. A part begins with a capital behind
// another character, the last of several capitals (the K of APIKey), or what is no letter.
func beginsPart(name string, i int) bool {
	if !isUpper(name[i]) {
		return !isLetter(name[i]) || !isLetter(name[i-1])
	}
	return !isUpper(name[i-1]) || i+1 < len(name) && isLetter(name[i+1]) && !isUpper(name[i+1])
}

func partMatches(part, word string) bool {
	n := len(word)
	if n == 0 || len(part) < n {
		return false
	}
	head, tail := foldsTo(part[:n], word), foldsTo(part[len(part)-n:], word)
	rest := part[n:]
	return head && (rest == "" || rest == "s" || rest == "S" || n >= 6) || tail && n >= 5
}

// partsMatch reports whether word, or its plural, is the parts of name that begin at i.
func partsMatch(name string, i int, word string) bool {
	n := 0
	for ; n < len(word) && i < len(name); i++ {
		if foldsTo(name[i:i+1], word[n:n+1]) {
			n++
		} else if name[i] != '_' && name[i] != '-' {
			return false
		}
	}
	if n == 0 || n < len(word) {
		return false
	}
	if i < len(name) && (name[i] == 's' || name[i] == 'S') {
		i++
	}
	return i == len(name) || beginsPart(name, i)
}

// foldsTo reports whether s is word but for capitals.
func foldsTo(s, word string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isUpper(c) {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLetter(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' || c >= 0x80 }
