package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// mostHeld is how many bytes of a command's output are looked at.
const mostHeld = 32 << 20

// A held keeps what is written, and refuses more than some bytes. No method of a buffer goes around
// that.
type held struct {
	b    []byte
	most int
	over bool
}

var errTooMuch = errors.New("too much output")

func (h *held) Write(p []byte) (int, error) {
	if len(h.b)+len(p) > h.most {
		h.over = true
		return 0, errTooMuch
	}
	h.b = append(h.b, p...)
	return len(p), nil
}

// bounds are those of an answer.
type bounds struct{ rows, bytes int }

// clip returns the first rows as lines, as many as the bounds allow, and says how many more there
// are. A row that alone is too long is cut.
func clip(rows []string, most bounds) (text, more string) {
	var b strings.Builder
	n := 0
	for ; n < min(len(rows), most.rows); n++ {
		if b.Len()+len(rows[n])+1 > most.bytes {
			break
		}
		b.WriteString(rows[n] + "\n")
	}
	switch {
	case n == len(rows):
	case n == 0 && most.rows > 0:
		cut := rows[0][:most.bytes]
		for !utf8.ValidString(cut) && len(cut) > most.bytes-utf8.UTFMax {
			cut = cut[:len(cut)-1]
		}
		return cut, fmt.Sprintf("the first %d bytes of the first of %d rows", len(cut), len(rows))
	default:
		more = fmt.Sprintf("%d of %d rows", n, len(rows))
	}
	return strings.TrimSuffix(b.String(), "\n"), more
}

// split returns the lines of a text.
func split(out []byte) []string {
	text := strings.TrimRight(string(out), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// objects returns JSON values a line each. Of an array and of an object's member list each element is
// one, behind the rest of the object.
func objects(out []byte, list string) (rows []string, err error) {
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("the command's output is no JSON: %w", err)
		}
		var elements []json.RawMessage
		var members map[string]json.RawMessage
		switch {
		case v[0] == '[':
			err = json.Unmarshal(v, &elements)
		case list != "":
			if err = json.Unmarshal(v, &members); err == nil {
				err = json.Unmarshal(members[list], &elements)
			}
			if delete(members, list); err == nil {
				v, err = json.Marshal(members)
			}
			elements = append([]json.RawMessage{v}, elements...)
		default:
			elements = []json.RawMessage{v}
		}
		if err != nil {
			return nil, fmt.Errorf("the command's output is not as expected: %w", err)
		}
		for _, e := range elements {
			var b bytes.Buffer
			if err := json.Compact(&b, e); err != nil {
				return nil, err
			}
			rows = append(rows, b.String())
		}
	}
	return rows, nil
}
