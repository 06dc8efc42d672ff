// The panel beside the timeline: one call, a goroutine, or the functions of a range.

import {el} from '../dom.js';
import {exportLinks} from '../exports.js';
import {count, duration} from '../format.js';
import {parts} from '../recording.js';
import {table} from '../table.js';
import {groupName} from './rows.js';

function fact(name, ...content) { return [el('dt', {}, name), el('dd', {}, ...content)]; }

function button(text, action, title) { return el('button', {type: 'button', class: 'link', title, onclick: action}, text); }

// callPanel shows a call. act has go(goroutine, start, end), call(goroutine, function, start,
// depth), find(direction).
export function callPanel(call, names, act) {
	const name = names.get(call.function)?.short ?? call.name;
	const list = [];
	const say = (what, text) => list.push(...fact(what, ...[text].flat()));
	say('Duration', `${duration(call.duration_ns)}${call.open ? ', not ended' : call.cut ? ', its end was not recorded' : ''}`);
	if (call.self_ns !== undefined) say('Self', duration(call.self_ns));
	if (call.running_ns !== undefined) {
		say('Ran', [parts(call, call.duration_ns), el('span', {}, ` ${duration(call.running_ns)} running, ${duration(call.runnable_ns)} runnable, ${duration(call.waiting_ns)} waiting`)]);
	}
	if (call.args) say('Arguments', call.args.map(a => el('code', {class: 'value'}, a)));
	if (call.results) say('Results', call.results.map(a => el('code', {class: 'value'}, a)));
	if (call.panicked) {
		say('Panic', [el('span', {class: 'bad'}, call.recovered ? 'recovered by this call' : 'ended this call'),
			...(call.panic ?? []).map(a => el('code', {class: 'value'}, a))]);
	}
	if (call.failed) say('Error', el('span', {class: 'bad'}, 'returned an error'));
	if (call.exited) say('Ended', 'by runtime.Goexit');
	if (call.counted) say('Counted', 'to keep to the budget: only its end and its length were recorded');
	if (call.objects) say('Made', `${count(call.objects)} heap objects`);
	say('Began', `at ${duration(call.start_ns)}`);
	say('On', button(`goroutine ${call.goroutine}`, () => act.go(call.goroutine)));
	if (call.file) say('Source', el('span', {class: 'mono', title: call.file}, `${call.file.split('/').pop()}:${call.line}`));
	return el('section', {'aria-label': 'Call'},
		el('h2', {class: 'mono wrap', id: 'chosen', title: call.name}, name),
		el('div', {class: 'bar'},
			el('button', {type: 'button', onclick: () => act.find('previous'), title: 'The previous call of this function (p)'}, '‹ Previous'),
			el('button', {type: 'button', onclick: () => act.find('next'), title: 'The next call of this function (n)'}, 'Next ›'),
			el('button', {type: 'button', onclick: () => act.zoom(), title: 'Show all of it (f)'}, 'Zoom')),
		el('dl', {class: 'facts'}, ...list),
		call.callers.length ? [el('h3', {}, 'Called by'), el('ol', {class: 'plain'}, ...call.callers.toReversed().slice(0, 30).map(c =>
			el('li', {}, button(names.get(c.function)?.short ?? c.name, () => act.call(call.goroutine, c.function, c.start_ns, c.depth), c.name))))] : null,
		call.children.length ? [el('h3', {}, `Started ${count(call.all_children)} goroutine${call.all_children === 1 ? '' : 's'}`),
			el('ul', {class: 'plain'}, ...call.children.map(l => el('li', {}, button(`goroutine ${l.id}`, () => act.go(l.id)), ` at ${duration(l.start_ns)}`)))] : null,
		call.waits.length ? [el('h3', {}, `Was off ${count(call.all_waits)} time${call.all_waits === 1 ? '' : 's'}`),
			el('ul', {class: 'plain'}, ...call.waits.slice(0, 30).map(w => el('li', {},
				`${duration(w.waiting_ns)} ${w.waits > 1 ? `${w.waits} waits` : w.reason}${w.runnable_ns ? `, ${duration(w.runnable_ns)} runnable` : ''}`,
				w.waker ? [', woken by ', button(`goroutine ${w.waker}`, () => act.go(w.waker))] : '')))] : null,
		call.far ? el('p', {class: 'muted'}, 'This call has too many events to read them all: self time is not known here.') : null);
}

