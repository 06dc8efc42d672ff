package budget

// A likeness says how much windows, in which all calls are counted, are like the gaps before them. They are not quite:
// counting slows the program down, and on a busy machine it gets another share of the CPUs. Numbers that are known of
// gaps, too, tell: CPU time, and calls that are always counted.
type likeness struct {
	windows float64 // of late
	wall    float64 // of the gaps before them, ns
	cpu     ratio   // CPU time, ns
	calls   ratio   // of functions that are always counted
	counted float64 // such calls in windows
}

// A known number is one of gaps, and what the windows after them say that it is.
type known struct{ gaps, windows float64 }

func (k *known) add(o known) {
	k.gaps += o.gaps
	k.windows += o.windows
}

// scale has what is known count so many times.
func (k *known) scale(times float64) {
	k.gaps *= times
	k.windows *= times
}

// A ratio tells what windows say of a number as a share of what it is.
type ratio struct {
	known
	squares float64 // sum of the squares of what each window says too much
}

func (r *ratio) add(k known) {
	r.known.add(k)
	r.squares += (k.windows - k.gaps) * (k.windows - k.gaps)
}

// tells returns the ratio, which so many windows tell. It is nearer to guess the less alike they are. doubt is a variance
// more, as a share.
func (r *ratio) tells(guess, windows, doubt float64) float64 {
	const (
		sigma = 0.25 // the standard deviation of guess
		one   = 0.1  // the variance of one window, before there are many that tell it
	)
	if windows == 0 || r.gaps < 1 {
		return guess
	}
	bias := r.windows - r.gaps
	variance := max(r.squares-bias*bias/windows, 0)/(r.gaps*r.gaps) + one/windows + doubt
	return guess + (r.windows/r.gaps-guess)*sigma*sigma/(sigma*sigma+variance)
}

// add adds a window, the wall time of the gap before it, the CPU time and the calls of both, and the calls in the window.
func (l *likeness) add(wall float64, cpu, calls known, counted float64) {
	l.windows++
	l.wall += wall
	l.cpu.add(cpu)
	l.calls.add(calls)
	l.counted += counted
}

// forget takes calls out.
func (l *likeness) forget(calls known) {
	if calls == (known{}) {
		return
	}
	rest := 1 - calls.gaps/max(l.calls.gaps, calls.gaps, 1)
	l.calls.squares *= rest * rest
	l.counted *= rest
	l.calls.known.add(known{-calls.gaps, -calls.windows})
}

// mostWindows is how many windows are known. Then what they say counts half from now on.
const mostWindows = 1000

func (l *likeness) halve() {
	l.windows /= 2
	l.wall /= 2
	l.counted /= 2
	for _, r := range []*ratio{&l.cpu, &l.calls} {
		r.known.scale(0.5)
		r.squares /= 2
	}
}

// longest returns how long a gap is at most, in ns, in which the program has hardly had a CPU; 0: that isn't known. In
// longer ones it was stopped, and so was waymark: else a window would have come before.
func (l *likeness) longest() float64 {
	if l.windows == 0 {
		return 0
	}
	return 10 * l.wall / l.windows
}

// weight returns what part of a gap counts that took so many ns.
func (l *likeness) weight(wall float64) float64 {
	if longest := l.longest(); wall > longest && longest > 0 {
		return longest / wall
	}
	return 1
}

// share returns how many calls there are in windows, as a share of those in as much time of gaps. So many are counted
// in a ns of the latest window. CPU times may be known only about.
//
// Counting takes time for each on most processors, or less if it is hidden behind what else the CPU does. So much a
// program is slower in windows, unless it waits for itself: then it does its work all the same.
func (l *likeness) share(rate float64, about bool) float64 {
	const (
		little = 0.05 // a program that uses so many CPUs waits for itself: more of what windows take is waymark's own
		much   = 0.25 // one that uses so many doesn't, others do in part
		dearer = 2    // times as much as on most processors counting takes on others
		most   = 0.75
	)
	cpus, slows, cpu := 1.0, 1.0, 1.0
	if l.windows > 0 {
		cpus = max(l.cpu.gaps/l.wall, 0.01)
		slows = min(max((cpus-little)/(much-little), 0), 1)
		if !about {
			told := min(max(l.cpu.tells(1, l.windows, 0), 1-most), 1/(1-most))
			cpu += slows * (told - 1)
		}
	}
	counting := func(rate float64) float64 { return min(rate*perCount*crowded(rate)*slows, most) }
	guess := 1 - counting(rate/cpus)/2
	least := 1 - min(dearer*counting(rate/min(cpus, 1)), most) // as if one CPU did it all
	told := guess
	if l.counted > 0 {
		told = l.calls.tells(guess*cpu, l.windows, 1/l.counted) / cpu
	}
	return cpu * min(max(told, least), 1)
}
