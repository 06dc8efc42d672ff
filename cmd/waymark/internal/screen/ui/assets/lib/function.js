// What is known of one function: its numbers, who calls it, what it calls, how long its calls took.

import {get, isAbort} from './api.js';
import {address} from './address.js';
import {el, svg} from './dom.js';
import {bytes, count, duration, short} from './format.js';
import {parts} from './recording.js';
import {table} from './table.js';

// functionPanel returns the numbers of a function.
export async function functionPanel(o, name, {signal}) {
	const row = o.report.functions?.find(f => f.name === name);
	const panel = el('div', {class: 'function'}, el('h2', {class: 'mono', title: name}, o.short[name] ?? name));
	if (!row) {
		panel.append(el('p', {class: 'muted'}, 'No call of it is in this recording.'));
		return panel;
	}
	const facts = [['Total', duration(row.total_ns)], ['Self', duration(row.self_ns)], ['Calls', count(row.calls)],
		['Min', duration(row.min_ns)], ['Avg', duration(row.avg_ns)], ['Max', duration(row.max_ns)]];
	if (row.panics) facts.push(['Panics', count(row.panics)]);
	if (row.errors) facts.push(['Errors', count(row.errors)]);
	if (row.running_ns !== undefined) {
		facts.push(['Running', duration(row.running_ns)], ['Runnable', duration(row.runnable_ns)], ['Waiting', duration(row.waiting_ns)]);
		for (const [reason, ns] of Object.entries(row.waiting).sort((a, b) => b[1] - a[1])) facts.push([`· ${reason}`, duration(ns)]);
	}
	if (o.makes) facts.push(['Objects', count(row.objects ?? 0)], ['Bytes', bytes(row.bytes ?? 0)]);
	panel.append(row.file ? el('p', {class: 'mono muted place'}, el('a', {href: address('source', {file: row.file, line: row.line})}, `${row.file.split('/').pop()}:${row.line}`)) : '',
		el('dl', {class: 'facts numbers'}, ...facts.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {class: 'number'}, v)])), parts(row, row.total_ns),
		el('p', {}, el('a', {href: address('flame', {view: 'callees', function: name})}, 'Callees'), ' · ', el('a', {href: address('flame', {view: 'callers', function: name})}, 'Callers'),
			' · ', el('a', {href: address('tree', {q: name})}, 'In the call tree')));
	const around = el('div');
	const times = el('div', {}, el('button', {type: 'button', onclick: () => histogram(times, name, signal)}, 'Durations of all calls'));
	panel.append(times, around);
	get('api/function', {name}, {signal}).then(a => {
		const list = (title, rows) => rows.length ? [el('h2', {}, title), table({label: title, rows, limit: 12, columns: [
			{head: 'Function', name: true, show: r => el('a', {href: address('flame', {view: 'callees', function: r.full}), class: 'mono', title: r.full}, r.name)},
			{head: 'Total', number: true, show: r => duration(r.total_ns)},
			{head: 'Calls', number: true, show: r => count(r.calls)}]}).root] : [];
		around.append(...list('Called by', a.callers), ...list('Calls', a.callees));
	}).catch(err => { if (!isAbort(err)) around.append(el('p', {class: 'bad'}, err.message)); });
	return panel;
}

// histogram shows how long the calls of a function took.
export async function histogram(place, name, signal) {
	place.replaceChildren(el('p', {class: 'muted', role: 'status'}, 'reading all calls ...'));
	try {
		const h = await get('api/histogram', {name}, {signal});
		const list = [['min', h.min_ns], ['p50', h.p50_ns], ['p90', h.p90_ns], ['p99', h.p99_ns], ['p99.9', h.p999_ns], ['max', h.max_ns]];
		place.replaceChildren(el('h2', {}, 'Durations'), bars(h), el('dl', {class: 'facts numbers'}, ...list.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {class: 'number'}, duration(v))])));
	} catch (err) {
		if (!isAbort(err)) place.replaceChildren(el('p', {class: 'bad'}, err.message));
	}
}

// bars draws classes of durations on a logarithmic scale, some forty bars in all.
function bars(h) {
	const width = 280, height = 80;
	const low = Math.log(Math.max(1, h.min_ns)), high = Math.log(Math.max(2, h.max_ns + 1));
	const n = 40, sums = new Array(n).fill(0);
	for (const [from, below, calls] of h.classes) {
		const at = (Math.log(Math.max(1, (from + below) / 2)) - low) / Math.max(1e-9, high - low);
		sums[Math.max(0, Math.min(n - 1, Math.floor(at * n)))] += calls;
	}
	const most = Math.max(1, ...sums);
	return svg('svg', {viewBox: `0 0 ${width} ${height + 14}`, class: 'bars', role: 'img', 'aria-label': `${short(h.calls)} calls, from ${duration(h.min_ns)} to ${duration(h.max_ns)}, most took about ${duration(h.p50_ns)}`},
		...sums.map((s, i) => s ? svg('rect', {x: i * width / n, width: width / n - 1, y: height - Math.max(1, height * s / most), height: Math.max(1, height * s / most)},
			svg('title', {}, `${count(s)} calls`)) : null),
		svg('text', {x: 0, y: height + 12}, duration(h.min_ns)), svg('text', {x: width, y: height + 12, 'text-anchor': 'end'}, duration(h.max_ns)));
}
