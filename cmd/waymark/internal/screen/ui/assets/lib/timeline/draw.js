// Drawing of the timeline's lanes on a canvas.

import {colour} from '../plot.js';
import {duration, short} from '../format.js';
import {groupName, line, measure} from './rows.js';

export const gutter = 148; // CSS pixels of the names at the left

// Numbers of a call and of a wait in the answer of api/timeline/window.
export const numbers = 8;

// Flags of calls.
export const flags = {panicked: 1, open: 8, failed: 32, long: 256};

// hue returns an angle that is the same for functions of a package's type, and near for its
// neighbours.
function hue(name) {
	let h = 2166136261;
	for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return (h >>> 0) % 360;
}

// Palette keeps the colours of functions, as the scheme wants them.
export class Palette {
	constructor(names) {
		this.names = names; // by id: {name, short}
		this.kept = new Map();
		this.load();
	}

	load() {
		this.dark = matchMedia('(prefers-color-scheme: dark)').matches;
		this.kept.clear();
		for (const name of ['text', 'muted', 'line', 'soft', 'panel', 'page', 'accent', 'bad', 'running', 'runnable', 'waiting']) this[name] = colour(name);
	}

	of(id) {
		let c = this.kept.get(id);
		if (!c) {
			const h = hue(this.names.get(id)?.name ?? String(id));
			c = this.dark ? `hsl(${h} 32% 38%)` : `hsl(${h} 55% 78%)`;
			this.kept.set(id, c);
		}
		return c;
	}
}

// nice returns a round number of ns that is at least the given one.
function nice(ns) {
	const power = 10 ** Math.floor(Math.log10(Math.max(ns, 1)));
	for (const m of [1, 2, 5, 10]) {
		if (m * power >= ns) return m * power;
	}
	return 10 * power;
}

// stamp returns a moment of a ruler whose marks are so far apart.
function stamp(ns, step) {
	const [unit, size] = ns >= 1e9 ? ['s', 1e9] : ns >= 1e6 ? ['ms', 1e6] : ns >= 1e3 ? ['µs', 1e3] : ['ns', 1];
	const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
	return `${(ns / size).toFixed(Math.min(digits, 9))} ${unit}`;
}

// ruler draws moments over the lanes, and lines through them.
export function ruler(c, p, view, width, height) {
	const step = nice((view.to - view.from) / Math.max(1, (width - gutter) / 110));
	c.font = '11px ' + getComputedStyle(document.body).fontFamily;
	c.textBaseline = 'middle';
	c.textAlign = 'left';
	for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
		const x = Math.round(view.x(t));
		c.fillStyle = p.line;
		c.fillRect(x, 0, 1, height);
		c.fillStyle = p.muted;
		if (x + 60 < width) c.fillText(stamp(t, step), x + 4, 10);
	}
}

// group draws the head of a group, with the number of its goroutines over time.
export function group(c, p, view, row, y, width, bins) {
	const g = row.group;
	c.fillStyle = p.soft;
	c.fillRect(0, y, width, measure.head - 2);
	if (bins?.alive?.length) {
		const most = Math.max(1, ...bins.alive);
		c.fillStyle = p.accent;
		c.globalAlpha = 0.35;
		const span = (bins.to - bins.from) / bins.alive.length;
		bins.alive.forEach((n, i) => {
			if (!n) return;
			const x = Math.max(gutter, view.x(bins.from + i * span)), end = view.x(bins.from + (i + 1) * span);
			const h = Math.max(1, (measure.head - 6) * n / most);
			if (end > x) c.fillRect(x, y + measure.head - 3 - h, end - x, h);
		});
		c.globalAlpha = 1;
	}
	c.fillStyle = p.text;
	c.textBaseline = 'middle';
	c.textAlign = 'left';
	c.font = '600 11px ' + getComputedStyle(document.body).fontFamily;
	const text = `${g.open ? '▾' : '▸'} ${groupName(g)}  ${short(g.lanes)}`;
	c.fillText(text, 8, y + measure.head / 2 - 1);
}

// laneName draws the name of a lane at the left.
export function laneName(c, p, row, y, chosen) {
	if (chosen) {
		c.fillStyle = p.soft;
		c.fillRect(0, y, gutter - 1, row.height - measure.gap + 2);
	}
	c.font = '11px ' + getComputedStyle(document.body).fontFamily;
	c.textBaseline = 'top';
	c.textAlign = 'left';
	c.fillStyle = p.text;
	c.fillText(row.lane ? `goroutine ${row.lane.id}` : '…', 20, y + 2);
	if (row.lane?.panics) {
		c.fillStyle = p.bad;
		c.fillRect(10, y + 5, 5, 5);
	}
}

