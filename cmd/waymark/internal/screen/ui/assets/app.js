// The frame of the pages: it shows the page that the address names after the #, as in
// #/tree?sort=self, and takes it away again when the address changes.
//
// A page is a module pages/NAME.js with
//
//	export async function show(main, context)
//
// which fills the element main, and may return a function that is called before the page is taken
// away. context.params are the parameters of the address (URLSearchParams); context.signal is aborted
// when the page is taken away. When only parameters change, the page is shown anew, unless the page
// itself changed them by setParams of lib/address.js.

import {get, isAbort} from './lib/api.js';
import {current, onChange} from './lib/address.js';
import {el, errorBox} from './lib/dom.js';

const main = document.getElementById('main');
const nav = document.getElementById('pages');

let pages = [];
let leave = () => {};

async function start() {
	try {
		const frame = await get('api/pages');
		pages = frame.pages;
		document.getElementById('program').textContent = frame.title;
		document.getElementById('program').title = frame.title;
		nav.replaceChildren(...pages.map(p => el('a', {href: '#/' + p.name, 'data-page': p.name}, p.title)));
		document.documentElement.dataset.title = frame.title;
	} catch (err) {
		main.replaceChildren(errorBox(err));
		return;
	}
	onChange(show);
	show();
}

async function show() {
	leave();
	leave = () => {};
	const {name, params} = current();
	const page = pages.find(p => p.name === name) ?? (name ? null : pages[0]);
	for (const a of nav.children) {
		if (a.dataset.page === page?.name) a.setAttribute('aria-current', 'page');
		else a.removeAttribute('aria-current');
	}
	main.replaceChildren();
	main.className = page ? 'page-' + page.name : '';
	if (!page) {
		main.append(errorBox(new Error(`there is no page ${name}: choose one above`)));
		return;
	}
	document.title = `${page.title} · ${document.documentElement.dataset.title} · waymark`;
	const abort = new AbortController();
	let undo, gone = false;
	leave = () => {
		gone = true;
		abort.abort();
		undo?.();
	};
	main.setAttribute('aria-busy', 'true');
	try {
		await style(page.name);
		const module = await import(`./pages/${page.name}.js`);
		if (gone) return;
		undo = await module.show(main, {params, signal: abort.signal});
		if (gone) undo?.();
	} catch (err) {
		if (!gone && !isAbort(err)) main.append(errorBox(err));
	}
	if (!gone) main.removeAttribute('aria-busy');
}

// style loads a page's style sheet, before the page is shown.
function style(name) {
	const href = `pages/${name}.css`;
	if (document.querySelector(`link[href="${href}"]`)) return;
	return new Promise(done => {
		const link = el('link', {rel: 'stylesheet', href});
		link.onload = link.onerror = done;
		document.head.append(link);
	});
}

start();