// functionsPanel shows the table of a range. since is when the process began, ns after the first one.
export function functionsPanel(answer, since, names, waiting, pick, close) {
	const t = table({
		label: 'Functions of the range', rows: answer.functions, sort: 'Self', limit: 40,
		columns: [
			{head: 'Function', name: true, get: f => f.name, show: f => button(names.get(f.id)?.short ?? f.name, () => pick(f.id), f.name)},
			{head: 'Calls', number: true, get: f => f.calls, show: f => count(f.calls)},
			{head: 'Total', number: true, get: f => f.total_ns, show: f => duration(f.total_ns)},
			{head: 'Self', number: true, get: f => f.self_ns, show: f => duration(f.self_ns)},
			{head: '', hide: !waiting, show: f => parts(f, f.total_ns)},
		],
	});
	return el('section', {'aria-label': 'Range', id: 'range'},
		el('h2', {}, `${duration(answer.from_ns)} to ${duration(answer.to_ns)}`),
		el('p', {class: 'muted'}, `${duration(answer.to_ns - answer.from_ns)}; calls are cut to it. `, button('Clear', close)), t.root,
		el('p', {class: 'muted'}, 'Save it for ', ...exportLinks(`${answer.from_ns + since}ns..${Math.max(answer.to_ns, answer.from_ns + 1) + since}ns`).links, '.'));
}

// groupsPanel shows the groups, while nothing is chosen.
export function groupsPanel(groups, waiting, pick) {
	const t = table({
		label: 'Goroutines', rows: groups, sort: 'Goroutines', limit: 20,
		columns: [
			{head: 'Created in', name: true, get: groupName, show: g => button(groupName(g), () => pick(g), g.function ? `${g.function}\n${g.file}:${g.line}` : '')},
			{head: 'Goroutines', number: true, get: g => g.lanes, show: g => count(g.lanes)},
			{head: 'Calls', number: true, get: g => g.calls, show: g => count(g.calls)},
			{head: 'In calls', number: true, get: g => g.total_ns, show: g => duration(g.total_ns)},
			{head: '', hide: !waiting, show: g => parts(g, g.total_ns)},
		],
	});
	return el('section', {'aria-label': 'Goroutines'}, el('h2', {}, 'Goroutines'), t.root,
		el('p', {class: 'muted'}, 'Wheel zooms, drag pans, Shift and drag selects a range. Click a call for its arguments; click a stretch of short calls to come nearer.'),
		el('p', {class: 'muted'}, 'Keys: + − and ← → for time, ↑ ↓ for goroutines, 0 for all, Enter chooses a call, Shift and arrows go to its neighbours, n p to calls of the same function, f shows all of it, Esc lets go.'));
}

// lanePanel shows a goroutine.
export function lanePanel(where, waiting, act) {
	const l = where.lane, list = [];
	list.push(...fact('Created in', groupName(where.group)));
	if (where.group.file) list.push(...fact('At', el('span', {class: 'mono', title: where.group.file}, `${where.group.file.split('/').pop()}:${where.group.line}`)));
	if (l.parent) list.push(...fact('By', button(`goroutine ${l.parent}`, () => act.go(l.parent))));
	list.push(...fact('Lived', `${duration(l.start_ns)} to ${duration(l.end_ns)}${l.ended ? '' : ', and on'}`));
	list.push(...fact('Calls', count(l.calls)), ...fact('In calls', duration(l.total_ns)));
	if (waiting) list.push(...fact('Ran', parts(l, l.total_ns), el('span', {}, ` ${duration(l.running_ns)} running, ${duration(l.runnable_ns)} runnable, ${duration(l.waiting_ns)} waiting`)));
	if (l.panics) list.push(...fact('Panics', el('span', {class: 'bad'}, count(l.panics))));
	if (l.errors) list.push(...fact('Errors', el('span', {class: 'bad'}, count(l.errors))));
	list.push(...fact('Depth', count(l.depth)));
	return el('section', {'aria-label': 'Goroutine'}, el('h2', {id: 'chosen'}, `goroutine ${l.id}`),
		el('div', {class: 'bar'}, el('button', {type: 'button', onclick: () => act.show(l.start_ns, l.end_ns)}, 'Zoom')), el('dl', {class: 'facts'}, ...list));
}
