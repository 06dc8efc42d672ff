// What the server answers below api/.

// get returns the answer, as an object. An error has the server's words.
export function get(path, params = {}, {signal} = {}) {
	const query = new URLSearchParams();
	for (const [key, value] of Object.entries(params)) {
		if (value !== null && value !== undefined && value !== '') query.set(key, value);
	}
	const text = query.toString();
	return ask(text ? `${path}?${text}` : path, {signal});
}

// post sends an object, and returns the answer.
export function post(path, body = {}, {signal} = {}) {
	return ask(path, {method: 'POST', body: JSON.stringify(body), headers: {'Content-Type': 'application/json'}, signal});
}

async function ask(url, options) {
	let response;
	try {
		response = await fetch(url, options);
	} catch (err) {
		if (isAbort(err)) throw err;
		throw new Error('waymark serve does not answer: has it ended? Start it again, and open the address that it prints.');
	}
	if (response.status === 202) {
		reading(await response.json());
		await new Promise(done => setTimeout(done, 250));
		if (options?.signal?.aborted) throw new DOMException('the page was left', 'AbortError');
		return ask(url, options);
	}
	if (response.ok) {
		reading(null);
		return response.json();
	}
	reading(null);
	const text = await response.text();
	let message = text.trim() || response.statusText;
	try {
		message = JSON.parse(text).error;
	} catch { /* it is plain text */ }
	throw new Error(message);
}

// reading shows how far the server has read the recording, if an answer takes that.
function reading(state) {
	const line = document.getElementById('reading');
	line.hidden = !state;
	if (!state) return;
	const share = state.all ? state.read / state.all : 0;
	line.firstElementChild.value = share;
	line.lastElementChild.textContent = `Reading ${state.what}` + (state.all ? `: ${Math.floor(100 * share)} % of ${(state.all / 1e6).toFixed(1)} million events` : ' ...');
}

// isAbort reports whether an error only says that nobody waits for the answer any more.
export function isAbort(err) { return err?.name === 'AbortError'; }
