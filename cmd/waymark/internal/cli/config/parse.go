package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A setting is a key with its value.
type setting struct {
	table string // the command, "" for all
	key   string
	kind  unstable.Kind
	text  string   // the value, of a kind that is no list
	list  []string // of an Array
	at    string   // FILE:LINE:COLUMN of the key
	where string   // of the value
}

// parser takes a file apart.
type parser struct {
	unstable.Parser
	path     string
	settings []setting
}

// parse reads the file at path. It uses two parsers of one library: the plain one
// finds mistakes of syntax and repeated keys, the other one has positions.
func parse(path string) ([]setting, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := toml.Unmarshal(src, &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, fmt.Errorf("%s:%d:%d: %s", path, line, column, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &parser{path: path}
	p.Reset(src)
	var table []*unstable.Node
	for p.NextExpression() {
		n := p.Expression()
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = nil
			for it := n.Key(); it.Next(); {
				key := *it.Node()
				table = append(table, &key)
			}
			if n.Kind == unstable.ArrayTable {
				return nil, fmt.Errorf("%s: [[%s]] is a list of tables: want [%[2]s]", p.at(table[0]), table[0].Data)
			}
			if len(table) > 1 {
				return nil, p.tooDeep(table)
			}
		case unstable.KeyValue:
			if err := p.keyValue(table, n); err != nil {
				return nil, err
			}
		}
	}
	return p.settings, p.Error()
}

// keyValue takes in a key with its value, below the keys in prefix.
func (p *parser) keyValue(prefix []*unstable.Node, n *unstable.Node) error {
	keys := prefix[:len(prefix):len(prefix)]
	for it := n.Key(); it.Next(); {
		keys = append(keys, it.Node())
	}
	value := n.Value()
	if value.Kind == unstable.InlineTable && len(keys) == 1 {
		for it := value.Children(); it.Next(); {
			if err := p.keyValue(keys, it.Node()); err != nil {
				return err
			}
		}
		return nil
	}
	if len(keys) > 2 || value.Kind == unstable.InlineTable {
		return p.tooDeep(keys)
	}
	key := keys[len(keys)-1]
	s := setting{key: string(key.Data), kind: value.Kind, text: string(value.Data), at: p.at(key)}
	if len(keys) == 2 {
		s.table = string(keys[0].Data)
	}
	s.where = s.at
	if value.Raw.Length > 0 {
		s.where = p.at(value)
	}
	if value.Kind == unstable.Array {
		s.list = []string{}
		for it := value.Children(); it.Next(); {
			if e := it.Node(); e.Kind != unstable.String {
				if e.Raw.Length == 0 { // a list
					e = key
				}
				return fmt.Errorf("%s: %s: want strings in the list", p.at(e), p.Raw(e.Raw))
			}
			s.list = append(s.list, string(it.Node().Data))
		}
	}
	p.settings = append(p.settings, s)
	return nil
}

func (p *parser) tooDeep(keys []*unstable.Node) error {
	var names []string
	for _, k := range keys {
		names = append(names, string(k.Data))
	}
	return fmt.Errorf("%s: %s: want flags, and tables of commands with flags", p.at(keys[0]), strings.Join(names, "."))
}

// at returns a node's place.
func (p *parser) at(n *unstable.Node) string {
	start := p.Shape(n.Raw).Start
	return fmt.Sprintf("%s:%d:%d", p.path, start.Line, start.Column)
}
