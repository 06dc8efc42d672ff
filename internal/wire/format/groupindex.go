package format

import "slices"

// A GroupIndex is what is known of groups.
type GroupIndex struct {
	list  []Group
	byVar map[string]string   // names, by the variable that holds the group
	in    map[string][]string // names of the groups that directly contain one, by its name
}

// Add takes in what is known of some groups.
func (g *GroupIndex) Add(list []Group) {
	if g.byVar == nil {
		g.byVar, g.in = make(map[string]string), make(map[string][]string)
	}
	g.list = append(g.list, list...)
	for _, one := range list {
		for _, v := range one.Vars {
			g.byVar[v] = one.Name
		}
		for _, sub := range one.Subgroups {
			if !slices.Contains(g.in[sub], one.Name) {
				g.in[sub] = append(g.in[sub], one.Name)
			}
		}
	}
}

// List returns all that was added.
func (g *GroupIndex) List() []Group { return g.list }

// Of returns the names of the group that the variable holds and of those that contain it,
// sorted.
func (g *GroupIndex) Of(variable string) []string {
	name, ok := g.byVar[variable]
	if !ok {
		return nil
	}
	list := []string{name}
	for i := 0; i < len(list); i++ { // it grows
		for _, outer := range g.in[list[i]] {
			if !slices.Contains(list, outer) {
				list = append(list, outer)
			}
		}
	}
	slices.Sort(list)
	return list
}

// Roles returns those of the roles whose names no group has: a program's own groups come first.
func (g *GroupIndex) Roles(names []string) (list []string) {
	for _, name := range names {
		if !slices.ContainsFunc(g.list, func(one Group) bool { return one.Name == name }) {
			list = append(list, name)
		}
	}
	return list
}

// Vars returns the variables that hold the groups of a table's sites, "" of those that are in
// none; nil if all are.
func (f Facility) Vars(sites int) []string {
	if len(f.Groups) == 0 {
		return nil
	}
	vars := make([]string, sites)
	for _, fn := range f.Functions {
		if fn.Site >= 0 && fn.Info == NotInfo {
			vars[fn.Site] = f.Groups[fn.Group]
		}
	}
	return vars
}
