package calltree

import "sync"

// rowTable says in which row the calls of a site are counted. Several goroutines may
// ask at a time; the functions of Options are called by one at a time.
type rowTable struct {
	opt *Options

	mu    sync.Mutex
	sites []uint32          // row by site
	keys  []uint32          // by row
	rows  map[uint32]uint32 // by key
}

func newRowTable(o *Options) *rowTable {
	return &rowTable{opt: o, rows: make(map[uint32]uint32)}
}

// maxSites bounds tables that are indexed with what a file says.
const maxSites = 1 << 22

// unasked stands for the row of a site that has not been called yet.
const unasked = leftOut - 1

// row returns the row in which calls of a site are counted, or leftOut. cache has the
// answers that its owner has got before; it is not ok if there can't be such a site.
func (t *rowTable) row(site uint32, cache *[]uint32) (row uint32, ok bool) {
	if c := *cache; uint64(site) < uint64(len(c)) && c[site] != unasked {
		return c[site], true
	}
	if site >= maxSites {
		return 0, false
	}
	t.mu.Lock()
	row = t.ask(site)
	t.mu.Unlock()
	*cache = extend(*cache, site)
	(*cache)[site] = row
	return row, true
}

func (t *rowTable) ask(site uint32) uint32 {
	t.sites = extend(t.sites, site)
	if t.sites[site] != unasked {
		return t.sites[site]
	}
	row := uint32(leftOut)
	if t.opt.Keep == nil || t.opt.Keep(site) {
		key := site
		if t.opt.Key != nil {
			key = t.opt.Key(site)
		}
		var ok bool
		if row, ok = t.rows[key]; !ok {
			row = uint32(len(t.keys))
			t.rows[key] = row
			t.keys = append(t.keys, key)
		}
	}
	t.sites[site] = row
	return row
}

// extend returns sites with a place for the given one.
func extend(sites []uint32, site uint32) []uint32 {
	for int(site) >= len(sites) {
		sites = append(sites, unasked)
	}
	return sites
}

// grow appends the rows of rows to list that aren't there yet, of which row is one.
func (t *rowTable) grow(list []Row, row uint32) []Row {
	if row == leftOut || int(row) < len(list) {
		return list
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for int(row) >= len(list) {
		list = append(list, Row{Key: t.keys[len(list)]})
	}
	return list
}

// wanted reports whether a goroutine was asked for.
func (t *rowTable) wanted(goroutine uint64) bool {
	if t.opt.Goroutine == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.opt.Goroutine(goroutine)
}
