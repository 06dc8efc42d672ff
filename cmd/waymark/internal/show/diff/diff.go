// Package diff compares two sides of recordings, before and after a change: the calls of functions and
// of paths exactly, their times beyond noise.
//
//	d := diff.New(diff.Options{Alpha: diff.Alpha})
//	if err := d.Read(diff.Before, set); err != nil {
//		return err
//	}
//	...
//	if err := d.Compare(); err != nil { // nothing in common
//		return err
//	}
//	return d.Write(os.Stdout, diff.Text)
//
// Each process of a set is a sample of its side. Functions of both sides are the same if they have
// the same name: files and lines change with the source.
package diff

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/paths"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// The sides of a comparison.
const (
	Before = iota
	After
)

var sideNames = [2]string{"old", "new"}

// Alpha is the usual probability with which noise may pass for a change.
const Alpha = 0.05

// Options say what is compared and shown.
type Options struct {
	Filter recording.Filter
	Alpha  float64 // a time has changed if noise differs as much with at most this probability

	// Limit, unless 0, is the share by which calls and times may rise: 0.1 is 10 %. See Over.
	Limit float64

	// Of text and Markdown.
	Top       int // rows of a table; 0 is all
	Style     table.Style
	FullNames bool

	// Progress, unless nil, is told now and then how many of a sample's events have been read.
	Progress func(side string, read, all uint64)
}

// A Diff compares what Read has read.
type Diff struct {
	Options
	Functions []*Function // those with calls
	Paths     []*Path     // those whose numbers have changed, as the functions have

	sides [2]side
	short *names.Set
	index map[string]uint32 // in all
	all   []*Function       // called or not
	tree  calls.Paths[series]
	self  int64 // ns, self time of all functions: of the side with more
}

// A side is what the recordings before or after the change hold.
type side struct {
	program    string
	recordings []recording.Summary // a sample each
	damage     []error
}

// A Function is compared by its name.
type Function struct {
	Name, Package string
	Calls         Change
	Total, Self   Change // ns
	In            [2]bool
	Demoted       bool // some calls were counted and not recorded: times are of the others

	values  series
	changed bool
}

// New returns a comparison of nothing.
func New(o Options) *Diff {
	d := &Diff{Options: o, index: make(map[string]uint32)}
	if !o.FullNames {
		d.short = names.NewSet()
	}
	return d
}

// Read adds the samples of a set to a side. On an error, what could be read has been added.
func (d *Diff) Read(to int, set *tracefile.Set) error {
	s := &d.sides[to]
	var errs []error
	recording.AddNames(d.short, set.Processes...)
	for _, p := range set.Processes {
		if s.program == "" {
			s.program = filepath.Base(p.Info().Program)
		}
		p.Funcs(func(_ uint32, fn tracefile.Func) bool {
			d.function(fn.Name, fn.Package).In[to] = true
			return true
		})
		tell := func(read, all uint64) {
			if d.Progress != nil {
				d.Progress(sideNames[to], read, all)
			}
		}
		one, err := tracefile.Join(p.Parts())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tree, read, err := paths.Read(one, &d.Filter, paths.Options{Progress: tell})
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.Path(), err))
		}
		if tree == nil {
			continue
		}
		d.add(to, len(s.recordings), tree)
		s.recordings = append(s.recordings, read...)
		if n := read[0].Info.Damaged; n > 0 {
			s.damage = append(s.damage, fmt.Errorf("%s: %w: %s could not be read, the comparison covers the rest", p.Path(), tracefile.ErrDamaged, units.Bytes(n)))
		}
	}
	return errors.Join(errs...)
}

// function returns the function of a name.
func (d *Diff) function(name, pkg string) *Function { return d.all[d.number(name, pkg)] }

func (d *Diff) number(name, pkg string) uint32 {
	i, ok := d.index[name]
	if !ok {
		i = uint32(len(d.all))
		d.index[name], d.all = i, append(d.all, &Function{Name: name, Package: pkg})
	}
	return i
}

// add adds a sample of a side.
func (d *Diff) add(to, sample int, tree *paths.Tree) {
	numbers := make([]uint32, len(tree.Functions))
	for i, f := range tree.Functions {
		numbers[i] = d.number(f.Name, f.Package)
	}
	tree.Each(func(stack []int, n *paths.Node) {
		if tree.Functions[stack[0]].Name == paths.Left {
			return
		}
		f := d.all[numbers[stack[0]]]
		f.values.add(to, sample, *n.Numbers)
		if n.Counted {
			f.Demoted = true
			return
		}
		at := uint32(0)
		for _, i := range slices.Backward(stack) {
			at = d.tree.Child(at, numbers[i])
		}
		d.tree.Nodes[at].Sum.add(to, sample, *n.Numbers)
	})
}

// Damage returns an error that names the damaged files, nil if none was. It wraps
// tracefile.ErrDamaged.
func (d *Diff) Damage() error {
	return errors.Join(slices.Concat(d.sides[Before].damage, d.sides[After].damage)...)
}

// Calls returns the number of calls that were read and that the filter shows.
func (d *Diff) Calls() (n uint64) {
	for i := range d.sides {
		for _, r := range d.sides[i].recordings {
			n += r.Calls
		}
	}
	return n
}

// Compare compares the sides. It returns an error if no function is on both.
func (d *Diff) Compare() error {
	samples := [2]int{len(d.sides[Before].recordings), len(d.sides[After].recordings)}
	common := false
	var self [2]int64
	for _, f := range d.all {
		common = common || f.In[Before] && f.In[After]
		if f.values.empty() {
			continue
		}
		d.Functions = append(d.Functions, f)
		f.Calls, f.Total, f.Self = f.values.compare(samples, d.Alpha, f.Demoted)
		for side := range self {
			self[side] += [2]int64{f.Self.Before, f.Self.After}[side]
		}
	}
	if !common {
		return fmt.Errorf("%s and %s have no function in common: are they of different programs?", d.name(Before), d.name(After))
	}
	d.self = max(self[Before], self[After])
	for _, f := range d.Functions {
		f.changed = f.New() || f.Gone() || f.Calls.Verdict == Changed || f.Self.Verdict == Changed || f.Total.Verdict == Changed
	}
	slices.SortFunc(d.Functions, func(a, b *Function) int {
		return cmp.Or(-compareBool(a.changed, b.changed), -cmp.Compare(a.Self.size(), b.Self.size()),
			-cmp.Compare(a.Calls.size(), b.Calls.size()), cmp.Compare(a.Name, b.Name))
	})
	d.comparePaths(samples)
	return nil
}

// name returns how messages call a side.
func (d *Diff) name(side int) string { return filepath.Base(d.sides[side].recordings[0].Files[0]) }

// New reports whether the function is not in the old program, and Gone whether it is not in the new
// one.
func (f *Function) New() bool  { return !f.In[Before] }
func (f *Function) Gone() bool { return !f.In[After] }

// matters reports whether what may be noise is worth a row. A changed number of calls is, and a
// time that has changed by a hundredth of all there is.
func (d *Diff) matters(f *Function) bool {
	size := f.Self.size()
	return f.Self.Verdict == Unknown && size > 0 && size >= d.self/100 || f.Calls.Verdict == Unknown && f.Calls.size() > 0
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// size returns how much a number has changed.
func (c *Change) size() int64 { return int64(math.Abs(float64(c.After - c.Before))) }
