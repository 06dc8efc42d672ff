// Elements. Text that comes from a recording, such as names of functions, is text wherever it goes:
// no function here takes HTML.

// el returns an element. Attributes whose names begin with 'on' are listeners; true, false and null
// set or leave out an attribute. Children are elements or text.
export function el(tag, attributes = {}, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

// svg is el for drawings.
export function svg(tag, attributes = {}, ...children) {
	return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false) continue;
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else if (name === 'style') Object.assign(element.style, value);
		else element.setAttribute(name, value === true ? '' : value);
	}
	element.append(...children.flat().filter(c => c !== null && c !== undefined && c !== false));
	return element;
}

// errorBox shows an error.
export function errorBox(err) { return el('p', {class: 'error', role: 'alert'}, err.message ?? String(err)); }

// notice shows a line above the page, '' none.
export function notice(text) {
	const line = document.getElementById('notice');
	line.textContent = text;
	line.hidden = !text;
}
