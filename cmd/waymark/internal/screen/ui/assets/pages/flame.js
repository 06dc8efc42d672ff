// The flame graph: of all calls, of what a function calls, or of who calls it.

import {get, isAbort} from '../lib/api.js';
import {address, go, setParams} from '../lib/address.js';
import {el, errorBox} from '../lib/dom.js';
import {count, percent} from '../lib/format.js';
import {Flame} from '../lib/flame.js';
import {functionPanel} from '../lib/function.js';
import {overview, value} from '../lib/recording.js';

export async function show(main, {params, signal}) {
	const o = await overview({signal});
	const state = {
		view: params.get('view') ?? '', function: params.get('function') ?? '', node: params.get('node') ?? '',
		measure: params.get('measure') ?? 'total', look: params.get('look') ?? (params.get('view') === 'callers' ? 'flame' : 'icicle'), q: params.get('q') ?? '',
	};
	const measures = el('select', {'aria-label': 'Measure', onchange: e => change({measure: e.target.value})},
		...o.measures.map(m => el('option', {value: m.name, selected: m.name === state.measure}, m.title)));
	const look = el('button', {type: 'button', onclick: () => change({look: state.look === 'icicle' ? 'flame' : 'icicle'})});
	const search = el('input', {type: 'search', placeholder: 'Search functions', value: state.q, 'aria-label': 'Search', oninput: () => change({q: search.value}, false)});
	const matched = el('span', {class: 'muted', role: 'status'});
	const out = el('button', {type: 'button', onclick: () => change({node: ''})}, 'Zoom out');
	const where = el('nav', {class: 'where', 'aria-label': 'Zoomed to'});
	const left = el('p', {class: 'muted'});
	const side = el('aside', {class: 'panel', 'aria-label': 'Chosen function'}, el('p', {class: 'muted'}, 'Choose a frame to see its numbers, callers and callees. Double click, or Enter, zooms in.'));
	const flame = new Flame({onZoom: node => change({node: node ? String(node) : ''}), onChoose: choose});
	const views = state.function ? el('span', {class: 'bar views'},
		el('b', {class: 'mono', title: state.function}, o.short[state.function] ?? state.function),
		el('button', {type: 'button', 'aria-pressed': String(state.view === 'callees'), onclick: () => go('flame', {view: 'callees', function: state.function, measure: state.measure})}, 'callees'),
		el('button', {type: 'button', 'aria-pressed': String(state.view === 'callers'), onclick: () => go('flame', {view: 'callers', function: state.function, measure: state.measure})}, 'callers'),
		el('a', {href: address('flame', {measure: state.measure})}, 'all calls')) : '';
	main.append(el('h1', {class: 'sr'}, 'Flame graph'),
		el('div', {class: 'bar'}, measures, look, search, matched, el('span', {class: 'grow'}), views, out),
		where,
		el('div', {class: 'split'}, el('div', {class: 'panel graph'}, flame.root, left), side));
	if (o.compares) where.before(el('p', {class: 'legend'}, el('span', {}, el('i', {class: 'grew'}), 'grew'), el('span', {}, el('i', {class: 'shrank'}), 'shrank'), 'widths are the greater of before and now'));
	if (state.function) showFunction(state.function);

	async function change(next, load = true) {
		Object.assign(state, next);
		setParams(state);
		if (load) await fill();
		else mark();
	}

	function mark() {
		const share = flame.search(state.q);
		matched.textContent = share === null ? '' : `${percent(share)} matched`;
	}

	async function fill() {
		const unit = o.measures.find(m => m.name === state.measure)?.unit ?? 'ns';
		look.textContent = state.look === 'icicle' ? 'Icicle' : 'Flame';
		look.title = 'Callers above or below';
		out.disabled = !state.node;
		main.setAttribute('aria-busy', 'true');
		try {
			const a = await get('api/flame', {view: state.view, function: state.function, node: state.node, measure: state.measure}, {signal});
			flame.set(a, {unit, icicle: state.look === 'icicle'});
			where.replaceChildren(...a.above.flatMap(n => [el('button', {type: 'button', class: 'mono', onclick: () => change({node: String(n.id)})}, n.name), ' › ']));
			left.textContent = a.id.length === 0 ? 'No call has any of this.' : `${value(unit, a.total)}${a.old ? `, before ${value(unit, a.before)}` : ''}, ${count(a.count)} paths`
				+ (a.left ? `, ${count(a.left)} too narrow or too deep to show: zoom in` : '');
			mark();
			main.querySelector('.error')?.remove();
		} catch (err) {
			if (!isAbort(err)) where.replaceChildren(errorBox(err));
		}
		main.removeAttribute('aria-busy');
	}

	function choose(node, i) { showFunction(flame.data.names[flame.data.func[i]][1]); }

	async function showFunction(name) {
		side.replaceChildren(await functionPanel(o, name, {signal}));
	}

	await fill();
	return () => flame.stop();
}
