// Timeline: a lane for each goroutine, from the whole run to one call. No more is asked of the server
// than the window shows.

import {get, isAbort} from '../lib/api.js';
import {setParams} from '../lib/address.js';
import {el, errorBox} from '../lib/dom.js';
import {count, duration} from '../lib/format.js';
import {canvas} from '../lib/plot.js';
import {legend} from '../lib/recording.js';
import {Rows, line, measure} from '../lib/timeline/rows.js';
import {Palette, arrow, group as drawGroup, gutter, lane as drawLane, laneName, numbers, ruler} from '../lib/timeline/draw.js';
import {callPanel, functionsPanel, groupsPanel, lanePanel} from '../lib/timeline/panel.js';

const rulerHeight = 20;
const shortest = 20; // ns that a window shows at least
const tallest = 8_000_000; // CSS pixels: browsers don't scroll much further

// ready waits until the index of a process is there, and says how far it is.
async function ready(process, main, signal) {
	const text = el('p', {class: 'muted', role: 'status'});
	for (;;) {
		const {processes} = await get('api/timeline/state', {}, {signal});
		const p = processes[process] ?? processes[0];
		if (p.ready) {
			text.remove();
			return processes;
		}
		if (p.error) throw new Error(p.error);
		text.textContent = `Making an index of the recording, once: ${count(p.read)} of ${count(p.all)} events`;
		if (!text.isConnected) main.append(text);
		await new Promise(done => setTimeout(done, 250));
		signal.throwIfAborted();
	}
}

