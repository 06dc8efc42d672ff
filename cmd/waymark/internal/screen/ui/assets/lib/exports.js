// Links to files for other programs.

import {el} from './dom.js';

const formats = [['perfetto', 'Perfetto'], ['speedscope', 'speedscope'], ['pprof', 'pprof'], ['chrome', 'Chrome']];

// exportLinks returns links to the recordings in these formats, with commas between them, and a function
// that gives them a part of the time, as --time has it; empty: all.
export function exportLinks(part = '') {
	const links = formats.map(([to, text]) => el('a', {'data-to': to, download: ''}, text));
	const set = part => { for (const a of links) a.href = 'api/export?to=' + a.dataset.to + (part ? '&time=' + encodeURIComponent(part) : ''); };
	set(part);
	return {links: links.flatMap((a, i) => [i ? ', ' : '', a]), set};
}
