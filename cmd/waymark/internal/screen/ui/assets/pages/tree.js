// The call tree: rows that open level by level. Only rows on the screen are elements.

import {get, isAbort} from '../lib/api.js';
import {setParams} from '../lib/address.js';
import {el, errorBox} from '../lib/dom.js';
import {bytes, count, duration, percent} from '../lib/format.js';
import {functionPanel} from '../lib/function.js';
import {overview, parts, share} from '../lib/recording.js';

const ROW = 26;
// What is below this depth is not indented further, so that names of deep recursions stay on the screen.
const INDENT = 40;

export async function show(main, {params, signal}) {
	const o = await overview({signal});
	const state = {view: params.get('view') ?? '', function: params.get('function') ?? '', sort: params.get('sort') ?? 'total', q: params.get('q') ?? ''};
	let rows = []; // {node, depth, open, more}: more is a row that loads the rest
	let total = 0, chosen = 0;

	const columns = [
		{key: 'total', head: 'Total', width: 96, show: r => duration(r.total_ns)},
		{head: '%', width: 64, show: r => percent(r.total_ns / total)},
		{head: '', width: 84, show: r => share(r.total_ns / total)},
		{key: 'self', head: 'Self', width: 96, show: r => duration(r.self_ns)},
		{key: 'calls', head: 'Calls', width: 84, show: r => count(r.calls)},
		o.waits && {key: 'running', head: 'Running', width: 96, show: r => duration(r.running_ns)},
		o.waits && {key: 'waiting', head: 'Waiting', width: 96, show: r => duration(r.waiting_ns)},
		o.waits && {head: '', width: 108, show: r => parts(r, r.total_ns)},
		{key: 'panics', head: 'Panics', width: 64, show: r => r.panics || ''},
		{key: 'errors', head: 'Errors', width: 64, show: r => r.errors || ''},
		o.makes && {key: 'objects', head: 'Objects', width: 84, show: r => count(r.objects)},
		o.makes && {key: 'bytes', head: 'Bytes', width: 84, show: r => bytes(r.bytes)},
		o.compares && {head: 'Total before', width: 104, show: r => duration(r.before.total_ns)},
		o.compares && {head: 'Calls before', width: 96, show: r => count(r.before.calls)},
	].filter(Boolean);
	const grid = 'minmax(var(--names), 1fr) ' + columns.map(c => c.width + 'px').join(' ');

	const head = el('div', {class: 'row head', role: 'row', style: {gridTemplateColumns: grid}}, el('span', {role: 'columnheader', class: 'function-name'}, 'Function'),
		...columns.map(c => el('span', {class: 'number', role: 'columnheader', 'aria-sort': c.key === state.sort ? 'descending' : null},
			c.key ? el('button', {type: 'button', onclick: () => sortBy(c.key)}, c.head) : c.head)));
	const space = el('div', {class: 'space'});
	const window_ = el('div', {class: 'window'});
	const list = el('div', {class: 'list', role: 'treegrid', tabindex: '0', 'aria-label': 'Call tree', onscroll: () => draw(), onkeydown: key}, head, space);
	space.append(window_);
	const side = el('aside', {class: 'panel', 'aria-label': 'Chosen function'}, el('p', {class: 'muted'}, 'Choose a row to see the numbers of its function.'));
	const search = el('input', {type: 'search', placeholder: 'Search functions', value: state.q, 'aria-label': 'Search', onchange: () => find(search.value)});
	const result = el('span', {class: 'muted', role: 'status'});
	main.append(el('h1', {class: 'sr'}, 'Call tree'), el('div', {class: 'bar'}, search, result, el('span', {class: 'grow'}), el('span', {class: 'muted keys'}, 'Arrow keys move, open and close rows')),
		el('div', {class: 'split'}, el('div', {class: 'panel table'}, list), side));

	const ask = (path, more) => get(path, {view: state.view, function: state.function, sort: state.sort, ...more}, {signal});

	async function below(node, offset = 0) {
		const a = await ask('api/tree', {node: node || '', offset: offset || ''});
		total ||= a.total_ns;
		return a;
	}

	function asRows(answer, depth, node, offset) {
		const list = answer.rows.map(r => ({node: r, depth, open: false}));
		if (answer.more) list.push({depth, more: {node, offset: offset + answer.rows.length, n: answer.more}});
		return list;
	}

	async function load() {
		const a = await below(0);
		rows = asRows(a, 0, 0, 0);
		chosen = 0;
		// The first rows open where one callee has most of the time: who looks wants to see where it goes.
		for (let i = 0; i < 12 && i < rows.length; i++) {
			if (rows[i].node?.children && rows[i].node.total_ns > total / 2) await open(i, false);
		}
		draw();
	}

	async function open(i, redraw = true) {
		const row = rows[i];
		if (row.more) {
			const a = await below(row.more.node, row.more.offset);
			rows.splice(i, 1, ...asRows(a, row.depth, row.more.node, row.more.offset));
		} else if (!row.open && row.node.children) {
			const a = await below(row.node.id);
			row.open = true;
			rows.splice(i + 1, 0, ...asRows(a, row.depth + 1, row.node.id, 0));
		}
		if (redraw) draw();
	}

	function close(i) {
		let end = i + 1;
		while (end < rows.length && rows[end].depth > rows[i].depth) end++;
		rows.splice(i + 1, end - i - 1);
		rows[i].open = false;
		draw();
	}

	const toggle = i => failing(rows[i].open ? close(i) : open(i));
	const failing = promise => Promise.resolve(promise).catch(err => { if (!isAbort(err)) list.before(errorBox(err)); });

	function draw() {
		space.style.height = rows.length * ROW + 'px';
		const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
		const last = Math.min(rows.length, first + Math.ceil(list.clientHeight / ROW) + 10);
		window_.style.transform = `translateY(${first * ROW}px)`;
		window_.replaceChildren(...rows.slice(first, last).map((row, at) => element(row, first + at)));
	}

	function element(row, i) {
		const attributes = {class: 'row' + (i === chosen ? ' chosen' : ''), role: 'row', id: 'row' + i, 'aria-level': row.depth + 1, 'aria-selected': String(i === chosen),
			'aria-expanded': row.node?.children ? String(row.open) : null, style: {gridTemplateColumns: grid}, onclick: () => choose(i)};
		const indent = {paddingLeft: Math.min(row.depth, INDENT) * 14 + 'px'};
		if (row.more) {
			return el('div', attributes, el('span', {class: 'function-name', style: indent}, el('button', {type: 'button', onclick: () => failing(open(i))}, `${count(row.more.n)} more`)));
		}
		const r = row.node;
		return el('div', attributes,
			el('span', {class: 'mono function-name', role: 'gridcell', title: r.full, style: indent},
				el('span', {class: 'twist', 'aria-hidden': 'true', onclick: () => toggle(i)}, r.children ? (row.open ? '▾' : '▸') : ''),
				row.depth > INDENT ? el('span', {class: 'muted'}, `${row.depth} `) : '', r.name),
			...columns.map(c => el('span', {class: 'number', role: 'gridcell'}, c.show(r))));
	}

	function choose(i) {
		chosen = Math.max(0, Math.min(rows.length - 1, i));
		list.setAttribute('aria-activedescendant', 'row' + chosen);
		const top = chosen * ROW, height = list.clientHeight - 2 * ROW;
		if (top < list.scrollTop) list.scrollTop = top;
		if (top > list.scrollTop + height) list.scrollTop = top - height;
		draw();
		const name = rows[chosen]?.node?.full;
		if (name && name !== side.dataset.name) {
			side.dataset.name = name;
			functionPanel(o, name, {signal}).then(p => { if (side.dataset.name === name) side.replaceChildren(p); });
		}
	}

	function key(event) {
		const row = rows[chosen];
		if (!row || event.target !== list) return;
		const page = Math.floor(list.clientHeight / ROW) - 2;
		switch (event.key) {
		case 'ArrowDown': choose(chosen + 1); break;
		case 'ArrowUp': choose(chosen - 1); break;
		case 'PageDown': choose(chosen + page); break;
		case 'PageUp': choose(chosen - page); break;
		case 'Home': choose(0); break;
		case 'End': choose(rows.length - 1); break;
		case 'ArrowRight': if (row.open) choose(chosen + 1); else failing(open(chosen)); break;
		case 'ArrowLeft':
			if (row.open) close(chosen);
			else {
				let i = chosen - 1;
				while (i > 0 && rows[i].depth >= row.depth) i--;
				choose(i);
			}
			break;
		case 'Enter': case ' ': toggle(chosen); break;
		default: return;
		}
		event.preventDefault();
	}

	function sortBy(name) {
		state.sort = name;
		setParams(state);
		for (const [i, c] of columns.entries()) {
			if (c.key === name) head.children[i + 1].setAttribute('aria-sort', 'descending');
			else head.children[i + 1].removeAttribute('aria-sort');
		}
		failing(state.q ? find(state.q) : load());
	}

	// find lists the paths to a function, each with the callers above it.
	async function find(query) {
		state.q = query;
		setParams(state);
		if (!query) {
			result.textContent = '';
			return failing(load());
		}
		try {
			const a = await ask('api/search', {q: query});
			if (!total) await below(0);
			result.textContent = a.all ? `${count(a.all)} paths lead to it` + (a.all > a.hits.length ? `, the ${a.hits.length} with the most time are shown` : '') : 'No function of that name was called.';
			rows = a.hits.map(h => ({node: {...h, name: [...h.path.slice(-4).map(p => p.name), h.name].join(' › ')}, depth: 0, open: false}));
			chosen = 0;
			list.scrollTop = 0;
			draw();
		} catch (err) {
			if (!isAbort(err)) list.before(errorBox(err));
		}
	}

	const resized = new ResizeObserver(() => draw());
	resized.observe(list);
	await (state.q ? find(state.q) : load());
	return () => resized.disconnect();
}
