package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// maxValues is how many values have rows of their own in a report by value.
const maxValues = 1000

// maxValueWidth is how many columns of a value name a row.
const maxValueWidth = 200

// Names of rows of a report by value that are no values. Those are quoted if they are text.
const (
	otherValues = "(others)"
	noValue     = "(no value)" // not recorded, nil on the way to it, or a result of a call that has not returned
)

// choosing reports whether calls are chosen or told apart by what was recorded of them. Then they are
// read one by one.
func (r *Report) choosing() bool { return r.Filter.If != nil || r.By == ByValue }

// readChosen is Read for chosen calls.
func (r *Report) readChosen(set *tracefile.Set, progress *progress) error {
	filter := recording.Filter{
		From: r.Filter.From, To: r.Filter.To, Goroutine: r.Filter.Goroutine, Account: r.Filter.Account, Shortest: r.Filter.Shortest,
	}
	if r.By == ByValue {
		if err := r.Value.Check(set.Processes, r.Filter.Show); err != nil {
			return fmt.Errorf("--by %v: %w", r.Value, err)
		}
	}
	var list []*chosen
	read, err := filter.Follow(set, func(p *recording.Process) recording.Follower {
		c := r.newChosen(p)
		list = append(list, c)
		return recording.Follower{Enter: c.enter, Call: c.call, Event: func(*tracefile.Event) { progress.add(1) }}
	})
	for i, c := range list {
		if i < len(read) {
			read[i].Open = c.finish()
			r.noteDamage(c.p, &read[i])
		}
	}
	r.Recordings = append(r.Recordings, read...)
	return err
}

// chosen adds up the calls of a process that are chosen.
type chosen struct {
	*Report
	p        *recording.Process
	If       *recorded.Matcher      // nil: all
	show     func(site uint32) bool // nil: all
	rowsOf   []counting             // by function
	has      map[uint32]bool        // whether functions have the value of a report by value
	printer  value.Printer
	adding   map[uint32]*calltree.Row
	paths    calls.Paths[calltree.Node]
	stacks   map[uint64][]pending
	rowsTemp []uint32
}

// A pending call may be chosen when it ends.
type pending struct {
	may    bool
	slots  uint64
	value  string // of an argument: only a call that is chosen makes a row of it
	node   uint32 // of the tree
	leads  bool   // to a call that is chosen
	within within
}

// within has of the chosen calls that a call has made the ticks, by row, those within others of the row
// once.
type within map[uint32]uint64

func (r *Report) newChosen(p *recording.Process) *chosen {
	c := &chosen{
		Report: r, p: p, show: p.Matcher(r.Filter.Show), has: make(map[uint32]bool), printer: value.Printer{Width: maxValueWidth},
		adding: make(map[uint32]*calltree.Row), stacks: make(map[uint64][]pending),
	}
	if r.Filter.If != nil {
		c.If = r.Filter.If.Matcher(p.File, p.Scale.Nanoseconds)
	}
	if r.By != ByValue {
		c.rowsOf = r.allCountings(p.File)
	}
	return c
}

// begin looks at a call that begins below the given one, which is nil of root calls.
func (c *chosen) begin(call *calltree.Call, caller *pending) (n pending) {
	n.may = (c.show == nil || c.show(call.Site)) && (c.Tree || c.Filter.Depth == 0 || call.Depth < c.Filter.Depth)
	if c.By == ByValue && n.may {
		n.may = c.hasValue(call.Site)
		if n.may && !c.Value.Result() {
			n.value = c.valueIn(call.Site, call.Args)
		}
	}
	if c.If != nil && n.may {
		n.slots, n.may = c.If.Enter(call)
	}
	if c.Tree {
		parent := uint32(0)
		if caller != nil {
			parent = caller.node
		}
		n.node = c.paths.Child(parent, c.rowsOf[0](call.Site))
	}
	return n
}

func (c *chosen) enter(call *calltree.Call) {
	stack := c.stacks[call.Goroutine][:call.Depth]
	c.stacks[call.Goroutine] = append(stack, c.begin(call, last(stack)))
}

// last returns the innermost call of a stack, nil if there is none.
func last(stack []pending) *pending {
	if len(stack) == 0 {
		return nil
	}
	return &stack[len(stack)-1]
}

