package switchboard

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Board is the table of sites, owners and wishes.
type Board struct {
	switches Switches
	listed   sync.Once // packages are listed
	units    sync.Map  // *unit by import path
	docs     sync.Map  // first sentences of comments, by the names of groups

	watches atomic.Pointer[[]atomic.Pointer[watch]]   // by site id; there is another slice when it grows
	markers atomic.Pointer[map[uint32]*function.Func] // info functions, by site id
	callers atomic.Pointer[map[string]uint32]         // ids of sites in packages with info functions, by name
	hidden  atomic.Bool                               // observers see no values

	mu        sync.Mutex // guards what follows; the calling goroutine is muted
	tables    []*Table   // by Base
	owners    []*Owner   // with wishes, in the order in which these were set
	policies  []Policy
	recording *Recording // that is going on
	sampling  [2]uint32  // group of samples that are taken for a budget, by limits; 0: none are
	least     [2]uint8   // level of all sites at least, by limits
	groups    format.GroupIndex
	names     map[string]string // of groups, by the variables that hold them
	installed bool              // the runtime knows the board
}

// New makes a board.
func New(s Switches) *Board {
	b := &Board{switches: s, names: make(map[string]string)}
	b.watches.Store(new([]atomic.Pointer[watch]))
	b.markers.Store(new(map[uint32]*function.Func))
	b.callers.Store(new(map[string]uint32))
	return b
}

// An Owner has wishes.
type Owner struct {
	Kind   string // what observes or records, for errors
	Group  string // against which it is registered, for errors; may be empty
	Origin Origin

	// Removed, if there is one, is called when a policy takes the owner's wishes away. It returns a
	// line for the user. It must not call the board.
	Removed func(reason string) (line string)

	board  *Board
	wishes []*wish
}

// A Wish is what an owner wants of functions.
type Wish struct {
	Want   uint32 // rt.Recorded, Watched, Counted, Timed, Gathered, Root, Values and Seen
	Select Selection

	Kind string // what observes or records, for policies

	// Observer returns what calls of a package's functions are told to; nil: nothing. It is called
	// with the board's lock, whenever something changes. The same observer is told of a call once,
	// whoever wants it.
	Observer func(pkg string) Observer

	// Condition, if there is one, says which calls the Observer is told of. It is for Watched only.
	Condition *condition.Program

	// Rejected, if it is not nil, counts the calls that a Condition on arguments alone rejects where they begin.
	Rejected *atomic.Uint64

	// Report, if there is one, is called once for each function on whose calls the Condition turns out
	// to be none. It is called as a call of the function begins or ends. Such calls are rejected.
	// Without Report stderr has a line.
	Report func(err error)

	// Narrow says that a policy about groups leaves the functions in these, instead of refusing the
	// wish.
	Narrow bool
}

// A Selection is a set of functions: those in Groups, directly or not, or those that Has reports.
// Groups may be built-in ones, see [function.Func].
// The zero Selection is all functions.
type Selection struct {
	Groups []string
	Has    func(*function.Func) bool
}

// A Selector selects functions. Package waymark makes those of programs, which print themselves as
// the names of groups or as patterns. They embed a Selecting.
type Selector interface {
	String() string
	selected() (Selection, string, error)
}

// A Selecting is what selectors embed, so that they have no public methods for it.
type Selecting struct {
	selection func() (Selection, string, error)
}

//lint:ignore U1000 selectors of other packages have it
func (s Selecting) selected() (Selection, string, error) {
	if s.selection == nil { // of the zero value, which nothing has made
		return Selection{}, "", errors.New("the group was not made by NewGroup")
	}
	return s.selection()
}

// Selects returns what a Selector of these functions embeds. f returns the name of a group, too, if
// the functions are one's.
func Selects(f func() (s Selection, group string, err error)) Selecting { return Selecting{f} }

// Selected returns the functions that s selects, and the name of the group if they are one's.
func Selected(s Selector) (selection Selection, group string, err error) { return s.selected() }

// SelectionOf returns what s selects; it is an error if s is nil.
func SelectionOf(s Selector) (Selection, error) {
	if s == nil || reflect.ValueOf(s).Kind() == reflect.Pointer && reflect.ValueOf(s).IsNil() {
		return Selection{}, fmt.Errorf("the selector %w", fault.ErrNil)
	}
	selected, _, err := s.selected()
	return selected, err
}

