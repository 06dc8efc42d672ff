// The page of a report: a flame graph, the table of functions, and the call tree. All data is in the
// element #data.

import {el} from './lib/dom.js';
import {count, duration, percent, bytes} from './lib/format.js';
import {Flame} from './lib/flame.js';
import {parts, share} from './lib/recording.js';
import {table} from './lib/table.js';

const data = JSON.parse(document.getElementById('data').textContent);
const tree = data.tree;
const nodes = tree.parent.length;
const short = name => data.short[name] ?? name;
const names = tree.names.map(name => [short(name), name]);

const below = new Map(); // callees by caller; -1 has the root calls
for (let i = 0; i < nodes; i++) {
	if (below.has(tree.parent[i])) below.get(tree.parent[i]).push(i);
	else below.set(tree.parent[i], [i]);
}

document.getElementById('lacks').append(...data.lacks.map(line => el('p', {class: 'notice'}, line)));

const main = document.querySelector('main');
const search = el('input', {type: 'search', placeholder: 'Search functions', 'aria-label': 'Search functions', oninput: () => find(search.value)});
const matched = el('span', {class: 'muted', role: 'status'});
const out = el('button', {type: 'button', disabled: true, onclick: () => zoom(0)}, 'Zoom out');
const where = el('nav', {class: 'where', 'aria-label': 'Zoomed to'});
const left = el('p', {class: 'muted'});
const flame = new Flame({onZoom: zoom, onChoose: id => reveal(id - 1)});

// Frames narrower than this part of the width, or deeper, are shown when their callers are zoomed in.
const narrow = 1 / 4000, deepest = 250;

// zoom shows what is below a node in the whole width; 0 shows all. Nodes of the graph are numbered from 1.
function zoom(id) {
	const root = id - 1;
	const answer = {node: id, above: [], total: tree.all, id: [], parent: [], func: [], value: [], self: [], calls: [], more: [], names};
	for (let i = root < 0 ? -1 : tree.parent[root]; i >= 0 && answer.above.length < deepest; i = tree.parent[i]) {
		answer.above.unshift({id: i + 1, name: names[tree.function[i]][0]});
	}
	const whole = root < 0 ? tree.all : tree.total[root];
	let omitted = 0;
	const add = (i, parent) => {
		answer.id.push(i + 1);
		answer.parent.push(parent);
		answer.func.push(tree.function[i]);
		answer.value.push(tree.total[i]);
		answer.self.push(tree.self[i]);
		answer.calls.push(tree.calls[i]);
		answer.more.push(false);
	};
	const fits = i => tree.total[i] > 0 && tree.total[i] >= whole * narrow;
	if (root >= 0) add(root, -1);
	else for (const i of below.get(-1) ?? []) fits(i) ? add(i, -1) : omitted++;
	for (let at = 0, end = answer.id.length, level = 1; at < end && level < deepest; level++) {
		for (const from = end; at < from; at++) {
			for (const i of below.get(answer.id[at] - 1) ?? []) fits(i) ? add(i, at) : omitted++;
		}
		end = answer.id.length;
	}
	flame.set(answer, {unit: 'ns', icicle: true});
	out.disabled = id === 0;
	where.replaceChildren(...answer.above.flatMap(n => [el('button', {type: 'button', class: 'mono', onclick: () => zoom(n.id)}, n.name), ' › ']));
	const said = [`${duration(tree.all)} in all calls, ${count(tree.count)} paths of callers`];
	if (omitted) said.push(`${count(omitted)} too narrow or too deep to show: zoom in by double click or Enter`);
	if (tree.least) said.push(`${count(tree.count - nodes)} paths that took less than ${duration(tree.least)} are not in this file`);
	left.textContent = nodes ? said.join('; ') : 'No call of an instrumented function is recorded.';
	mark();
}

function mark() {
	const part = flame.search(search.value.trim());
	matched.textContent = part === null ? '' : `${percent(part)} of what is shown matches`;
}

