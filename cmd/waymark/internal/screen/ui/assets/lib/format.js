// Numbers as the command prints them.

const units = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]];

// duration returns nanoseconds in the unit that fits, with three decimals.
export function duration(ns) {
	if (ns === null || ns === undefined) return '';
	const size = Math.abs(ns);
	if (size >= 3600e9) return `${(ns / 3600e9).toFixed(2)} h`;
	let unit = units[0];
	for (const u of units) {
		if (size >= u[1]) unit = u;
	}
	return `${unit[1] === 1 ? Math.round(ns) : (ns / unit[1]).toFixed(3)} ${unit[0]}`;
}

// count returns a whole number with commas.
export function count(n) { return n === null || n === undefined ? '' : Math.round(n).toLocaleString('en-US'); }

// short returns a number in at most five characters, as in 1.23M.
export function short(n) {
	for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e3]]) {
		if (Math.abs(n) >= size) return (n / size).toPrecision(3) + unit;
	}
	return String(Math.round(n * 10) / 10);
}

// bytes returns a number of bytes in binary units.
export function bytes(n) {
	if (Math.abs(n) < 1024) return `${n} B`;
	let unit = -1;
	do { n /= 1024; unit++; } while (Math.abs(n) >= 1024);
	return `${n.toFixed(1)} ${'KMGTP'[unit]}B`;
}

// percent returns a share of one.
export function percent(share) { return Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : ''; }
