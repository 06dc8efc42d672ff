// The overview: what was recorded, where the time went, what was slow, what failed.

import {get} from '../lib/api.js';
import {address} from '../lib/address.js';
import {el, notice} from '../lib/dom.js';
import {exportLinks} from '../lib/exports.js';
import {bytes, count, duration} from '../lib/format.js';
import {functionLink, legend, overview, parts, share, shortName} from '../lib/recording.js';
import {table} from '../lib/table.js';
import {steps} from '../lib/plot.js';

export async function show(main, {signal}) {
	const o = await overview({signal, fresh: true});
	const r = o.report;
	notice(o.notes.join('\n'));
	const functions = r.functions ?? [];
	const calls = functions.reduce((sum, f) => sum + f.calls, 0);

	main.append(
		el('h1', {class: 'sr'}, 'Overview'),
		el('div', {class: 'figures'},
			figure('Duration', duration(r.duration_ns)),
			figure('Calls', count(calls)),
			figure('Events', count(r.events)),
			figure('Goroutines', count(r.goroutines)),
			figure('Dropped', count(r.dropped), r.dropped > 0),
			figure('Panics', count(functions.reduce((sum, f) => sum + f.panics, 0)), functions.some(f => f.panics > 0)),
			figure('Errors', count(functions.reduce((sum, f) => sum + f.errors, 0)))),
		functions.length ? '' : el('p', {class: 'muted'}, 'The recording has no calls.'),
		el('section', {class: 'panel', 'aria-label': 'Top functions'},
			el('div', {class: 'bar'}, el('h2', {}, 'Functions'), el('span', {class: 'grow'}), o.waits ? legend() : ''),
			functionTable(o, functions)),
		el('div', {class: 'columns'},
			el('section', {class: 'panel', id: 'slowest'}, el('h2', {}, 'Slowest traces'), el('p', {class: 'muted'}, 'reading ...')),
			el('section', {class: 'panel'},
				el('h2', {}, 'Goroutines over time'),
				steps(o.alive, {label: `Goroutines alive: at most ${Math.max(0, ...o.alive)}`}),
				el('p', {class: 'axis muted'}, el('span', {}, '0'), el('span', {}, `at most ${count(Math.max(0, ...o.alive))}`), el('span', {}, duration(r.duration_ns)))),
			failures(o, functions),
			objects(o, r.types ?? []),
			el('section', {class: 'panel'}, el('h2', {}, 'Recording'),
				el('dl', {class: 'facts'}, ...o.facts.concat([['File', (r.files ?? [r.file]).join(', ')]]).flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)])),
				exports())));
	slowest(main.querySelector('#slowest'), o, signal);
	return () => notice('');
}

function figure(name, text, bad) {
	return el('div', {class: 'figure'}, el('span', {class: 'muted'}, name), el('b', {class: bad ? 'bad' : null}, text));
}

function functionTable(o, functions) {
	const most = Math.max(1, ...functions.map(f => f.total_ns));
	return table({
		label: 'Functions', rows: functions, sort: 'Total', limit: 15,
		columns: [
			{head: 'Function', name: true, get: f => shortName(o, f.name), show: f => functionLink(f.name, shortName(o, f.name))},
			{head: 'Total', number: true, get: f => f.total_ns, show: f => duration(f.total_ns)},
			{head: '', show: f => share(f.total_ns / most)},
			{head: 'Self', number: true, get: f => f.self_ns, show: f => duration(f.self_ns)},
			{head: 'Running', hide: !o.waits, number: true, get: f => f.running_ns, show: f => duration(f.running_ns)},
			{head: 'Waiting', hide: !o.waits, number: true, get: f => f.waiting_ns, show: f => duration(f.waiting_ns)},
			{head: '', hide: !o.waits, show: f => parts(f, f.total_ns)},
			{head: 'Calls', number: true, get: f => f.calls, show: f => count(f.calls)},
			{head: 'Avg', number: true, get: f => f.avg_ns, show: f => duration(f.avg_ns)},
			{head: 'Max', number: true, get: f => f.max_ns, show: f => duration(f.max_ns)},
			{head: 'Failed', number: true, title: 'Calls that panicked or returned an error', hide: !functions.some(f => f.panics || f.errors), get: f => f.panics + f.errors, show: f => f.panics + f.errors ? count(f.panics + f.errors) : ''},
			{head: 'Objects', number: true, hide: !o.makes, get: f => f.objects ?? 0, show: f => count(f.objects ?? 0)},
		],
	}).root;
}

async function slowest(panel, o, signal) {
	try {
		const t = await get('api/traces', {top: 10}, {signal});
		panel.lastChild.replaceWith(t.traces.length ? table({
			label: 'Slowest traces', rows: t.traces, limit: 10,
			columns: [
				{head: 'Root call', name: true, show: x => el('a', {href: address('traces', {key: x.key}), class: 'mono', title: x.root}, t.short[x.root] ?? x.root)},
				{head: 'Duration', number: true, show: x => duration(x.duration_ns)},
				{head: '', hide: !t.waits, show: x => parts(x, x.duration_ns)},
				{head: 'Calls', number: true, show: x => count(x.calls)},
			],
		}).root : el('p', {class: 'muted'}, 'none'));
	} catch (err) {
		if (err.name !== 'AbortError') panel.lastChild.textContent = err.message;
	}
}

function failures(o, functions) {
	const list = functions.filter(f => f.panics || f.errors).sort((a, b) => b.panics - a.panics || b.errors - a.errors).slice(0, 10);
	return el('section', {class: 'panel'}, el('h2', {}, 'Panics and errors'), list.length ? table({
		label: 'Panics and errors', rows: list,
		columns: [
			{head: 'Function', name: true, show: f => functionLink(f.name, shortName(o, f.name))},
			{head: 'Panics', number: true, show: f => f.panics || ''},
			{head: 'Errors', number: true, show: f => f.errors || ''},
			{head: 'Calls', number: true, show: f => count(f.calls)},
		],
	}).root : el('p', {class: 'muted'}, 'No panics and errors were recorded.'));
}

function objects(o, types) {
	if (!o.makes) return '';
	return el('section', {class: 'panel'}, el('h2', {}, 'Objects made on the heap'), table({
		label: 'Objects', rows: types, sort: 'Objects', limit: 10,
		columns: [
			{head: 'Type', name: true, get: t => t.name, show: t => el('span', {class: 'mono', title: t.name}, t.name)},
			{head: 'Objects', number: true, get: t => t.objects, show: t => count(t.objects)},
			{head: 'Bytes', number: true, get: t => t.bytes, show: t => bytes(t.bytes)},
		],
	}).root);
}

// exports are links to files for other programs, of all or of a part of the time.
function exports() {
	const {links, set} = exportLinks();
	const part = el('input', {placeholder: 'all, or as in 1.5s..2s', 'aria-label': 'Part of the time', size: '18', oninput: () => set(part.value.trim())});
	return el('div', {class: 'exports'}, el('p', {}, 'Save ', part, ' for ', ...links, '. Open it at ui.perfetto.dev or speedscope.app, which read it in the browser and send it nowhere.'),
		el('p', {}, el('a', {href: 'pprof/', target: '_blank', rel: 'noopener'}, "Top, graph, peek and source in pprof's own pages"), '.'));
}