func (c *chosen) call(call *calltree.Call) {
	if call.Flags&calltree.Info != 0 {
		return
	}
	stack := c.stacks[call.Goroutine]
	var n pending
	if call.Flags&calltree.Long != 0 {
		n = c.begin(call, last(stack[:call.Depth]))
	} else {
		n = stack[call.Depth]
	}
	if n.may && (c.If == nil || c.If.Exit(call, n.slots)) {
		c.choose(call, &n)
	}
	if n.leads && c.Tree {
		c.paths.Nodes[n.node].Sum.Add(call)
	}
	if caller := last(stack[:call.Depth]); caller != nil {
		caller.leads = caller.leads || n.leads
		caller.within = caller.within.and(n.within)
		c.stacks[call.Goroutine] = stack[:call.Depth]
	} else {
		delete(c.stacks, call.Goroutine)
	}
}

// choose adds a call to its rows.
func (c *chosen) choose(call *calltree.Call, n *pending) {
	n.leads = true
	rows := c.rowsTemp[:0]
	if c.By == ByValue {
		if c.Value.Result() {
			n.value = c.valueIn(call.Site, recorded.Results(call))
		}
		rows = append(rows, c.rowOfValue(n.value))
	}
	for _, rowOf := range c.rowsOf {
		if row := rowOf(call.Site); row != uncounted {
			rows = append(rows, row)
		}
	}
	c.rowsTemp = rows
	if n.within == nil {
		n.within = make(within)
	}
	for _, row := range rows {
		to := c.adding[row]
		if to == nil {
			to = &calltree.Row{Key: row}
			c.adding[row] = to
		}
		to.Add(call, n.within[row])
		n.within[row] = call.End - call.Start
	}
}

// and adds the ticks of other calls.
func (w within) and(other within) within {
	if len(w) < len(other) {
		w, other = other, w
	}
	for row, ticks := range other {
		w[row] += ticks
	}
	return w
}

// hasValue reports whether a function has the value by which calls are told apart.
func (c *chosen) hasValue(site uint32) bool {
	has, known := c.has[site]
	if !known {
		f, _ := c.p.File.Func(site)
		has = c.Value.In(&f)
		c.has[site] = has
	}
	return has
}

// valueIn returns the text of the value in what was recorded of a call.
func (c *chosen) valueIn(site uint32, data []byte) string {
	if v, ok := c.Value.Find(c.p.File, site, data); ok {
		return c.printer.Value(&v)
	}
	return noValue
}

// rowOfValue returns the row of a value.
func (c *chosen) rowOfValue(text string) uint32 {
	f := function.Func{Name: text}
	if _, ok := c.index[f.Identity()]; !ok && len(c.index) >= maxValues {
		f.Name = otherValues
	}
	return c.rowOf(f)
}

// finish adds what was added up to the report, and returns how many of the calls had not ended.
func (c *chosen) finish() (open uint64) {
	for _, row := range slices.Sorted(maps.Keys(c.adding)) {
		added := c.adding[row]
		c.rows[row].add(added, c.p.Scale)
		c.rows[row].shallow = true
		open += added.Open
	}
	if c.Tree {
		calltree.AddTo(&c.tree, c.nodes(), c.p.Scale)
	}
	c.Masked = c.Masked || c.printer.Masked
	return open
}

// nodes returns those of the tree in which calls were counted.
func (c *chosen) nodes() []calltree.Node {
	var list []calltree.Node
	at := make([]int, len(c.paths.Nodes))
	for i := 1; i < len(at); i++ { // callers come first
		n := &c.paths.Nodes[i]
		if n.Sum.Calls == 0 {
			continue
		}
		node := n.Sum
		if node.Key, node.Caller = n.Row, calltree.NoCaller; n.Parent > 0 {
			node.Caller = at[n.Parent]
		}
		at[i] = len(list)
		list = append(list, node)
	}
	return list
}

// noteDamage notes what of a process's files could not be read.
func (r *Report) noteDamage(p *recording.Process, rec *recording.Summary) {
	for i, part := range p.File.Parts() {
		if n := part.Info().Damaged; n > 0 {
			r.damage = append(r.damage, fmt.Errorf("%s: %w: %s could not be read, the report has the rest", rec.Files[i], tracefile.ErrDamaged, units.Bytes(n)))
		}
	}
}