// The table of functions. Rows are those of waymark report.
const rows = data.report.functions ?? [];
const waits = rows.some(r => r.running_ns !== undefined);
const makes = rows.some(r => r.objects);
const about = r => r.demoted ? '~' : '';
const time = key => r => r.recorded === 0 ? '-' : about(r) + duration(r[key]);
const number = (head, key, extra = {}) => ({head, number: true, get: r => r[key] ?? 0, show: extra.show ?? time(key), ...extra});
const plain = key => r => r[key] ? count(r[key]) : '-';
const columns = [
	{head: 'Function', name: true, get: r => short(r.name), show: r => el('span', {class: 'mono', title: `${r.name}\n${r.file}:${r.line}`}, short(r.name))},
	number('Total', 'total_ns'), number('Self', 'self_ns'), number('Calls', 'calls', {show: plain('calls')}),
	waits && {head: 'Running, runnable, waiting', show: r => parts(r, r.total_ns)},
	number('Min', 'min_ns'), number('Avg', 'avg_ns'), number('Max', 'max_ns'),
	number('Panics', 'panics', {show: plain('panics')}), number('Errors', 'errors', {show: plain('errors')}),
	makes && number('Objects', 'objects', {show: plain('objects')}), makes && number('Bytes', 'bytes', {show: r => r.bytes ? bytes(r.bytes) : '-'}),
];
const first = columns.find(c => c && c.head.toLowerCase() === data.sort) ?? columns[1];
const functions = table({columns, rows, sort: first.head, limit: 50, label: 'Functions'});
const shown = el('p', {class: 'muted', role: 'status'});

