import {get} from '../lib/api.js';
import {el} from '../lib/dom.js';

export async function show(main, {signal}) {
	const overview = await get('api/pages', {}, {signal});
	main.append(el('h1', {}, overview.title));
}