func (s Selection) all() bool { return s.Groups == nil && s.Has == nil }

// directed reports whether only functions with directives can be in the selection.
func (s Selection) directed() bool {
	return s.Groups != nil && !slices.ContainsFunc(s.Groups, func(g string) bool { return format.FindRole(g) != nil })
}

// Contains reports whether the function is in the selection.
func (s Selection) Contains(f *function.Func) bool { return s.has(f) }

func (s Selection) has(f *function.Func) bool {
	switch {
	case s.Groups != nil:
		return slices.ContainsFunc(s.Groups, func(g string) bool { return slices.Contains(f.Groups, g) || slices.Contains(f.Roles, g) })
	case s.Has != nil:
		return s.Has(f)
	}
	return true
}

type wish struct {
	Wish
	chosen  map[*Table][]bool            // by site; what Select has said
	seats   map[*Table]*seat             // of the observers
	filters map[uint32]*condition.Filter // of the Condition, by site id
}

// A Recording is told of packages and groups while it goes on.
type Recording struct {
	Package func(*rt.Package) // before a site of the package is recorded
	Groups  func([]format.Group)
	Ended   func() bool // the recording has ended by itself
	Least   uint8       // level that all sites have at least, see Limit
	Stays   bool        // levels hold beyond its end, until the next recording: its budget is that of statistics, too
}

// Join makes an owner without wishes.
func (b *Board) Join(kind string, origin Origin) *Owner {
	return &Owner{board: b, Kind: kind, Origin: origin}
}

// list makes all packages known, now and as they register. The caller must not have the lock.
func (b *Board) list() {
	b.listed.Do(func() { b.switches.Packages(b.add) })
}

// lock locks the board, mutes the goroutine, and returns the board, so that a defer can unlock it.
func (b *Board) lock() *Board {
	b.switches.Mute(true)
	b.mu.Lock()
	return b
}

func (b *Board) unlock() {
	b.mu.Unlock()
	b.switches.Mute(false)
}

// add makes a package known, and switches its functions.
func (b *Board) add(p *rt.Package) {
	defer b.lock().unlock()
	t := b.table(p)
	if b.recording != nil {
		b.recording.Package(p)
	}
	b.apply(t)
}

// table returns the table of p, which it makes if there is none yet.
func (b *Board) table(p *rt.Package) *Table {
	at, _ := slices.BinarySearchFunc(b.tables, p.Base, func(t *Table, base uint32) int { return int(t.Base) - int(base) })
	for ; at < len(b.tables) && b.tables[at].Base == p.Base; at++ { // packages without sites share the next one's
		if b.tables[at].pkg == p {
			return b.tables[at]
		}
	}
	t := &Table{Base: p.Base, pkg: p, words: make([]uint32, len(p.Sites)), wants: make([]uint32, len(p.Sites))}
	b.tables = slices.Insert(b.tables, at, t)
	return t
}

// Set has the owner want these and nothing else. It returns a *PolicyError if a policy is against
// one; then nothing has changed.
func (o *Owner) Set(wishes ...Wish) error {
	b := o.board
	b.list()
	defer b.lock().unlock()
	if err := b.check(o, wishes); err != nil {
		return err
	}
	old := o.wishes
	o.wishes = nil
	for _, w := range wishes {
		o.wishes = append(o.wishes, &wish{w, make(map[*Table][]bool), make(map[*Table]*seat), make(map[uint32]*condition.Filter)})
		if w.Want&rt.Watched != 0 && !b.installed {
			b.installed = true
			b.switches.Monitor(b.monitor())
		}
	}
	b.owners = slices.DeleteFunc(b.owners, func(other *Owner) bool { return other == o })
	if len(wishes) > 0 {
		b.owners = append(b.owners, o)
	}
	b.applyFor(append(old[:len(old):len(old)], o.wishes...))
	return nil
}

// Check returns the error that Set would return.
func (o *Owner) Check(wishes ...Wish) error {
	defer o.board.lock().unlock()
	return o.board.check(o, wishes)
}

// Close takes the owner's wishes away. Ends of calls in progress are still told.
func (o *Owner) Close() { o.Set() }