// The call tree. A line is a node; callees come below their caller when it is opened.
const body = el('tbody');
const calls = el('div', {class: 'scroll calls'}, el('table', {role: 'treegrid', 'aria-label': 'Call tree', onkeydown: key},
	el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Function'), ...['Total', '%', '', 'Self', 'Calls', 'Panics', 'Errors'].map(h => el('th', {scope: 'col', class: 'number'}, h)))), body));
const lines = new Map(); // by node
const opened = new Set();

function level(i) {
	let n = 0;
	for (i = tree.parent[i]; i >= 0; i = tree.parent[i]) n++;
	return n;
}

const indent = depth => depth <= 24 ? '\u00a0\u00a0\u00a0'.repeat(depth) : '\u00a0\u00a0\u00a0'.repeat(24) + `(${depth}) `;

function line(i, depth) {
	const [name, full] = names[tree.function[i]];
	const leaf = !below.has(i) && !tree.left[i];
	const twist = el('span', {class: 'twist', 'aria-hidden': 'true'}, leaf ? '' : '▸');
	const row = el('tr', {tabindex: '-1', 'aria-level': depth + 1, 'aria-expanded': leaf ? null : 'false', onclick: () => { choose(i); toggle(i); }},
		el('td', {title: full}, indent(depth), twist, el('span', {class: 'mono'}, name)),
		...[duration(tree.total[i]), percent(tree.total[i] / tree.all), null, duration(tree.self[i]), count(tree.calls[i]), tree.panics[i] ? count(tree.panics[i]) : '-', tree.errors[i] ? count(tree.errors[i]) : '-']
			.map(text => el('td', {class: 'number'}, text === null ? share(tree.total[i] / tree.all) : text)));
	row.dataset.node = i;
	lines.set(i, row);
	return row;
}

// fill puts the lines of what a node calls behind a line, the first ones of them.
function fill(i, after, from = 0, most = 100) {
	const depth = i < 0 ? 0 : level(i) + 1;
	const list = below.get(i) ?? [];
	const added = list.slice(from, from + most).map(n => line(n, depth));
	const rest = list.length - from - added.length;
	if (rest > 0) {
		const more = el('tr', {}, el('td', {colspan: '8'}, indent(depth), el('button', {type: 'button', onclick: () => { const last = more.previousSibling; more.remove(); fill(i, last, from + most, most * 10); }}, `${count(rest)} more`)));
		more.dataset.below = i;
		added.push(more);
	} else if (tree.left[i]) {
		const note = el('tr', {}, el('td', {colspan: '8', class: 'muted'}, indent(depth), `${count(tree.left[i])} that took less than ${duration(tree.least)} each`));
		note.dataset.below = i;
		added.push(note);
	}
	if (after) after.after(...added);
	else body.append(...added);
	highlight(added);
}

function toggle(i, open = !opened.has(i)) {
	const row = lines.get(i);
	if (!row || !row.hasAttribute('aria-expanded') || open === opened.has(i)) return;
	row.setAttribute('aria-expanded', String(open));
	row.querySelector('.twist').textContent = open ? '▾' : '▸';
	if (open) {
		opened.add(i);
		fill(i, row);
		return;
	}
	const inside = n => { for (n = Number(n); n >= 0; n = tree.parent[n]) { if (n === i) return true; } return false; };
	for (let next = row.nextSibling; next; next = row.nextSibling) {
		if (!inside(next.dataset.below ?? tree.parent[next.dataset.node])) break;
		lines.delete(Number(next.dataset.node));
		opened.delete(Number(next.dataset.node));
		next.remove();
	}
	opened.delete(i);
}

let chosen = -1;

function choose(i, focus = false) {
	lines.get(chosen)?.removeAttribute('aria-selected');
	lines.get(chosen)?.setAttribute('tabindex', '-1');
	chosen = i;
	const row = lines.get(i);
	row?.setAttribute('aria-selected', 'true');
	row?.setAttribute('tabindex', '0');
	if (focus) row?.focus();
}

// reveal opens what leads to a node, and chooses it.
function reveal(i) {
	const path = [];
	for (let n = i; n >= 0; n = tree.parent[n]) path.unshift(n);
	for (const n of path.slice(0, -1)) {
		while (!lines.has(n)) {
			const more = [...body.querySelectorAll('tr[data-below] button')].find(b => Number(b.closest('tr').dataset.below) === tree.parent[n]);
			if (!more) return;
			more.click();
		}
		toggle(n, true);
	}
	choose(i);
}

function key(event) {
	const row = event.target.closest('tr[data-node]');
	if (!row) return;
	const i = Number(row.dataset.node);
	const beside = step => { let n = row[step]; while (n && n.dataset.node === undefined) n = n[step]; return n; };
	let to = null;
	switch (event.key) {
	case 'ArrowDown': to = beside('nextSibling'); break;
	case 'ArrowUp': to = beside('previousSibling'); break;
	case 'ArrowRight': if (opened.has(i)) to = beside('nextSibling'); else toggle(i, true); break;
	case 'ArrowLeft': if (opened.has(i)) toggle(i, false); else to = lines.get(tree.parent[i]); break;
	case 'Enter': zoom(i + 1); break;
	default: return;
	}
	event.preventDefault();
	if (to) choose(Number(to.dataset.node), true);
}

function highlight(list) {
	const text = search.value.trim().toLowerCase();
	for (const row of list) {
		if (row.dataset.node === undefined) continue;
		row.querySelector('.mono').classList.toggle('match', text !== '' && names[tree.function[row.dataset.node]][1].toLowerCase().includes(text));
	}
}

function find(text) {
	text = text.trim().toLowerCase();
	const some = rows.filter(r => r.name.toLowerCase().includes(text));
	functions.setRows(some);
	shown.textContent = text ? `${count(some.length)} of ${count(rows.length)} functions match` : data.more ? `${count(data.more)} functions that took less are not in this file` : '';
	highlight(lines.values());
	mark();
}

main.append(
	el('div', {class: 'bar'}, search, matched, el('span', {class: 'grow'}), out),
	el('section', {'aria-label': 'Flame graph', class: 'panel graph'}, where, flame.root, left),
	el('section', {class: 'panel'}, el('h2', {}, 'Functions'), functions.root, shown),
	el('section', {class: 'panel'}, el('h2', {}, 'Call tree'), calls));
fill(-1, null);
const roots = below.get(-1) ?? [];
if (roots.length) {
	choose(roots[0]);
	if (roots.length === 1) toggle(roots[0], true);
}
zoom(0);
find('');
