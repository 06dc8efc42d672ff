// What all pages about recordings know: the report, with short names.

import {get} from './api.js';
import {el} from './dom.js';
import {address} from './address.js';
import {duration, count, bytes, percent} from './format.js';

let kept;

// overview returns the answer of api/overview, which is asked for once, unless it must be fresh.
export async function overview({signal, fresh} = {}) {
	if (!kept || fresh) kept = await get('api/overview', {}, {signal});
	return kept;
}

// shortName returns a function's short name.
export function shortName(o, name) { return o.short[name] ?? name; }

// functionLink leads to the flame graph of a function.
export function functionLink(name, short) {
	return el('a', {href: address('flame', {view: 'callees', function: name}), title: name, class: 'mono'}, short ?? name);
}

// parts draws a bar of running, runnable and waiting time.
export function parts(row, total) {
	if (row.running_ns === undefined || !total) return '';
	const bar = el('span', {class: 'parts', role: 'img',
		'aria-label': `running ${percent(row.running_ns / total)}, runnable ${percent(row.runnable_ns / total)}, waiting ${percent(row.waiting_ns / total)}`,
		title: `running ${duration(row.running_ns)}\nrunnable ${duration(row.runnable_ns)}\nwaiting ${duration(row.waiting_ns)}`});
	for (const part of ['running', 'runnable', 'waiting']) {
		bar.append(el('i', {class: part, style: {width: `${100 * row[part + '_ns'] / total}%`}}));
	}
	return bar;
}

// share draws a share of one as a bar.
export function share(part) {
	return el('span', {class: 'share', title: percent(part), 'aria-hidden': 'true'}, el('i', {style: {width: `${Math.min(100, 100 * part)}%`}}));
}

// legend explains the colours of parts.
export function legend() {
	return el('p', {class: 'legend'}, ...['running', 'runnable', 'waiting'].map(p => el('span', {}, el('i', {class: p}), p)));
}

// value returns a measure's number as text.
export function value(unit, n) {
	if (unit === 'ns') return duration(n);
	return unit === 'bytes' ? bytes(n) : count(n);
}
