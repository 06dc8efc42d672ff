// Source files with line numbers.

import {el} from './dom.js';

// code shows lines of a file. row returns the element of a line, by its number and text.
export function code(file, lines, row, ...heads) {
	const root = el('div', {class: 'code panel', tabindex: '0', role: 'region', 'aria-label': `Source of ${file}`}, ...heads);
	// A file of a hundred thousand lines is shown in pieces, each as a whole when it is needed.
	for (let from = 0; from < lines.length; from += 2000) root.append(el('div', {}, ...lines.slice(from, from + 2000).map((text, i) => row(from + i + 1, text))));
	return root;
}