// lane draws the strokes of a goroutine: data is {calls, waits} of the answer, shown in the view.
export function lane(c, p, view, row, y, data, {levels, skip, waiting, chosen, width}) {
	const l = row.lane;
	const left = Math.max(gutter, view.x(l.start_ns)), right = Math.min(width, view.x(l.end_ns));
	if (right < gutter || left > width) return;
	c.fillStyle = p.line;
	c.fillRect(left, y + 2, Math.max(1, right - left), 1);
	if (!data) return;
	const top = y + measure.strip;
	const {calls, waits} = data;
	c.font = '10px ' + getComputedStyle(document.body).fontFamily;
	c.textBaseline = 'middle';
	c.textAlign = 'left';
	// When it ran: while it had a call open, and was not off.
	for (let i = 0; i < calls.length; i += numbers) {
		if (calls[i + 2] === 0 || calls[i + 2] === skip) {
			const x = Math.max(gutter, view.x(calls[i])), end = Math.min(width, view.x(calls[i + 1]));
			if (end < gutter || x > width) continue;
			c.fillStyle = waiting ? p.running : p.muted;
			c.fillRect(x, y + 1, Math.max(1, end - x), 3);
		}
	}
	for (let i = 0; i < waits.length; i += numbers) {
		const x = Math.max(gutter, view.x(waits[i])), end = Math.min(width, view.x(waits[i + 1]));
		if (end < gutter || x > width) continue;
		const w = Math.max(1, end - x), whole = Math.max(1, waits[i + 1] - waits[i]);
		if (waits[i + 7] === 2) {
			// It waited, and then was ready.
			const ready = w * waits[i + 3] / whole;
			c.fillStyle = p.waiting;
			c.fillRect(x, y + 1, w - ready, 3);
			c.fillStyle = p.runnable;
			if (ready > 0) c.fillRect(x + w - ready, y + 1, Math.max(ready, 1), 3);
			continue;
		}
		// Of several waits the shares are stacked.
		c.fillStyle = p.running;
		c.fillRect(x, y + 1, w, 3);
		c.fillStyle = p.waiting;
		c.fillRect(x, y + 1, w * waits[i + 2] / whole, 3);
		c.fillStyle = p.runnable;
		c.fillRect(x + w * waits[i + 2] / whole, y + 1, w * waits[i + 3] / whole, 3);
	}
	for (let i = 0; i < calls.length; i += numbers) {
		const depth = calls[i + 2] - skip;
		if (depth < 0 || depth >= levels) continue;
		let x = view.x(calls[i]), end = view.x(calls[i + 1]);
		if (end < gutter || x > width) continue;
		x = Math.max(gutter, x);
		end = Math.min(width, end);
		const w = Math.max(1, end - x - (end - x > 3 ? 1 : 0)), at = top + depth * line;
		c.fillStyle = p.of(calls[i + 3]);
		if (calls[i + 7] === 1) {
			// Short calls: one block, and paler what they called.
			c.globalAlpha = 0.75;
			c.fillRect(x, at + 2, w, line - 4);
			c.globalAlpha = 0.3;
			const deep = Math.min(calls[i + 6], levels - depth - 1);
			for (let k = 1; k <= deep; k++) c.fillRect(x, at + k * line + 3, w, line - 6);
			c.globalAlpha = 1;
		} else {
			if (calls[i + 5] & flags.long) c.globalAlpha = 0.4;
			c.fillRect(x, at, w, line - 1);
			c.globalAlpha = 1;
		}
		if (calls[i + 5] & (flags.panicked | flags.failed)) {
			c.fillStyle = p.bad;
			c.fillRect(x, at, Math.max(2, Math.min(w, 4)), line - 1);
		}
		if (w > 26) {
			const name = p.names.get(calls[i + 3])?.short ?? '';
			const text = calls[i + 7] === 1 ? `${short(calls[i + 4])} × ${name}` : w > 110 ? `${name}  ${duration(calls[i + 1] - calls[i])}` : name;
			// Cut by its length: clipping takes longer than all else.
			c.fillStyle = p.text;
			c.fillText(text.slice(0, Math.floor((w - 4) / 5.6)), x + 3, at + line / 2);
		}
	}
	if (chosen && chosen.depth - skip >= 0 && chosen.depth - skip < levels) {
		const x = Math.max(gutter, view.x(chosen.start_ns)), end = Math.min(width, view.x(chosen.end_ns));
		if (end >= gutter && x <= width) {
			c.strokeStyle = p.text;
			c.lineWidth = 1.5;
			c.strokeRect(x, top + (chosen.depth - skip) * line, Math.max(2, end - x), line - 1);
		}
	}
}

// arrow draws a line from one lane to another at a moment.
export function arrow(c, x, from, to, stroke) {
	c.strokeStyle = c.fillStyle = stroke;
	c.lineWidth = 1;
	c.globalAlpha = 0.8;
	const bend = Math.min(24, 4 + Math.abs(to - from) / 6);
	c.beginPath();
	c.moveTo(x, from);
	c.bezierCurveTo(x + bend, from, x - bend, to, x - 1, to);
	c.stroke();
	c.beginPath();
	c.moveTo(x, to);
	c.lineTo(x - 5, to - 3);
	c.lineTo(x - 5, to + 3);
	c.fill();
	c.globalAlpha = 1;
}
