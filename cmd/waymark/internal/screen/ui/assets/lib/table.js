// Tables that sort by their heads.

import {el} from './dom.js';

// table returns a table of rows. A column is
//
//	{head, get: row => number or text, show: row => element or text, number: true, name: true, hide: true}
//
// of which show may be left out. sort is the head of the column to sort by at first; limit is how many
// rows are shown before the button for more.
export function table({columns, rows, sort, limit = 50, label, onSort, onRow}) {
	columns = columns.filter(c => c && !c.hide);
	let by = columns.find(c => c.head === sort) ?? null;
	let down = by ? Boolean(by.number) : true;
	let shown = limit;
	const body = el('tbody');
	const more = el('button', {type: 'button', class: 'more', onclick: () => { shown += 200; fill(); }});
	const heads = columns.map(c => el('th', {class: c.number ? 'number' : null, scope: 'col'},
		c.get ? el('button', {type: 'button', title: c.title, onclick: () => {
			down = by === c ? !down : Boolean(c.number);
			by = c;
			onSort?.(c.head);
			fill();
		}}, c.head) : c.head));
	const root = el('div', {class: 'scroll'}, el('table', {'aria-label': label}, el('thead', {}, el('tr', {}, ...heads)), body), more);

	function fill() {
		const list = by ? [...rows].sort((a, b) => compare(by.get(a), by.get(b)) * (down ? -1 : 1)) : rows;
		heads.forEach((h, i) => {
			if (columns[i] === by) h.setAttribute('aria-sort', down ? 'descending' : 'ascending');
			else h.removeAttribute('aria-sort');
		});
		body.replaceChildren(...list.slice(0, shown).map(row => {
			const tr = el('tr', {}, ...columns.map(c => {
				const content = c.show ? c.show(row) : c.get(row);
				return el('td', {class: c.number ? 'number' : c.name ? 'name' : null}, content === null || content === undefined ? '' : content);
			}));
			onRow?.(tr, row);
			return tr;
		}));
		more.hidden = list.length <= shown;
		more.textContent = `${(list.length - shown).toLocaleString('en-US')} more`;
	}
	fill();
	return {root, setRows(next) { rows = next; fill(); }};
}

function compare(a, b) { return typeof a === 'number' ? a - (b ?? 0) : String(a).localeCompare(String(b)); }