// Active reports whether the owner has wishes: no policy has taken them away.
func (o *Owner) Active() bool {
	defer o.board.lock().unlock()
	return len(o.wishes) > 0
}

// Funcs returns the functions that the owner's wishes are about at this moment.
func (o *Owner) Funcs() (list []*function.Func) {
	o.board.list()
	defer o.board.lock().unlock()
	for _, t := range o.board.tables {
		o.board.load(t)
		for i, f := range t.Funcs() {
			if !f.Marker && slices.ContainsFunc(o.wishes, func(w *wish) bool { return w.of(t, i) && o.board.allows(w, f) }) {
				list = append(list, f)
			}
		}
	}
	return list
}

// of reports whether the wish is about the i-th function of t, which is loaded.
func (w *wish) of(t *Table, i int) bool {
	if w.Select.all() {
		return true
	}
	chosen := w.choose(t)
	return i < len(chosen) && chosen[i]
}

// choose returns what Select says of each function of t, which is loaded.
func (w *wish) choose(t *Table) []bool {
	chosen, ok := w.chosen[t]
	if !ok {
		chosen = make([]bool, len(t.Funcs()))
		for i, f := range t.Funcs() {
			chosen[i] = !f.Marker && w.Select.has(f)
		}
		w.chosen[t] = chosen
	}
	return chosen
}

// Record begins a recording: r is told of all packages, then their sites are recorded as owners
// want.
func (b *Board) Record(r *Recording) {
	b.list()
	defer b.lock().unlock()
	b.recording = r
	b.unlimit(ofRecordings)
	b.least[ofRecordings] = r.Least
	for _, t := range b.tables {
		r.Package(t.pkg)
	}
	b.applyAll()
}

// EndRecord ends the recording r. No site is recorded any more.
func (b *Board) EndRecord(r *Recording) {
	defer b.lock().unlock()
	if b.recording == r {
		b.recording = nil
		if r.Stays {
			b.keepLevels()
		} else {
			b.unlimit(ofRecordings)
		}
		b.applyAll()
	}
}

func (b *Board) applyAll() {
	for _, t := range b.tables {
		b.apply(t)
	}
}

// applyFor switches the sites that wishes may be about: if these are of groups, those of packages
// with groups.
func (b *Board) applyFor(wishes []*wish) {
	every := slices.ContainsFunc(wishes, func(w *wish) bool { return !w.Select.directed() })
	for _, t := range b.tables {
		if every || t.vars != nil {
			b.apply(t)
		}
	}
}

// A claim is what a wish has to do with the functions of a package.
type claim struct {
	*wish
	chosen []bool // by site; nil: all
	seat   *seat  // of its observer; nil: no function has been told to it so far
}

// wants reports whether the wish is about a function.
func (c *claim) wants(b *Board, i int, f *function.Func) bool {
	return (c.chosen == nil || i < len(c.chosen) && c.chosen[i]) && b.allows(c.wish, f)
}

// claims returns what the owners want of a package. whole is wanted of all sites, info functions too.
func (b *Board) claims(t *Table) (list []claim, whole uint32) {
	for _, o := range b.owners {
		for _, w := range o.wishes {
			if w.Select.all() && w.Want == rt.Recorded && !b.narrows() {
				whole = rt.Recorded
				continue
			}
			list = append(list, claim{wish: w})
			if !w.Select.directed() { // else Bind has loaded it if it has functions in groups
				b.load(t)
			}
		}
	}
	if t.funcs.Load() == nil {
		return nil, whole
	}
	for i := range list {
		if c := &list[i]; !c.Select.all() {
			c.chosen = c.choose(t)
		}
	}
	return list, whole
}

// An audience is who is told of the calls of a function.
type audience struct {
	seats    []*seat
	filtered bool                  // some wishes have a condition
	filters  [][]*condition.Filter // if so, of each seat: it is told of a call that one accepts; nil: of all
}

// add adds the seat of a wish, with the wish's filters.
func (a *audience) add(s *seat, filters []*condition.Filter) {
	k := slices.Index(a.seats, s)
	if k < 0 {
		a.seats = append(a.seats, s)
		if a.filtered {
			a.filters = append(a.filters, filters)
		}
	} else if a.filtered && a.filters[k] != nil {
		if a.filters[k] = append(a.filters[k], filters...); filters == nil {
			a.filters[k] = nil
		}
	}
}

