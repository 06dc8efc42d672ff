// The user's source files with the numbers of each function in the margin.

import {get} from '../lib/api.js';
import {address, go} from '../lib/address.js';
import {el} from '../lib/dom.js';
import {count, duration} from '../lib/format.js';
import {overview, parts} from '../lib/recording.js';
import {code} from '../lib/source.js';
import {table} from '../lib/table.js';

export async function show(main, {params, signal}) {
	const [o, files] = await Promise.all([overview({signal}), get('api/files', {}, {signal})]);
	if (!files.length) {
		main.append(el('p', {class: 'muted'}, 'The recording has no calls, or does not say in which files its functions are.'));
		return;
	}
	const file = params.get('file') || files[0].file;
	const common = prefix(files.map(f => f.file));
	const choice = el('select', {'aria-label': 'File', class: 'mono', onchange: () => go('source', {file: choice.value})},
		...files.map(f => el('option', {value: f.file, selected: f.file === file}, `${f.file.slice(common.length)}   ${duration(f.self_ns)}`)));
	main.append(el('h1', {class: 'sr'}, 'Source'), el('div', {class: 'bar'}, choice, el('span', {class: 'muted mono path'}, file)));
	const source = await get('api/source', {file}, {signal});
	if (source.note) main.append(el('p', {class: 'error', role: 'note'}, source.note));
	if (!source.lines.length) {
		main.append(el('div', {class: 'panel'}, table({label: 'Functions of the file', rows: source.functions, sort: 'Self', columns: [
			{head: 'Function', name: true, get: f => f.name, show: f => link(o, f)},
			{head: 'Line', number: true, get: f => f.line},
			{head: 'Calls', number: true, get: f => f.calls, show: f => count(f.calls)},
			{head: 'Total', number: true, get: f => f.total_ns, show: f => duration(f.total_ns)},
			{head: 'Self', number: true, get: f => f.self_ns, show: f => duration(f.self_ns)},
		]}).root));
		return;
	}
	const at = new Map();
	for (const f of source.functions) at.set(f.line, [...(at.get(f.line) ?? []), f]);
	const most = Math.max(1, ...source.functions.map(f => f.self_ns));
	const wanted = Number(params.get('line') ?? 0);
	const head = el('div', {class: 'line head muted'}, el('span', {class: 'number'}, 'Calls'), el('span', {class: 'number'}, 'Self'), el('span', {class: 'number'}, 'Total'),
		el('span', {}, o.waits ? 'Running, waiting' : ''), el('span'), el('span'));
	function line(number, text) {
		const list = at.get(number) ?? [];
		const sum = key => list.reduce((n, f) => n + f[key], 0);
		const row = list[0];
		const margin = list.length ? [el('span', {class: 'number'}, count(sum('calls'))), el('span', {class: 'number self'}, duration(sum('self_ns'))),
			el('span', {class: 'number'}, duration(sum('total_ns'))), el('span', {}, parts(row, row.total_ns))] : [el('span'), el('span'), el('span'), el('span')];
		const l = el('div', {class: 'line' + (list.length ? ' has' : '') + (number === wanted ? ' wanted' : ''), id: 'L' + number}, ...margin,
			list.length ? el('a', {class: 'number lineno', href: address('flame', {view: 'callees', function: row.name}), title: list.map(f => f.name).join('\n')}, String(number)) : el('span', {class: 'number lineno muted'}, String(number)),
			el('code', {}, text));
		if (list.length) l.children[1].style.backgroundSize = `${100 * sum('self_ns') / most}% 100%`;
		return l;
	}
	main.append(code(file, source.lines, line, head));
	if (wanted) document.getElementById('L' + wanted)?.scrollIntoView({block: 'center'});
}

function link(o, f) { return el('a', {class: 'mono', href: address('flame', {view: 'callees', function: f.name}), title: f.name}, o.short[f.name] ?? f.name); }

// prefix returns the folders that all paths begin with.
function prefix(paths) {
	let common = paths[0].slice(0, paths[0].lastIndexOf('/') + 1);
	for (const p of paths) {
		while (!p.startsWith(common)) common = common.slice(0, common.lastIndexOf('/', common.length - 2) + 1);
	}
	return common;
}
