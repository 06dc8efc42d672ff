// Flame graphs on a canvas, of the columns that api/flame answers with.

import {el} from './dom.js';
import {count, percent} from './format.js';
import {canvas, colour} from './plot.js';
import {value} from './recording.js';

const ROW = 20;

// A Flame shows frames; one of them may be chosen, and one may be the whole width.
//
//	const f = new Flame({onZoom: node => ..., onChoose: (node, index) => ...});
//	main.append(f.root);
//	f.set(answer, {unit: 'ns', icicle: true});
//
// Keys: arrows go to callers, callees and neighbours; Enter zooms in, Backspace or Escape out.
export class Flame {
	constructor({onZoom, onChoose}) {
		this.onZoom = onZoom;
		this.onChoose = onChoose;
		this.element = el('canvas', {tabindex: '0', role: 'application', 'aria-label': 'Flame graph: arrow keys choose a frame, Enter zooms in, Backspace out'});
		this.tip = el('div', {class: 'tip', hidden: true});
		this.said = el('p', {class: 'sr', role: 'status', 'aria-live': 'polite'});
		this.root = el('div', {class: 'flame'}, this.element, this.tip, this.said);
		this.drawing = canvas(this.element, (context, width, height) => this.draw(context, width, height));
		this.element.addEventListener('mousemove', e => this.hover(e));
		this.element.addEventListener('mouseleave', () => { this.tip.hidden = true; this.over = -1; this.drawing.redraw(); });
		this.element.addEventListener('click', e => { const i = this.at(e); if (i >= 0) this.choose(i); });
		this.element.addEventListener('dblclick', e => { const i = this.at(e); if (i >= 0) this.onZoom(this.data.id[i]); });
		this.element.addEventListener('keydown', e => this.key(e));
		this.over = this.chosen = -1;
		this.query = '';
	}

	stop() { this.drawing.stop(); }

	set(data, {unit, icicle}) {
		this.data = data;
		this.unit = unit;
		this.icicle = icicle;
		this.over = this.chosen = -1;
		const n = data.id.length;
		this.x = new Float64Array(n);
		this.w = new Float64Array(n);
		this.level = new Int32Array(n);
		const size = i => data.old ? Math.max(data.value[i], data.old[i]) : data.value[i];
		let all = 0;
		for (let i = 0; i < n && data.parent[i] < 0; i++) all += size(i);
		const next = new Float64Array(n); // where the next callee of a frame begins
		let top = 0, deepest = 0;
		for (let i = 0; i < n; i++) {
			const p = data.parent[i];
			this.w[i] = all ? size(i) / all : 0;
			this.x[i] = p < 0 ? top : next[p];
			if (p < 0) top += this.w[i];
			else {
				next[p] += this.w[i];
				this.level[i] = this.level[p] + 1;
			}
			next[i] = this.x[i];
			deepest = Math.max(deepest, this.level[i]);
		}
		this.levels = deepest + 1;
		this.children = new Map();
		for (let i = 0; i < n; i++) {
			const list = this.children.get(data.parent[i]);
			if (list) list.push(i);
			else this.children.set(data.parent[i], [i]);
		}
		// A recursion of a thousand levels scrolls; canvases have a greatest height.
		this.element.style.height = Math.min(this.levels * ROW, 16000) + 'px';
		this.drawing.redraw();
	}

	search(query) {
		this.query = query.toLowerCase();
		this.drawing.redraw();
		if (!this.data || !this.query) return null;
		let sum = 0; // of the outermost matches, so that nothing counts twice
		const inside = new Uint8Array(this.data.id.length);
		for (let i = 0; i < this.data.id.length; i++) {
			const p = this.data.parent[i];
			const match = this.matches(i);
			if (match && !(p >= 0 && inside[p])) sum += this.w[i];
			inside[i] = match || (p >= 0 && inside[p]) ? 1 : 0;
		}
		return sum;
	}

	matches(i) { return this.query && this.data.names[this.data.func[i]][1].toLowerCase().includes(this.query); }

	top(i, height) { return this.icicle ? this.level[i] * ROW : height - (this.level[i] + 1) * ROW; }