// apply switches the sites of a package as the owners want.
func (b *Board) apply(t *Table) {
	recording := b.recording != nil && (b.recording.Ended == nil || !b.recording.Ended())
	list, whole := b.claims(t)
	if !recording {
		whole = 0
	}
	if t.funcs.Load() == nil {
		for i := range t.words {
			b.switchSite(t, i, whole, nil, nil)
		}
		return
	}
	told := audience{filtered: slices.ContainsFunc(list, func(c claim) bool { return c.Condition != nil })}
	var seats, before []*seat // all, and those of the function before
	t.recorded, t.observed, t.outside = whole != 0, false, false
	for i, f := range t.Funcs() {
		if f.Marker {
			continue
		}
		want := whole
		told.seats, told.filters = told.seats[:0], nil
		t.outside = t.outside || f.Group != "" && !b.permits(f.Group)
		for k := range list {
			c := &list[k]
			if !c.wants(b, i, f) {
				continue
			}
			if want |= c.Want &^ rt.Watched; c.Want&rt.Watched == 0 {
				continue
			}
			if c.seat == nil {
				if c.seat = t.seat(c.wish); c.seat.observer != nil && !slices.Contains(seats, c.seat) {
					seats = append(seats, c.seat)
				}
			}
			if c.seat.observer != nil {
				told.add(c.seat, c.filter(t, i))
			}
		}
		if !recording {
			want &^= rt.Recorded
		}
		if len(told.seats) > 0 {
			want |= rt.Watched
		}
		t.recorded, t.observed = t.recorded || want&rt.Recorded != 0, t.observed || len(told.seats) > 0
		if !slices.Equal(told.seats, before) { // most functions are told to the same observers
			before = slices.Clone(told.seats)
		}
		b.switchSite(t, i, want, before, told.filters)
	}
	t.seats = seats
	b.applyMarkers(t.unit, whole)
}

// applyMarkers switches the info functions of a package. Observers see the calls of info functions if
// they see some function of the package. A recording has the calls, whoever makes them, if it has
// some function of the package. But no policy may be against another function of the package.
func (b *Board) applyMarkers(u *unit, whole uint32) {
	if u == nil {
		return // the table can't be parsed
	}
	var want uint32
	outside := false
	for _, t := range u.tables {
		if t.observed {
			want |= rt.Watched
		}
		if t.recorded {
			want |= rt.Recorded
		}
		outside = outside || t.outside
	}
	if outside {
		want &^= rt.Recorded
	}
	want |= whole
	for _, t := range u.tables {
		for i, f := range t.Funcs() {
			if f.Marker {
				b.switchMarker(t, i, f, want)
			}
		}
	}
}

// switchSite has calls of a site told to seats, and all else done that is wanted.
func (b *Board) switchSite(t *Table, i int, want uint32, told []*seat, filters [][]*condition.Filter) {
	id := t.Base + uint32(i)
	if len(told) > 0 {
		if !slices.ContainsFunc(filters, func(list []*condition.Filter) bool { return list != nil }) {
			filters = nil
		}
		b.watch(id, newWatch(t.Funcs()[i], told, filters))
		b.noteCallers(t)
	}
	t.wants[i] = want
	b.want(t, i, b.cut(t, i))
	if len(told) == 0 {
		b.watch(id, nil)
	}
}

func (b *Board) switchMarker(t *Table, i int, f *function.Func, want uint32) {
	if want&rt.Watched != 0 {
		if known := *b.markers.Load(); known[t.Base+uint32(i)] != f {
			list := make(map[uint32]*function.Func, len(known)+1)
			for id, m := range known {
				list[id] = m
			}
			list[t.Base+uint32(i)] = f
			b.markers.Store(&list)
		}
	}
	b.want(t, i, want)
}

// want sets the word of a site, if it is another one.
func (b *Board) want(t *Table, i int, want uint32) {
	if want&rt.Values != 0 && (b.hidden.Load() || !t.Funcs()[i].Valued) {
		want &^= rt.Values
	}
	if before := t.words[i]; before != want {
		t.words[i] = want
		b.switches.Want(t.pkg, i, want)
		t.tell(i, before, want)
	}
}
