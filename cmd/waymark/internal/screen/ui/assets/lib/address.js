// The part of the address after the #: #/NAME?KEY=VALUE&...

// current returns the name of the page and its parameters.
export function current() {
	const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
	return {name: decodeURIComponent(path), params: new URLSearchParams(query ?? '')};
}

// address returns what leads to a page, for href. Parameters that are null or '' are left out.
export function address(name, params = {}) {
	const query = new URLSearchParams();
	for (const [key, value] of Object.entries(params)) {
		if (value !== null && value !== undefined && value !== '') query.set(key, value);
	}
	const text = query.toString();
	return '#/' + name + (text ? '?' + text : '');
}

let own = ''; // what setParams has set last

// setParams changes parameters of the address without showing the page anew.
export function setParams(params, {push = false} = {}) {
	const {name, params: old} = current();
	own = address(name, {...Object.fromEntries(old), ...params});
	if (own === location.hash) return;
	history[push ? 'pushState' : 'replaceState'](null, '', own);
}

// go shows a page.
export function go(name, params) { location.hash = address(name, params); }

// onChange calls do when the address leads somewhere else.
export function onChange(action) { addEventListener('hashchange', action); }
