package agent

import (
	"slices"

	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// mostListed is how long the names in a list are together, bytes: a message holds them.
const mostListed = control.MaxMessage / 4

// List implements control.Host.
func (l *live) List(targets []string) (*control.List, error) {
	if len(targets) > 0 {
		return listFunctions(targets)
	}
	list := new(control.List)
	packages := make(map[string]int)
	for _, f := range switchboard.Default.Funcs(switchboard.Selection{}) {
		packages[f.Package]++
	}
	room := mostListed
	for _, path := range sortedKeys(packages) {
		if room -= len(path) + len(`{"name":"","functions":0},`); room < 0 {
			list.Omitted++
			continue
		}
		list.Packages = append(list.Packages, control.Listed{Name: path, Functions: packages[path]})
	}
	subgroups := make(map[string][]string)
	for _, g := range switchboard.Default.Groups() {
		if g.Name != "" {
			subgroups[g.Name] = append(subgroups[g.Name], g.Subgroups...)
		}
	}
	for _, name := range sortedKeys(subgroups) {
		below := subgroups[name]
		slices.Sort(below)
		functions := switchboard.Default.Funcs(switchboard.Selection{Groups: []string{name}})
		list.Groups = append(list.Groups, control.Listed{Name: name, Functions: len(functions), Subgroups: slices.Compact(below)})
	}
	return list, nil
}

// listFunctions lists the functions that targets name.
func listFunctions(targets []string) (*control.List, error) {
	if _, err := new(live).Find(targets); err != nil {
		return nil, err
	}
	chosen, err := selected(targets)
	if err != nil {
		return nil, err
	}
	list := new(control.List)
	for _, f := range switchboard.Default.Funcs(chosen) {
		list.Functions = append(list.Functions, f.Name)
	}
	slices.Sort(list.Functions)
	list.Functions = slices.Compact(list.Functions)
	room := mostListed
	for i, name := range list.Functions {
		if room -= len(name) + len(`"",`); room < 0 {
			list.Omitted = len(list.Functions) - i
			list.Functions = list.Functions[:i]
			break
		}
	}
	return list, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
