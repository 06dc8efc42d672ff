// Traces: when they began and how long they took; the calls and the critical path of one; two side by side.

import {get, isAbort} from '../lib/api.js';
import {go, setParams} from '../lib/address.js';
import {el, errorBox} from '../lib/dom.js';
import {count, duration, percent} from '../lib/format.js';
import {canvas, colour} from '../lib/plot.js';
import {functionLink, legend, parts, share} from '../lib/recording.js';
import {table} from '../lib/table.js';

export async function show(main, {params, signal}) {
	const t = await get('api/traces', {}, {signal});
	const state = {key: params.get('key') ?? '', with: params.get('with') ?? '', root: params.get('root') ?? ''};
	const roots = [...new Set(t.traces.map(x => x.root))].sort();
	const name = x => t.short[x] ?? x;
	const choice = el('select', {'aria-label': 'Root calls', onchange: () => { state.root = choice.value; setParams(state); fill(); }},
		el('option', {value: ''}, 'all root calls'), ...roots.map(r => el('option', {value: r, selected: r === state.root}, name(r))));
	const element = el('canvas', {class: 'scatter', tabindex: '0', role: 'img'});
	const tip = el('div', {class: 'tip', hidden: true});
	const detail = el('div', {class: 'stack'});
	let shown = [], points = [], over = null;

	const rows = table({label: 'Traces', rows: [], sort: 'Duration', limit: 12, columns: [
		{head: 'Root call', name: true, get: x => name(x.root), show: x => el('button', {type: 'button', class: 'link mono', title: x.root, onclick: () => pick(x)}, name(x.root))},
		{head: 'Start', number: true, get: x => x.start_unix_ns - t.start_unix_ns, show: x => duration(x.start_unix_ns - t.start_unix_ns)},
		{head: 'Duration', number: true, get: x => x.duration_ns, show: x => duration(x.duration_ns)},
		{head: '', hide: !t.waits, show: x => parts(x, x.duration_ns)},
		{head: 'Calls', number: true, get: x => x.calls, show: x => count(x.calls)},
		{head: 'Goroutines', number: true, get: x => x.goroutines, show: x => count(x.goroutines)},
		{head: 'Failed', get: x => x.failed ? 1 : 0, show: x => x.failed ? el('span', {class: 'bad'}, 'failed') : ''},
		{head: '', show: x => el('button', {type: 'button', onclick: () => compare(x), title: 'Show it beside the chosen trace'}, 'compare')},
	]});
	main.append(el('h1', {class: 'sr'}, 'Traces'),
		el('div', {class: 'bar'}, choice, el('span', {class: 'muted', id: 'how-many'}), el('span', {class: 'grow'}), el('span', {class: 'legend'},
			el('span', {}, el('i', {class: 'dot'}), 'trace'), el('span', {}, el('i', {class: 'dot failed'}), 'failed'))),
		el('div', {class: 'panel'}, element, tip),
		detail, el('div', {class: 'panel list'}, rows.root));

	const drawing = canvas(element, (context, width, height) => {
		const left = 74, bottom = 22, top = 8, right = 8;
		const w = width - left - right, h = height - top - bottom;
		const text = colour('muted'), line = colour('line');
		context.font = '11px ' + getComputedStyle(document.body).fontFamily;
		points = [];
		if (!shown.length) return;
		let low = Infinity, high = 1;
		for (const x of shown) {
			low = Math.min(low, Math.max(1, x.duration_ns));
			high = Math.max(high, x.duration_ns);
		}
		const from = Math.floor(Math.log10(low)), to = Math.max(from + 1, Math.ceil(Math.log10(high)));
		const y = ns => top + h * (1 - (Math.log10(Math.max(1, ns)) - from) / (to - from));
		context.textBaseline = 'middle';
		for (let e = from; e <= to; e++) {
			context.fillStyle = line;
			context.fillRect(left, Math.round(y(10 ** e)), w, 1);
			context.fillStyle = text;
			context.textAlign = 'right';
			context.fillText(duration(10 ** e).replace(/\.000/, ''), left - 8, y(10 ** e));
		}
		context.textBaseline = 'alphabetic';
		for (let i = 0; i <= 4; i++) {
			context.textAlign = i === 0 ? 'left' : i === 4 ? 'right' : 'center';
			context.fillText(duration(t.duration_ns * i / 4), left + w * i / 4, height - 5);
		}
		const normal = colour('accent'), bad = colour('bad');
		for (const x of shown) {
			const px = left + w * (x.start_unix_ns - t.start_unix_ns) / Math.max(1, t.duration_ns), py = y(x.duration_ns);
			points.push([px, py, x]);
			context.globalAlpha = 0.6;
			context.fillStyle = x.failed ? bad : normal;
			context.beginPath();
			context.arc(px, py, x.key === state.key || x.key === state.with ? 5 : 2.6, 0, 7);
			context.fill();
			context.globalAlpha = 1;
			if (x === over || x.key === state.key || x.key === state.with) {
				context.strokeStyle = colour('text');
				context.stroke();
			}
		}
	});

	function near(event) {
		const box = element.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
		let best = null, least = 14 ** 2;
		for (const p of points) {
			const d = (p[0] - x) ** 2 + (p[1] - y) ** 2;
			if (d < least) [best, least] = [p[2], d];
		}
		return best;
	}
	element.addEventListener('mousemove', e => {
		over = near(e);
		drawing.redraw();
		tip.hidden = !over;
		if (!over) return;
		tip.replaceChildren(el('div', {class: 'mono'}, over.root), el('div', {}, `${duration(over.duration_ns)}, ${count(over.calls)} calls${over.failed ? ', failed' : ''}`));
		tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
		tip.style.top = e.clientY + 14 + 'px';
	});
	element.addEventListener('mouseleave', () => { tip.hidden = true; over = null; drawing.redraw(); });
	element.addEventListener('click', e => {
		const x = near(e);
		if (x) (e.shiftKey ? compare : pick)(x);
	});

	function fill() {
		shown = t.traces.filter(x => !state.root || x.root === state.root);
		main.querySelector('#how-many').textContent = `${count(shown.length)} traces` + (t.all > t.traces.length ? ` of ${count(t.all)}: the slowest` : '') + (t.left_out ? `, without ${count(t.left_out)} that look like loops` : '') + '; click one, shift-click another to compare';
		element.setAttribute('aria-label', `Start and duration of ${shown.length} traces; the table below has the same`);
		rows.setRows(shown);
		drawing.redraw();
	}

	function pick(x) { choose({key: x.key, with: ''}); }
	function compare(x) { choose(state.key && state.key !== x.key ? {with: x.key} : {key: x.key, with: ''}); }
	function choose(next) {
		Object.assign(state, next);
		setParams(state, {push: true});
		drawing.redraw();
		return detailOf(true);
	}

	let turn = 0;
	async function detailOf(scroll = false) {
		const mine = ++turn;
		const keys = [state.key, state.with].filter(Boolean);
		detail.classList.toggle('beside', keys.length === 2);
		if (!keys.length) return detail.replaceChildren();
		detail.replaceChildren(el('p', {class: 'muted', role: 'status'}, 'reading the trace ...'));
		try {
			const answers = await Promise.all(keys.map(key => get('api/trace', {key}, {signal})));
			if (mine !== turn) return;
			detail.replaceChildren(...answers.map(traceView));
			if (scroll) detail.scrollIntoView({block: 'nearest'});
		} catch (err) {
			if (mine === turn && !isAbort(err)) detail.replaceChildren(errorBox(err));
		}
	}

	fill();
	await detailOf();
	return () => drawing.stop();
}