	draw(context, width, height) {
		if (!this.data) return;
		const text = colour('text'), page = colour('panel'), accent = colour('accent'), dark = matchMedia('(prefers-color-scheme: dark)').matches;
		context.font = '11.5px ' + getComputedStyle(document.body).fontFamily;
		context.textBaseline = 'middle';
		for (let i = 0; i < this.data.id.length; i++) {
			const x = this.x[i] * width, w = this.w[i] * width, y = this.top(i, height);
			if (w < 0.4) continue;
			context.fillStyle = this.fill(i, dark);
			context.globalAlpha = this.query && !this.matches(i) ? 0.35 : 1;
			context.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), 0.5), ROW - 1);
			context.globalAlpha = 1;
			if (i === this.chosen || i === this.over) {
				context.strokeStyle = i === this.chosen ? accent : text;
				context.lineWidth = i === this.chosen ? 2 : 1;
				context.strokeRect(x + 1, y + 1, Math.max(w - 3, 1), ROW - 3);
			}
			if (w > 34) {
				context.fillStyle = this.query && this.matches(i) ? page : text;
				context.fillText(fit(context, this.data.names[this.data.func[i]][0], w - 10), x + 5, y + ROW / 2);
			}
		}
	}

	// fill is a quiet colour for each package; with recordings of before, it says by how much a frame grew.
	fill(i, dark) {
		if (this.query && this.matches(i)) return colour('accent');
		if (this.data.old) {
			const before = this.data.old[i], now = this.data.value[i];
			const change = before + now ? (now - before) / Math.max(before, now) : 0;
			const part = Math.min(1, Math.abs(change));
			if (part < 0.02) return dark ? '#2b3034' : '#e9e9e6';
			const [h, s] = change > 0 ? [8, 70] : [205, 60];
			return `hsl(${h} ${Math.round(25 + s * part * 0.6)}% ${dark ? Math.round(24 + 18 * part) : Math.round(90 - 22 * part)}%)`;
		}
		const name = this.data.names[this.data.func[i]][1];
		const path = name.slice(0, name.indexOf('.', name.lastIndexOf('/') + 1));
		let hash = 7;
		for (const c of path) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
		const hue = [168, 192, 214, 144, 44, 28, 230, 256][hash % 8];
		const shade = (hash >>> 8) % 3;
		return dark ? `hsl(${hue} 24% ${26 + 3 * shade}%)` : `hsl(${hue} 42% ${82 + 3 * shade}%)`;
	}

	at(event) {
		const box = this.element.getBoundingClientRect();
		const x = (event.clientX - box.left) / box.width, y = event.clientY - box.top;
		const level = this.icicle ? Math.floor(y / ROW) : Math.floor((box.height - y) / ROW);
		for (let i = 0; i < (this.data?.id.length ?? 0); i++) {
			if (this.level[i] === level && x >= this.x[i] && x < this.x[i] + this.w[i]) return i;
		}
		return -1;
	}

	hover(event) {
		const i = this.at(event);
		if (i !== this.over) {
			this.over = i;
			this.drawing.redraw();
		}
		this.tip.hidden = i < 0;
		if (i < 0) return;
		this.tip.replaceChildren(el('div', {class: 'mono'}, this.data.names[this.data.func[i]][1]), this.lines(i));
		const wide = innerWidth - this.tip.offsetWidth - 12, high = innerHeight - this.tip.offsetHeight - 12;
		this.tip.style.left = Math.max(4, Math.min(event.clientX + 14, wide)) + 'px';
		this.tip.style.top = Math.max(4, Math.min(event.clientY + 16, high)) + 'px';
	}

	lines(i) {
		const d = this.data;
		const line = (name, text) => el('tr', {}, el('td', {class: 'muted'}, name), el('td', {class: 'number'}, text));
		return el('table', {}, line('all', `${value(this.unit, d.value[i])} (${percent(d.value[i] / d.total)})`),
			d.old ? line('before', value(this.unit, d.old[i])) : '', line('self', value(this.unit, d.self[i])), line('calls', count(d.calls[i])));
	}

	choose(i) {
		this.chosen = i;
		const d = this.data;
		this.said.textContent = `${d.names[d.func[i]][0]}: ${value(this.unit, d.value[i])}, ${percent(d.value[i] / d.total)}, ${count(d.calls[i])} calls`;
		this.drawing.redraw();
		this.onChoose(d.id[i], i);
	}

	key(event) {
		if (!this.data?.id.length) return;
		const i = Math.max(this.chosen, 0), parent = this.data.parent[i];
		const beside = this.children.get(parent), place = beside.indexOf(i);
		const inward = this.icicle ? 'ArrowDown' : 'ArrowUp', outward = this.icicle ? 'ArrowUp' : 'ArrowDown';
		let to = -1;
		switch (event.key) {
		case inward: to = this.chosen < 0 ? 0 : this.children.get(i)?.[0] ?? i; break;
		case outward: to = parent < 0 ? i : parent; break;
		case 'ArrowRight': to = beside[place + 1] ?? i; break;
		case 'ArrowLeft': to = beside[place - 1] ?? i; break;
		case 'Home': to = 0; break;
		case 'Enter': if (this.chosen >= 0) this.onZoom(this.data.id[this.chosen]); break;
		case 'Backspace': case 'Escape': this.onZoom(this.data.above.at(-1)?.id ?? 0); break;
		default: return;
		}
		event.preventDefault();
		if (to >= 0) this.choose(to);
	}
}

// fit shortens a text to a width.
function fit(context, text, width) {
	if (context.measureText(text).width <= width) return text;
	let from = 0, to = text.length;
	while (from < to) {
		const middle = (from + to + 1) >> 1;
		if (context.measureText(text.slice(0, middle) + '…').width <= width) from = middle;
		else to = middle - 1;
	}
	return from > 0 ? text.slice(0, from) + '…' : '';
}
