package tui

// A Pager shows a text that is longer than the screen.
type Pager struct {
	Text string

	top, page, lines int
}

// Press scrolls, and reports whether the key does so.
func (p *Pager) Press(key string) bool {
	switch key {
	case "up", "k":
		p.top--
	case "down", "j":
		p.top++
	case "pgup", "ctrl+b":
		p.top -= p.page
	case "pgdown", "ctrl+f", "space":
		p.top += p.page
	case "home", "g":
		p.top = 0
	case "end", "G":
		p.top = p.lines
	default:
		return false
	}
	p.top = max(min(p.top, p.lines-p.page), 0)
	return true
}

// View returns the lines of the text that are visible.
func (p *Pager) View(columns, lines int) []string {
	all := Wrap(p.Text, columns)
	p.page, p.lines = lines, len(all)
	p.top = max(min(p.top, len(all)-lines), 0)
	return fit(append([]string(nil), all[p.top:]...), lines)
}