// traceView shows one trace: its critical path and its calls.
function traceView({tree, critical, why, short}) {
	const name = n => short[n] ?? n;
	const all = Math.max(1, tree.duration_ns);
	const box = el('section', {class: 'panel trace', 'aria-label': `Trace ${tree.key}`},
		el('h2', {}, el('span', {class: 'mono'}, name(tree.root)), ` · ${duration(tree.duration_ns)} · ${count(tree.calls)} calls · goroutine ${tree.goroutine}`, tree.failed ? el('b', {class: 'bad'}, ' · failed') : ''),
		el('p', {class: 'muted mono'}, `key ${tree.key}`));
	box.append(el('div', {class: 'bar'}, el('h2', {}, 'Critical path'), el('span', {class: 'grow'}), critical ? legend() : ''));
	box.append(critical ? criticalView(critical, name) : el('p', {class: 'muted'}, `There is none: ${why}.`));
	box.append(el('h2', {}, 'Calls'), callsView(tree, name, all));
	if (tree.omitted_calls) box.append(el('p', {class: 'muted'}, `${count(tree.omitted_calls)} calls are too deep or too many to show.`));
	return box;
}

function criticalView(c, name) {
	const segments = c.critical ?? [];
	const all = segments.reduce((sum, s) => sum + s.duration_ns, 0) || 1;
	const strip = el('div', {class: 'strip', role: 'img', 'aria-label': `${segments.length} parts`}, ...segments.slice(0, 2000).map(s =>
		el('i', {class: s.state, style: {width: `${100 * s.duration_ns / all}%`}, title: `${name(s.function ?? '')} ${s.state}${s.reason ? ` (${s.reason})` : ''} ${duration(s.duration_ns)}`})));
	const sums = new Map();
	for (const s of segments) for (const part of s.functions ?? [s]) {
		const key = [part.function ?? '', s.state, s.reason ?? ''].join('\n');
		const sum = sums.get(key) ?? {function: part.function ?? '', state: s.state, reason: s.reason ?? '', duration_ns: 0, n: 0};
		sum.duration_ns += part.duration_ns;
		sum.n++;
		sums.set(key, sum);
	}
	const list = [...sums.values()].sort((a, b) => b.duration_ns - a.duration_ns);
	return el('div', {}, strip, table({label: 'Critical path', rows: list, limit: 8, columns: [
		{head: 'Share', number: true, show: s => percent(s.duration_ns / all)},
		{head: '', show: s => share(s.duration_ns / all)},
		{head: 'Time', number: true, show: s => duration(s.duration_ns)},
		{head: 'State', show: s => el('span', {}, el('i', {class: `dot ${s.state}`}), s.state + (s.reason ? `: ${s.reason}` : ''))},
		{head: 'Function', name: true, show: s => s.function ? functionLink(s.function, name(s.function)) : el('span', {class: 'muted'}, 'no recorded function')},
	]}).root);
}

// callsView shows the calls of a trace as an indented table, of which the first rows are shown.
function callsView(tree, name, all) {
	return table({label: 'Calls of the trace', rows: tree.nodes ?? [], limit: 40, columns: [
		{head: 'Total', number: true, show: n => duration(n.total_ns)},
		{head: '', show: n => share(n.total_ns / all)},
		{head: 'Self', number: true, show: n => duration(n.self_ns)},
		{head: '', hide: tree.running_ns === undefined, show: n => parts(n, n.total_ns)},
		{head: 'Calls', number: true, show: n => count(n.calls)},
		{head: 'Function', name: true, show: n => el('span', {class: 'mono', title: n.name, style: {paddingLeft: Math.min(n.depth, 40) * 14 + 'px'}},
			n.go ? el('b', {class: 'muted'}, 'go ') : '', name(n.name), n.panics ? el('b', {class: 'bad'}, ' panics') : '', n.errors ? el('b', {class: 'bad'}, ' fails') : '')},
	]}).root;
}
