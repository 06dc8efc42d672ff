package control

import (
	"sort"
	"strconv"
	"strings"
	"unicode"
)

// LabelText returns the labels as {key: "value"}, in the order of their keys; empty: there are none.
func (c *Call) LabelText() string {
	var parts []string
	for key, value := range c.Labels {
		if value != "***" {
			value = strconv.Quote(value)
		}
		if strings.ContainsFunc(key, func(r rune) bool {
			return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`":,{}`, r)
		}) {
			key = strconv.Quote(key)
		}
		parts = append(parts, key+": "+value)
	}
	sort.Strings(parts)
	if c.MoreLabels > 0 {
		parts = append(parts, "…+"+strconv.Itoa(c.MoreLabels))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
