package format

import (
	"encoding/binary"
	"slices"
	"strings"
)

// An InfoKind says whether a function is an info function, and of which kind.
type InfoKind uint8

const (
	NotInfo   InfoKind = iota
	InfoNone           // it stands for itself
	InfoEnter          // something begins
	InfoExit           // it ends
)

// A Facility is what a table says of functions with directives.
type Facility struct {
	Groups    []string         // the variables that hold the groups, with their packages: example.com/m/p.IO
	First     int              // id of the first function
	Functions []TracedFunction // by id, from First on
	Docs      []GroupDoc       // of groups that the package's variables hold

	Left Left // functions that are not among the sites, whether or not there are directives
}

// A TracedFunction is a function with a directive.
type TracedFunction struct {
	Name  string // that tracing knows it by
	Site  int    // its index in the table; -1 if it isn't instrumented, but has its id
	Group int    // index in Facility.Groups, if it isn't an info function
	Info  InfoKind
	Doc   string // the first sentence of its comment
}

// A GroupDoc is what the comment of a variable says of the group that it holds.
type GroupDoc struct{ Name, Doc string }

// AppendFacility appends f to a table, which AppendTable has made of the sites, and what is
// known of tiny functions and of bodies. It appends nothing if there is nothing of these.
func AppendFacility(table []byte, sites []Site, f Facility) []byte {
	more := appendTiny(nil, sites)
	bodies := appendBodies(nil, sites)
	if len(more) == 0 && len(bodies) > 0 {
		more = append(more, 0, 0) // no tiny functions, no callers
	}
	more = append(more, bodies...)
	more = appendLeft(more, &f.Left, len(bodies) > 0, len(sites))
	if len(f.Groups) == 0 && f.First == 0 && len(f.Functions) == 0 && len(f.Docs) == 0 && len(more) == 0 {
		return table
	}
	if len(appendSignatures(nil, sites)) == 0 {
		table = binary.AppendUvarint(table, 0)
	}
	table = appendStrings(table, f.Groups)
	table = binary.AppendUvarint(table, uint64(f.First))
	table = binary.AppendUvarint(table, uint64(len(f.Functions)))
	for _, fn := range f.Functions {
		table = appendString(table, fn.Name)
		for _, n := range []int{fn.Site + 1, fn.Group, int(fn.Info)} {
			table = binary.AppendUvarint(table, uint64(n))
		}
	}
	return append(appendDocs(table, f, len(more) > 0), more...)
}

// appendDocs appends the comments, if there are some or something follows.
func appendDocs(table []byte, f Facility, follows bool) []byte {
	if !follows && len(f.Docs) == 0 && !slices.ContainsFunc(f.Functions, func(fn TracedFunction) bool { return fn.Doc != "" }) {
		return table
	}
	for _, fn := range f.Functions {
		table = appendString(table, fn.Doc)
	}
	table = binary.AppendUvarint(table, uint64(len(f.Docs)))
	for _, d := range f.Docs {
		table = appendString(appendString(table, d.Name), d.Doc)
	}
	return table
}

// ParseFacility reads what a table says of functions with directives.
func ParseFacility(table []byte) (pkg string, f Facility, err error) {
	c := cursor{b: table}
	pkg, sites := c.table()
	f = c.facility(len(sites))
	c.rest(sites, &f)
	return pkg, f, c.err
}

// rest reads what follows the facility in a table, if something does.
func (c *cursor) rest(sites []Site, f *Facility) {
	c.tiny(sites)
	c.bodies(sites)
	f.Left = c.left()
}

// facility reads what follows the sites in a table, if something does.
func (c *cursor) facility(sites int) (f Facility) {
	if len(c.b) == 0 {
		return f
	}
	f.Groups = c.strings()
	f.First = int(c.uvarint())
	for n := c.count(4); n > 0 && c.err == nil; n-- {
		fn := TracedFunction{Name: c.string()}
		site, group, info := c.uvarint(), c.uvarint(), c.uvarint()
		if site > uint64(sites) || info > uint64(InfoExit) || info == 0 && group >= uint64(len(f.Groups)) {
			c.fail("bad traced function")
		}
		fn.Site, fn.Group, fn.Info = int(site)-1, int(group), InfoKind(info)
		f.Functions = append(f.Functions, fn)
	}
	c.docs(&f)
	return f
}

// docs reads the comments, which tables of older commands haven't.
func (c *cursor) docs(f *Facility) {
	if len(c.b) == 0 {
		return
	}
	for i := 0; i < len(f.Functions) && c.err == nil; i++ {
		f.Functions[i].Doc = c.string()
	}
	for n := c.count(2); n > 0 && c.err == nil; n-- {
		f.Docs = append(f.Docs, GroupDoc{Name: c.string(), Doc: c.string()})
	}
}

// ValidGroupName reports whether a group can have that name.
func ValidGroupName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == ""
}

// A Group says what is known of a group. What several say of one name adds up.
type Group struct {
	Name      string
	Vars      []string // variables that hold it, as in Facility.Groups
	Subgroups []string // names of groups that it contains
}

// AppendGroups appends the payload of a Groups block.
func AppendGroups(dst []byte, groups []Group) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(groups)))
	for _, g := range groups {
		dst = appendStrings(appendStrings(appendString(dst, g.Name), g.Vars), g.Subgroups)
	}
	return dst
}

// ParseGroups reads the payload of a Groups block.
func ParseGroups(payload []byte) ([]Group, error) {
	c := cursor{b: payload}
	groups := make([]Group, 0, c.count(3))
	for i := cap(groups); i > 0 && c.err == nil; i-- {
		groups = append(groups, Group{Name: c.string(), Vars: c.strings(), Subgroups: c.strings()})
	}
	return groups, c.err
}
