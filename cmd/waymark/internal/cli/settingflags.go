package cli

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// flagsOf returns the settings for something, perhaps among other things, whose flags come from the
// table of settings.
func flagsOf(of setting.Of) (list []*setting.Setting) {
	for i := range setting.All {
		if s := &setting.All[i]; s.Of&of != 0 && s.Usage != "" {
			list = append(list, s)
		}
	}
	return list
}

// defineFlags defines these flags, but those that the command has already.
func defineFlags(set *pflag.FlagSet, of setting.Of) {
	for _, s := range flagsOf(of) {
		if set.Lookup(s.Flag) == nil {
			defineFlag(set, s, s.Default)
		}
	}
}

// defineFlag defines a setting's flag with a default of the command.
func defineFlag(set *pflag.FlagSet, s *setting.Setting, value string) {
	n, err := strconv.Atoi(value)
	switch {
	case s.Kind == setting.Switch:
		set.Bool(s.Flag, false, s.Usage)
	case s.Kind == setting.Number && err == nil: // else it may be left empty
		set.Int(s.Flag, n, s.Usage)
	case s.Kind == setting.Pattern || s.Kind == setting.List:
		set.StringArray(s.Flag, nil, s.Usage)
	default:
		set.String(s.Flag, value, s.Usage)
	}
	switch s.Kind {
	case setting.Pattern:
		config.Mark(set, config.IsPattern, s.Flag)
	case setting.Path:
		config.Mark(set, config.IsOutput, s.Flag)
	}
}

// readFlag reads the value of a setting's flag, by the rules for WAYMARK.
func readFlag(set *pflag.FlagSet, s *setting.Setting) (setting.Value, error) {
	text := set.Lookup(s.Flag).Value.String()
	v, err := s.Parse(s.Flag, text)
	if err != nil {
		return v, usagef("--%w%s", err, pattern.IsIt(text, s.Choices, 1))
	}
	return v, nil
}

// firstGiven returns the name of the first flag that was given and is for one thing only, "" if none was.
func firstGiven(set *pflag.FlagSet, of setting.Of) string {
	for _, s := range flagsOf(of) {
		if s.Of == of && set.Changed(s.Flag) {
			return s.Flag
		}
	}
	return ""
}

// given returns the settings in a list whose flags were given, as WAYMARK has them. Each stands behind
// a comma.
func given(set *pflag.FlagSet, list []*setting.Setting) string {
	var b strings.Builder
	for _, s := range list {
		if !set.Changed(s.Flag) {
			continue
		}
		value := set.Lookup(s.Flag).Value
		values := []string{value.String()}
		if several, ok := value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, v := range values {
			if s.Kind == setting.Path {
				if v == "" {
					continue
				}
				if abs, err := filepath.Abs(v); err == nil { // the program may begin elsewhere
					v = abs
				}
				v = literal(v)
			}
			b.WriteString("," + s.Key + "=" + escape(v))
		}
	}
	return b.String()
}

// literal makes a path one of WAYMARK, which has placeholders.
func literal(path string) string { return strings.ReplaceAll(path, "%", "%%") }

// escape makes a value one of WAYMARK.
func escape(value string) string { return strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(value) }