export async function show(main, {params, signal}) {
	const process = Number(params.get('process') ?? 0) || 0;
	const processes = await ready(process, main, signal);
	const ask = (what, query = {}, options = {signal}) => get('api/timeline/' + what, {process, ...query}, options);
	const [info, {groups}, {functions}] = await Promise.all([ask('info'), ask('groups'), ask('functions')]);
	const names = new Map(functions.map(f => [f.id, {name: f.name, short: f.name.replace(/^.*\//, '')}]));
	const first = Math.min(0, info.start_ns), last = Math.max(info.end_ns, first + shortest);

	// What is shown.
	const view = {from: first, to: last, width: 1000, x(t) { return gutter + (t - this.from) / (this.to - this.from) * (this.width - gutter); },
		at(x) { return this.from + (x - gutter) / (this.width - gutter) * (this.to - this.from); }};
	let chosen = null; // a call, as api/timeline/call has it
	let range = null; // {from, to}
	let data = new Map(); // lanes by id, as api/timeline/window has them
	let shown = {from: 0, to: 0, limit_ns: 0, exact: true, starts: []};
	let bins = new Map(); // numbers of goroutines by group
	let overviewCounts = null;
	let arrows = true;
	let placed = []; // rows as they were drawn last: {row, y}

	const names_ = functions.toSorted((a, b) => b.self_ns - a.self_ns);
	const search = el('input', {type: 'search', list: 'functions', placeholder: 'function', 'aria-label': 'Function to find', size: '24', spellcheck: 'false'});
	const status = el('span', {class: 'muted', role: 'status', id: 'status'});
	const where = el('span', {class: 'muted mono', id: 'where'});
	const small = el('canvas', {class: 'small', 'aria-hidden': 'true'});
	const big = el('canvas', {class: 'lanes', tabindex: '0', role: 'img', 'aria-label': 'Timeline of goroutines', 'aria-describedby': 'status'});
	const spacer = el('div', {class: 'spacer'});
	const scroller = el('div', {class: 'scroller'}, big, spacer);
	const side = el('aside', {class: 'panel', 'aria-live': 'polite'});
	const tip = el('div', {class: 'tip', hidden: true});
	const selecting = el('button', {type: 'button', 'aria-pressed': 'false', title: 'Drag selects a range (also with Shift)', onclick: () => selecting.setAttribute('aria-pressed', selecting.ariaPressed !== 'true')}, 'Select range');
	const showArrows = el('button', {type: 'button', 'aria-pressed': 'true', title: 'Who started and woke whom', onclick: () => {
		arrows = !arrows;
		showArrows.setAttribute('aria-pressed', arrows);
		drawing.redraw();
	}}, 'Arrows');
	main.append(el('h1', {class: 'sr'}, 'Timeline'),
		el('div', {class: 'bar'},
			processes.length > 1 ? el('select', {'aria-label': 'Process', onchange: e => { location.hash = `#/timeline?process=${e.target.value}`; }},
				...processes.map((p, i) => el('option', {value: i, selected: i === process}, `process ${p.label}`))) : null,
			search, el('datalist', {id: 'functions'}, ...names_.slice(0, 2000).map(f => el('option', {value: f.name}))),
			el('button', {type: 'button', onclick: () => findNamed('previous'), title: 'The call before'}, '‹'),
			el('button', {type: 'button', onclick: () => findNamed('next'), title: 'The next call'}, 'Find ›'),
			el('button', {type: 'button', onclick: () => zoom(0.5), 'aria-label': 'Zoom in'}, '+'),
			el('button', {type: 'button', onclick: () => zoom(2), 'aria-label': 'Zoom out'}, '−'),
			el('button', {type: 'button', onclick: () => move(first, last)}, 'All'), selecting, showArrows,
			el('span', {class: 'grow'}), where, info.waiting ? legend() : null),
		info.lacks.length ? el('p', {class: 'muted lacks'}, info.lacks.join('; ')) : '',
		el('div', {class: 'split'}, el('div', {class: 'panel view'}, small, scroller, tip), side), status);

	const rows = new Rows(process, groups, () => { fetchSoon(); drawing.redraw(); });
	rows.failed = fail;
	const palette = new Palette(names);
	const drawing = canvas(big, draw);
	const overview = canvas(small, drawOverview);
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const recolour = () => { palette.load(); drawing.redraw(); overview.redraw(); };
	dark.addEventListener('change', recolour);

	function fail(err) {
		if (!isAbort(err)) status.replaceChildren(errorBox(err));
	}

	// Scrolling: of more lanes than browsers can scroll over, a pixel is several.
	function scale() { return Math.max(1, rows.height / tallest); }
	function top() { return scroller.scrollTop * scale(); }
	function resize() { spacer.style.height = `${Math.max(0, Math.min(rows.height, tallest) + rulerHeight - scroller.clientHeight)}px`; }
	function scrollTo(y) { scroller.scrollTop = Math.max(0, y / scale()); }
	scroller.addEventListener('scroll', () => { drawing.redraw(); fetchSoon(); });

	// move shows a window.
	function move(from, to) {
		let length = Math.min(Math.max(to - from, shortest), last - first);
		from = Math.min(Math.max(from, first), last - length);
		view.from = from;
		view.to = from + length;
		keep();
		drawing.redraw();
		overview.redraw();
		fetchSoon();
	}
	function zoom(factor, at = (view.from + view.to) / 2) {
		move(at - (at - view.from) * factor, at + (view.to - at) * factor);
	}

	// keep puts the moment into the address.
	let keeping = 0;
	function keep() {
		clearTimeout(keeping);
		keeping = setTimeout(() => {
			const all = view.from <= first && view.to >= last;
			setParams({
				process: process || '', from: all ? '' : Math.round(view.from), to: all ? '' : Math.round(view.to),
				goroutine: chosen?.goroutine ?? rows.tall?.id, function: chosen?.function, at: chosen?.start_ns, depth: chosen?.depth,
				range: range ? `${Math.round(range.from)}-${Math.round(range.to)}` : '',
			});
		}, 100);
	}

	// fetchSoon asks for what the window shows, once it stands still.
	let waiting = 0, abort = null, asked = '';
	function fetchSoon() {
		clearTimeout(waiting);
		waiting = setTimeout(fetchWindow, 12);
	}
	async function fetchWindow() {
		const visible = rows.visible(top(), top() + scroller.clientHeight);
		const lanes = visible.filter(r => r.lane && r.lane.end_ns >= view.from && r.lane.start_ns <= view.to).slice(0, 200);
		const ids = lanes.map(r => r.lane.id).sort((a, b) => a - b);
		const levels = lanes.reduce((n, r) => Math.max(n, rows.levels(r.group, r.lane.id)), 1);
		const tall = rows.tall && ids.includes(rows.tall.id) && rows.skip > 0;
		const query = {from: Math.max(0, Math.floor(view.from)), to: Math.ceil(view.to) + 1, px: Math.max(1, Math.round(view.width - gutter)), rows: levels};
		const closed = visible.some(r => !r.lane);
		const key = JSON.stringify([query, ids, rows.skip, closed]);
		if (key === asked) return;
		asked = key;
		abort?.abort();
		abort = new AbortController();
		signal.addEventListener('abort', () => abort.abort());
		const options = {signal: abort.signal};
		big.setAttribute('aria-busy', 'true');
		try {
			const rest = tall ? ids.filter(id => id !== rows.tall.id) : ids;
			const [answer, deep, numbersOf] = await Promise.all([
				ask('window', {...query, lanes: rest.join(',')}, options),
				tall ? ask('window', {...query, lanes: rows.tall.id, skip: rows.skip}, options) : null,
				closed ? ask('groups', {from: query.from, to: query.to, bins: 200}, options) : null,
			]);
			data = new Map([...answer.lanes, ...(deep?.lanes ?? [])].map(l => [l.id, l]));
			shown = answer;
			shown.asked = query;
			if (deep) shown.starts = shown.starts.concat(deep.starts);
			if (numbersOf) bins = new Map(numbersOf.groups.map(g => [g.group, {from: query.from, to: query.to, alive: g.alive}]));
			big.removeAttribute('aria-busy');
			drawing.redraw();
		} catch (err) {
			if (isAbort(err)) return;
			asked = '';
			big.removeAttribute('aria-busy');
			fail(err);
		}
	}

	function draw(c, width, height) {
		view.width = width;
		resize();
		const from = top();
		placed = [];
		const span = view.to - view.from;
		const text = `${duration(view.from)} + ${duration(span)}`;
		if (where.textContent !== text) where.textContent = text;
		ruler(c, palette, view, width, height);
		c.fillStyle = palette.line;
		c.fillRect(gutter - 1, 0, 1, height);
		c.save();
		c.beginPath();
		c.rect(0, rulerHeight, width, height - rulerHeight);
		c.clip();
		const at = new Map();
		for (const row of rows.visible(from, from + height)) {
			const y = row.y - from + rulerHeight;
			placed.push({row, y});
			if (row.place === undefined) {
				drawGroup(c, palette, view, row, y, width, bins.get(row.group.group));
				continue;
			}
			laneName(c, palette, row, y, row.lane && rows.tall?.id === row.lane.id);
			if (!row.lane) continue;
			at.set(row.lane.id, y);
			drawLane(c, palette, view, row, y, data.get(row.lane.id), {
				levels: rows.levels(row.group, row.lane.id), skip: rows.tall?.id === row.lane.id ? rows.skip : 0, waiting: info.waiting, width,
				chosen: chosen?.goroutine === row.lane.id ? chosen : null,
			});
		}
		if (arrows) drawArrows(c, at, width);
		c.restore();
		if (range) {
			const a = Math.max(gutter, view.x(range.from)), b = Math.min(width, view.x(range.to));
			if (b > gutter && a < width) {
				c.fillStyle = palette.accent;
				c.globalAlpha = 0.14;
				c.fillRect(a, 0, b - a, height);
				c.globalAlpha = 1;
				c.fillRect(a, 0, 1, height);
				c.fillRect(b - 1, 0, 1, height);
			}
		}
		// For tests, as what follows the last function.
		big.view = {from: view.from, to: view.to, fresh: shown.asked?.from === Math.max(0, Math.floor(view.from)) && shown.asked?.to === Math.ceil(view.to) + 1, limit: shown.limit_ns, exact: shown.exact, strokes: [...data.values()].reduce((n, l) => n + (l.calls.length + l.waits.length) / numbers, 0)};
	}

	// drawArrows draws who started whom, and who woke whom, unless there are too many to be told
	// apart.
	function drawArrows(c, at, width) {
		let left = 120;
		const middle = y => y + measure.strip / 2 + 1;
		for (let i = 0; i < shown.starts.length && left > 0; i += 3) {
			const [parent, child, time] = shown.starts.slice(i, i + 3), x = view.x(time);
			if (x < gutter || x > width || !at.has(parent)) continue;
			left--;
			if (at.has(child)) arrow(c, x, middle(at.get(parent)), middle(at.get(child)), palette.accent);
			else arrow(c, x, middle(at.get(parent)), middle(at.get(parent)) + 12, palette.accent);
		}
		let wakes = 0;
		for (const [id, y] of at) {
			const waits = data.get(id)?.waits ?? [];
			for (let i = 0; i < waits.length && wakes < 120; i += numbers) {
				const waker = waits[i + 6];
				if (waits[i + 7] !== 2 || !waker || !at.has(waker) || waker === id) continue;
				const x = view.x(waits[i + 1] - waits[i + 3]);
				if (x < gutter || x > width || view.x(waits[i + 1]) - view.x(waits[i]) < 12 && chosen?.goroutine !== id) continue;
				wakes++;
				arrow(c, x, middle(at.get(waker)), middle(y), palette.runnable);
			}
		}
	}

	function drawOverview(c, width, height) {
		const x = t => gutter + (t - first) / (last - first) * (width - gutter);
		if (overviewCounts) {
			const {events, panics, goroutines} = overviewCounts, n = events.length, w = (width - gutter) / n;
			const most = Math.max(1, ...events), alive = Math.max(1, ...goroutines);
			events.forEach((e, i) => {
				c.fillStyle = palette.waiting;
				const h = (height - 4) * e / most;
				c.fillRect(gutter + i * w, height - h, Math.max(1, w), h);
				if (panics[i]) {
					c.fillStyle = palette.bad;
					c.fillRect(gutter + i * w, 0, Math.max(2, w), 3);
				}
			});
			c.strokeStyle = palette.accent;
			c.beginPath();
			goroutines.forEach((g, i) => {
				const y = height - 2 - (height - 6) * g / alive;
				c.lineTo(gutter + i * w, y);
				c.lineTo(gutter + (i + 1) * w, y);
			});
			c.stroke();
		}
		c.fillStyle = palette.muted;
		c.font = '11px ' + getComputedStyle(document.body).fontFamily;
		c.textBaseline = 'middle';
		c.fillText('events', 8, height / 2 - 7);
		c.fillStyle = palette.accent;
		c.fillText('goroutines', 8, height / 2 + 7);
		c.fillStyle = palette.accent;
		c.globalAlpha = 0.18;
		const from = x(view.from);
		c.fillRect(from, 0, Math.max(2, x(view.to) - from), height);
		c.globalAlpha = 1;
	}

	// hit returns what is at a place of the canvas: {row, call} or {row}.
	function hit(px, py) {
		const found = placed.findLast(({row, y}) => py >= y && py < y + row.height);
		if (!found || py < rulerHeight) return null;
		const {row, y} = found;
		if (!row.lane || px < gutter) return {row};
		const skip = rows.tall?.id === row.lane.id ? rows.skip : 0;
		const depth = Math.floor((py - y - measure.strip) / line) + skip;
		const calls = data.get(row.lane.id)?.calls ?? [];
		let best = null, least = Infinity;
		for (let i = 0; i < calls.length; i += numbers) {
			if (calls[i + 2] > depth || calls[i + 2] < depth && !(calls[i + 7] === 1 && calls[i + 2] + calls[i + 6] >= depth)) continue;
			const a = view.x(calls[i]), b = Math.max(view.x(calls[i + 1]), a + 1);
			const distance = px < a ? a - px : px > b ? px - b : 0;
			if (distance <= 2 && (distance < least || distance === least && best && calls[i + 2] > best.depth)) {
				least = distance;
				best = {start: calls[i], end: calls[i + 1], depth: calls[i + 2], function: calls[i + 3], calls: calls[i + 4], several: calls[i + 7] === 1};
			}
		}
		return {row, call: best};
	}

	// choose shows a call in the panel.
	async function choose(goroutine, fn, at, depth, {reveal = false, zoomTo = false} = {}) {
		try {
			took(await ask('call', {goroutine, function: fn, at, depth}), {reveal, zoomTo});
		} catch (err) { fail(err); }
	}
	async function took(call, {reveal, zoomTo}) {
		chosen = call;
		status.textContent = `${call.name}, goroutine ${call.goroutine}, ${duration(call.duration_ns)} at ${duration(call.start_ns)}`;
		search.value = call.name;
		const place = await rows.find(call.goroutine);
		rows.choose(place, call.depth);
		if (reveal) {
			const y = rows.laneY(place.group, place.place);
			if (y < top() || y + place.group.each > top() + scroller.clientHeight - rulerHeight) scrollTo(y - scroller.clientHeight / 3);
			const length = Math.max(call.end_ns - call.start_ns, 1), span = view.to - view.from;
			if (zoomTo || length * (view.width - gutter) / span < 3) {
				// Wide enough to be seen, with what is around it.
				const wide = Math.max(length * (zoomTo ? 1.2 : 8), shortest);
				move(call.start_ns - (wide - length) / 2, call.end_ns + (wide - length) / 2);
			} else if (call.start_ns < view.from || call.start_ns > view.to) {
				move(call.start_ns - span * 0.3, call.start_ns + span * 0.7);
			}
		}
		panel();
		keep();
		drawing.redraw();
		fetchSoon();
	}
	async function find(direction, fn, from, goroutine) {
		try {
			await took(await ask('find', {function: fn, direction, from: Math.max(0, Math.round(from)), goroutine}), {reveal: true});
		} catch (err) {
			if (isAbort(err)) return;
			status.textContent = /no such call/.test(err.message) ? `No ${direction} call of ${names.get(fn)?.short ?? 'the function'}` : '';
			if (!status.textContent) fail(err);
		}
	}
	function named() {
		const text = search.value.trim();
		return functions.find(f => f.name === text) ?? names_.find(f => text && f.name.toLowerCase().includes(text.toLowerCase()));
	}
	function findNamed(direction) {
		const f = named();
		if (!f) {
			status.textContent = search.value ? `No function that was called has ${search.value} in its name` : 'Write the name of a function, or a part of it';
			return;
		}
		const same = chosen?.function === f.id;
		find(direction, f.id, same ? chosen.start_ns + (direction === 'next' ? 1 : -1) : direction === 'next' ? view.from : view.to);
	}
	search.addEventListener('keydown', e => { if (e.key === 'Enter') findNamed(e.shiftKey ? 'previous' : 'next'); });

	async function go(goroutine, from, to) {
		try {
			const place = await rows.find(goroutine);
			chosen = null;
			rows.choose(place);
			scrollTo(rows.laneY(place.group, place.place) - scroller.clientHeight / 3);
			if (from !== undefined) move(from, to);
			else if (place.lane.start_ns > view.to || place.lane.end_ns < view.from) move(place.lane.start_ns, place.lane.start_ns + (view.to - view.from));
			panel();
			keep();
			drawing.redraw();
			fetchSoon();
		} catch (err) { fail(err); }
	}
	const act = {
		go, show: move,
		call: (goroutine, fn, at, depth) => choose(goroutine, fn, at, depth, {reveal: true}),
		find: direction => find(direction, chosen.function, chosen.start_ns + (direction === 'next' ? 1 : -1)),
		zoom: () => took(chosen, {reveal: true, zoomTo: true}),
	};

	// panel shows what is chosen.
	let rangeTable = null, adding = null;
	function panel() {
		const parts = [];
		if (rangeTable) parts.push(rangeTable);
		if (chosen) parts.push(callPanel(chosen, names, act));
		else if (rows.tall) {
			const place = rows.known(rows.tall.id);
			if (place) parts.push(lanePanel(place, info.waiting, act));
		}
		if (!parts.length) parts.push(groupsPanel(groups, info.waiting, g => { g.open = true; rows.layout(); scrollTo(g.y); drawing.redraw(); fetchSoon(); }));
		side.replaceChildren(...parts);
	}
	async function select(from, to) {
		range = {from: Math.max(first, Math.min(from, to)), to: Math.min(last, Math.max(from, to))};
		if (range.to - range.from < 1) return clearRange();
		keep();
		drawing.redraw();
		rangeTable = el('p', {class: 'muted', role: 'status'}, 'Adding up…');
		panel();
		const one = range;
		adding?.abort();
		adding = new AbortController();
		signal.addEventListener('abort', () => adding.abort());
		try {
			const answer = await ask('table', {from: Math.max(0, Math.round(range.from)), to: Math.max(Math.round(range.to), Math.round(range.from) + 1)}, {signal: adding.signal});
			if (one !== range) return;
			rangeTable = functionsPanel(answer, processes[process].since_ns, names, info.waiting, id => { search.value = names.get(id).name; find('next', id, range?.from ?? view.from); }, clearRange);
		} catch (err) {
			if (isAbort(err) || one !== range) return;
			rangeTable = errorBox(err);
		}
		panel();
	}
	function clearRange() {
		range = rangeTable = null;
		keep();
		panel();
		drawing.redraw();
	}

	// The mouse.
	let drag = null;
	big.addEventListener('pointerdown', e => {
		if (e.button !== 0) return;
		const box = big.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
		const selects = x >= gutter && (e.shiftKey || selecting.ariaPressed === 'true');
		drag = {x, y, from: view.from, to: view.to, top: scroller.scrollTop, moved: false, selects, at: view.at(x)};
		big.setPointerCapture(e.pointerId);
	});
	big.addEventListener('pointermove', e => {
		const box = big.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
		if (!drag) return hover(x, y);
		if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 4) drag.moved = true;
		if (!drag.moved) return;
		tip.hidden = true;
		if (drag.selects) {
			const at = view.at(Math.max(gutter, x));
			range = {from: Math.min(at, drag.at), to: Math.max(at, drag.at)};
			drawing.redraw();
			return;
		}
		const shift = (x - drag.x) / (view.width - gutter) * (drag.to - drag.from);
		scroller.scrollTop = drag.top - (y - drag.y) / scale();
		move(drag.from - shift, drag.to - shift);
	});
	big.addEventListener('pointerup', e => {
		const d = drag;
		drag = null;
		if (!d) return;
		if (d.moved) {
			if (d.selects && range) select(range.from, range.to);
			return;
		}
		const box = big.getBoundingClientRect();
		click(hit(e.clientX - box.left, e.clientY - box.top), view.at(e.clientX - box.left));
	});
	big.addEventListener('pointerleave', () => { tip.hidden = true; });
	big.addEventListener('dblclick', () => { if (chosen) act.zoom(); });
	function click(at, time) {
		if (!at) return;
		const {row, call} = at;
		if (row.place === undefined) {
			row.group.open = !row.group.open;
			rows.layout();
			drawing.redraw();
			fetchSoon();
			return;
		}
		if (!row.lane) return;
		if (!call) return go(row.lane.id);
		if (!call.several) return choose(row.lane.id, call.function, call.start, call.depth);
		// Short calls: nearer, until they are seen one by one.
		const width = Math.max((view.to - view.from) / 8, shortest);
		rows.choose({group: row.group, lane: row.lane, place: row.place});
		move(time - width / 2, time + width / 2);
	}
	function hover(x, y) {
		const at = hit(x, y);
		if (!at?.call) {
			tip.hidden = true;
			big.style.cursor = at?.row.place === undefined && at ? 'pointer' : 'grab';
			return;
		}
		big.style.cursor = 'pointer';
		const c = at.call, name = names.get(c.function)?.name ?? '';
		tip.replaceChildren(el('strong', {}, c.several ? `${count(c.calls)} short calls` : name), el('br'),
			c.several ? `most of them ${name}` : duration(c.end - c.start), el('br'), `at ${duration(c.start)}`);
		tip.hidden = false;
		const box = big.parentElement.parentElement.getBoundingClientRect(), own = big.getBoundingClientRect();
		tip.style.left = `${Math.min(x + 14, box.width - tip.offsetWidth - 8)}px`;
		tip.style.top = `${own.top - box.top + y + 16}px`;
	}
	big.addEventListener('wheel', e => {
		const box = big.getBoundingClientRect(), x = e.clientX - box.left;
		if (x < gutter && !e.ctrlKey) return; // over the names it scrolls
		e.preventDefault();
		const sideways = e.shiftKey ? e.deltaY || e.deltaX : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0;
		if (sideways) {
			const by = sideways / (view.width - gutter) * (view.to - view.from);
			move(view.from + by, view.to + by);
			return;
		}
		zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY)) * (e.ctrlKey ? 0.01 : 0.002)), view.at(Math.max(gutter, x)));
	}, {passive: false});
	small.addEventListener('pointerdown', e => {
		const to = e => {
			const box = small.getBoundingClientRect();
			const t = first + (e.clientX - box.left - gutter) / (box.width - gutter) * (last - first), half = (view.to - view.from) / 2;
			move(t - half, t + half);
		};
		to(e);
		small.setPointerCapture(e.pointerId);
		small.onpointermove = to;
		small.onpointerup = () => { small.onpointermove = small.onpointerup = null; };
	});

	// The keys.
	big.addEventListener('keydown', e => {
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		const span = view.to - view.from;
		const keys = {
			'+': () => zoom(0.5), '=': () => zoom(0.5), w: () => zoom(0.5), '-': () => zoom(2), s: () => zoom(2), 0: () => move(first, last), Home: () => move(first, last),
			ArrowLeft: () => e.shiftKey ? neighbour(-1, 0) : move(view.from - span / 5, view.to - span / 5),
			ArrowRight: () => e.shiftKey ? neighbour(1, 0) : move(view.from + span / 5, view.to + span / 5),
			a: () => move(view.from - span / 5, view.to - span / 5), d: () => move(view.from + span / 5, view.to + span / 5),
			ArrowUp: () => e.shiftKey ? neighbour(0, -1) : scrollTo(top() - 60), ArrowDown: () => e.shiftKey ? neighbour(0, 1) : scrollTo(top() + 60),
			PageUp: () => scrollTo(top() - scroller.clientHeight), PageDown: () => scrollTo(top() + scroller.clientHeight),
			n: () => chosen && act.find('next'), p: () => chosen && act.find('previous'), f: () => chosen && act.zoom(),
			Enter: () => middle(), Escape: () => { chosen = null; rows.choose(null); clearRange(); },
		};
		const action = keys[e.key];
		if (!action) return;
		e.preventDefault();
		action();
	});
	// list returns the single calls of a lane that are drawn.
	function list(id) {
		const calls = data.get(id)?.calls ?? [], all = [];
		for (let i = 0; i < calls.length; i += numbers) {
			if (calls[i + 7] === 0) all.push({start: calls[i], end: calls[i + 1], depth: calls[i + 2], function: calls[i + 3]});
		}
		return all;
	}
	// middle chooses the call nearest to the middle of the window, of the chosen lane or the first
	// one.
	function middle() {
		const lane = rows.tall?.id ?? placed.find(p => p.row.lane && list(p.row.lane.id).length)?.row.lane.id;
		const t = (view.from + view.to) / 2, distance = c => Math.max(c.start - t, t - c.end, 0);
		const best = list(lane).sort((a, b) => distance(a) - distance(b) || b.depth - a.depth)[0];
		if (best) choose(lane, best.function, best.start, best.depth);
	}
	// neighbour chooses the call beside the chosen one, its caller or the first call that it made.
	function neighbour(side, down) {
		if (!chosen) return middle();
		if (down < 0) {
			const c = chosen.callers.at(-1);
			if (c) choose(chosen.goroutine, c.function, c.start_ns, c.depth, {reveal: true});
			return;
		}
		const all = list(chosen.goroutine);
		const next = down > 0 ? all.find(c => c.depth === chosen.depth + 1 && c.start >= chosen.start_ns && c.end <= chosen.end_ns)
			: side > 0 ? all.find(c => c.depth === chosen.depth && c.start > chosen.start_ns) : all.findLast(c => c.depth === chosen.depth && c.start < chosen.start_ns);
		if (next) choose(chosen.goroutine, next.function, next.start, next.depth, {reveal: true});
		else status.textContent = 'There is no such call in the window';
	}

	// What the address asks for.
	const number = name => params.has(name) && params.get(name) !== '' ? Number(params.get(name)) : undefined;
	if (number('from') !== undefined && number('to') !== undefined) move(number('from'), number('to'));
	else fetchSoon();
	panel();
	ask('counts', {bins: 600}).then(c => { overviewCounts = c; overview.redraw(); }, fail);
	if (number('at') !== undefined) await choose(number('goroutine'), number('function'), number('at'), number('depth') ?? 0, {reveal: true});
	else if (number('goroutine') !== undefined) await go(number('goroutine'));
	const [from, to] = (params.get('range') ?? '').split('-').map(Number);
	if (to > from) select(from, to);

	// For tests: where a call is drawn.
	big.locate = (goroutine, at, depth) => {
		const found = placed.find(p => p.row.lane?.id === goroutine);
		if (!found) return null;
		const skip = rows.tall?.id === goroutine ? rows.skip : 0;
		return {x: view.x(at), y: found.y + measure.strip + (depth - skip + 0.5) * line};
	};
	big.strokes = () => Object.fromEntries(data);

	return () => {
		clearTimeout(waiting);
		clearTimeout(keeping);
		drawing.stop();
		overview.stop();
		dark.removeEventListener('change', recolour);
	};
}
