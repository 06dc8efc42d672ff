// A running program: where its time goes, its groups with switches, its functions' numbers, calls, traces and lines as they happen.

import {get, post} from '../lib/api.js';
import {el, errorBox, notice, svg} from '../lib/dom.js';
import {count, duration, percent} from '../lib/format.js';
import {legend, parts} from '../lib/recording.js';
import {code} from '../lib/source.js';
import {table} from '../lib/table.js';

const HISTORY = 40; // points of a sparkline
const CALLS = 200; // calls that stay on the page
const NOTHING = 'Nothing is counted. Switch a group on, or name functions.';

// What it costs the program, see docs/performance.md.
const COSTS = {
	sample: 'Samples take 5 % of one CPU at most. They change nothing in the program.',
	count: 'Each call takes the time of two readings of the clock, 15 to 30 ns; about 1 ns without times.',
	watch: 'Each call takes the time of two readings of the clock, 15 to 30 ns, and more with values.',
	trace: 'Each call of the function, and of all that it calls, takes the time of two readings of the clock, 15 to 30 ns.',
	line: 'Lines: each time that a watched line is reached takes some 15 to 30 ns, by what its variables are. The program is patched for it, also one that waymark has built: it stops for some milliseconds, and again at the end.',
	patched: 'Count, Watch, Trace and Lines patch the program: it stops for some milliseconds, and again at the end.',
};

export function show(main) {
	let session = '', gone = false;
	let hasLines = false; // of a program that sees this machine's files
	let status = null;
	let on = new Set(); // targets whose numbers are counted
	const history = new Map(); // function: {last, points}
	let latest = [];
	let sampling = false, began = false; // began: the first sample was asked for
	let sample = null; // the latest

	const head = el('div', {class: 'figures'});
	const state = el('p', {class: 'muted', role: 'status', id: 'state'}, 'connecting ...');
	const groups = el('div', {class: 'groups', role: 'group', 'aria-label': 'Groups'});
	const pattern = el('input', {placeholder: 'functions, as in store.*', 'aria-label': 'Functions to count', size: '26', class: 'mono', id: 'target'});
	const only = el('input', {type: 'checkbox', onchange: () => { if (on.size) recount(); }});
	const extra = el('div', {class: 'groups', role: 'group', 'aria-label': 'Patterns'});
	const form = el('form', {class: 'bar', onsubmit: e => { e.preventDefault(); if (pattern.value.trim()) { toggle(pattern.value.trim(), true); pattern.value = ''; } }},
		pattern, el('button', {}, 'Count'), el('button', {type: 'button', onclick: () => toggle('...', true), title: 'All instrumented functions'}, 'Count all'), el('label', {}, only, ' without times'));
	const elsewhere = el('p', {class: 'muted', id: 'elsewhere'});

	const top = table({label: 'Functions', rows: [], sort: 'Total', limit: 25, columns: [
		{head: 'Function', name: true, get: f => f.function, show: f => el('button', {type: 'button', class: 'link mono', title: f.function, onclick: () => { func.value = f.function; func.focus(); }}, short(f.function))},
		{head: 'Calls/s', get: f => rate(f), number: true, show: f => counted(f, count(rate(f)))},
		{head: '', show: f => spark(history.get(f.function)?.points ?? [])},
		{head: 'Calls', number: true, get: f => f.calls, show: f => counted(f, count(f.calls))},
		{head: 'Total', number: true, get: f => f.total_ns, show: f => about(f, duration(f.total_ns))},
		{head: '', show: f => parts(f, f.total_ns)},
		{head: 'Avg', number: true, get: f => f.avg_ns, show: f => about(f, duration(f.avg_ns))},
		{head: 'Max', number: true, get: f => f.max_ns, show: f => about(f, duration(f.max_ns))},
		{head: 'Failed', number: true, title: 'Calls that panicked or returned an error', get: f => f.panics + (f.errors ?? 0), show: f => f.panics + (f.errors ?? 0) ? about(f, count(f.panics + (f.errors ?? 0))) : ''},
	]});
	const empty = el('p', {class: 'muted'}, NOTHING);
	const rows = el('div', {}, top.root);

	const act = (text, what, title) => el('button', {type: 'button', class: 'act', title, onclick: what}, text);
	const seen = table({label: 'Sample', rows: [], sort: 'Running', limit: 25, columns: [
		{head: 'Function', name: true, get: f => f.function, show: f => el('span', {class: 'mono', title: `${f.function}\n${f.file}`}, short(f.function))},
		{head: 'On top', number: true, title: 'Of the time that goroutines ran, the share in which the function itself ran', get: f => f.top_ns, show: f => share(f.top_ns, sample.running_ns)},
		{head: 'Running', number: true, title: 'The share in which the function ran, or something that it called', get: f => f.running_ns, show: f => share(f.running_ns, sample.running_ns)},
		{head: 'Waiting', number: true, title: 'Of the time that goroutines waited, the share in which they waited in the function, or in something that it called', get: f => f.waiting_ns, show: f => share(f.waiting_ns, sample.waiting_ns)},
		{head: '', show: f => parts(f, f.running_ns + f.runnable_ns + f.waiting_ns)},
		{head: '', show: f => el('span', {class: 'acts'},
			act('Count', () => toggle(f.function, true), COSTS.count),
			act('Watch', () => { func.value = f.function; begin('watch'); }, COSTS.watch),
			act('Trace', () => { func.value = f.function; begin('trace'); }, COSTS.trace),
			hasLines && f.file.endsWith('.go') ? act('Lines', () => openSource(f), COSTS.line) : '')},
	]});
	const again = el('button', {type: 'button', 'aria-pressed': 'false', id: 'sample', title: COSTS.sample, onclick: () => sampling ? finish('sample') : beginSample()}, 'Sample');

	const func = el('input', {placeholder: 'function, pattern, or line as store.go:118', 'aria-label': 'Function', class: 'mono grow', required: true, id: 'function'});
	const condition = el('input', {placeholder: 'condition, as in args[0] > 10; of a line, n > 10', 'aria-label': 'Condition of watch', class: 'mono', size: '26'});
	const least = el('input', {type: 'number', min: '0', step: 'any', placeholder: '0', 'aria-label': 'At least, ms', size: '6', class: 'small'});
	const limit = el('input', {type: 'number', min: '1', max: '1000', value: '20', 'aria-label': 'How many', class: 'small'});
	const watch = el('button', {type: 'button', class: 'primary', onclick: () => begin('watch')}, 'Watch calls');
	const trace = el('button', {type: 'button', onclick: () => begin('trace')}, 'Trace calls');
	const stop = el('button', {type: 'button', onclick: () => { finish('watch'); finish('trace'); }}, 'Stop');
	const said = el('p', {class: 'muted', role: 'status', id: 'said'});
	const calls = el('div', {class: 'calls mono', role: 'log', 'aria-label': 'Calls', tabindex: '0'});
	const record = el('button', {type: 'button', 'aria-pressed': 'false', onclick: () => recording ? finish('record') : begin('record')}, 'Record');
	let recording = false;
	const recorded = el('p', {class: 'muted mono', role: 'status'});

	const forAll = el('p', {}, 'A yes holds for all lines that are watched until you leave the page.');
	const without = el('button', {value: 'none'}, 'Without values');
	const dialog = el('dialog', {'aria-labelledby': 'ask'},
		el('h2', {id: 'ask'}, 'Show values?'),
		el('p', {}, 'Arguments, results and panic values of these calls, or the variables of these lines, are copied out of the program and shown here. They may hold passwords and personal data.'), forAll,
		el('form', {method: 'dialog', class: 'bar'}, el('button', {value: 'values', class: 'primary'}, 'Show values'), without, el('button', {value: ''}, 'Cancel')));
	const source = el('section', {class: 'panel', 'aria-label': 'Source', hidden: true});
	let watched = new Set(); // lines that the program says are watched, FILE:LINE
	let chosen = {text: '', targets: []}; // lines that were clicked, and how func has them: files may have commas
	let places = new Map(); // those that are shown: FILE:LINE: the line's element
	let agreed = false; // values of lines may be shown

	const choice = el('h2', {}, 'Groups');
	main.append(el('h1', {class: 'sr'}, 'Live'), head, state,
		el('div', {class: 'live'},
			el('section', {class: 'panel', 'aria-label': 'Count'}, choice, groups, extra, form, elsewhere,
				el('h2', {}, 'Record'), el('div', {class: 'bar'}, record), recorded),
			el('section', {class: 'panel', 'aria-label': 'Functions'}, el('div', {class: 'bar'}, el('h2', {}, 'Functions'), el('span', {class: 'grow'}), again, legend()), empty, rows)),
		el('section', {class: 'panel watch', 'aria-label': 'Calls'}, el('h2', {}, 'Calls as they happen'),
			el('div', {class: 'bar'}, func, condition, el('label', {}, 'at least ', least, ' ms'), el('label', {}, 'stop after ', limit), watch, trace, stop), said, calls),
		source,
		dialog);

	const stream = new EventSource('api/live/events');
	stream.onmessage = message => {
		const e = JSON.parse(message.data);
		switch (e.kind) {
		case 'hello': hello(e); break;
		case 'status': showStatus(e.status); break;
		case 'news': news(e); break;
		case 'begun': begun(e); break;
		case 'ended': ended(e); break;
		case 'gone': end(e.text); break;
		}
	};
	stream.onerror = () => { if (!gone) state.textContent = 'waymark serve does not answer: what you see is the last that it said.'; };

	function hello(e) {
		const lost = session !== '';
		session = e.session;
		hasLines = Boolean(e.lines);
		state.textContent = '';
		if (!began && !gone && !document.hidden) beginSample();
		if (lost && !gone) { // the connection was lost: the program has switched off what the page had on
			on = new Set();
			recording = false;
			endSample();
			setWatched([]);
			drawGroups();
		}
	}

	// A page that nobody sees takes no time, and leaves the program's sampler to others.
	function onVisibility() {
		if (document.hidden && sampling) finish('sample');
		else if (!document.hidden && session && !began && !gone) beginSample();
	}
	document.addEventListener('visibilitychange', onVisibility);

	// beginSample shows where the time goes, by samples, for a minute at most, until something is counted.
	async function beginSample() {
		began = true;
		try {
			await post('api/live/start', {session, task: 'sample', every_ns: 1e9});
		} catch (err) {
			empty.textContent = `${NOTHING} There is no sample of where the time goes: ${err.message}`;
		}
	}

	function endSample() {
		sampling = false;
		again.setAttribute('aria-pressed', 'false');
	}

	function sampled(s) {
		sample = s;
		if (on.size) return; // the sampler's last words
		showTable(seen);
		empty.hidden = false;
		empty.textContent = `Seen in ${count(s.samples)} samples of all goroutines' stacks in ${duration(s.took_ns)}, which took ${percent(s.cost_ns / s.took_ns)} of one CPU. Nothing is counted. ${status?.patched ? COSTS.patched : ''}`;
		seen.setRows(s.functions);
	}

	function showTable(t) { if (rows.firstChild !== t.root) rows.replaceChildren(t.root); }

	// end says that the program has ended. What was seen stays.
	function end(text) {
		gone = true;
		stream.close();
		setWatched([]);
		notice(`The program can't be reached any more; these are its last numbers. It has ended, unless it is stopped: ${text}`);
		state.textContent = 'ended';
		for (const b of main.querySelectorAll('button, input')) b.disabled = true;
	}

	function showStatus(s) {
		const first = !status;
		status = s;
		head.replaceChildren(figure('Process', String(s.pid)), figure('Program', s.program.split('/').pop()), figure('Up', duration(Math.floor(s.uptime_ns / 1e9) * 1e9).replace('.000', '')),
			figure('Functions', count(s.functions)), s.groups.length ? figure('Groups', count(s.groups.length)) : '');
		if (first) drawGroups();
		const mine = [...on];
		let samplers = sampling ? 1 : 0; // of this page
		const others = s.on.filter(o => !mine.includes(o.target) && !(o.monitor === 'samples' && samplers-- > 0));
		elsewhere.textContent = others.length ? 'On in the program: ' + others.map(o => `${o.target} (${o.monitor}${o.kept ? ', kept' : ''})`).join(', ') : '';
		elsewhere.dataset.on = s.on.length;
		if (s.recording) recorded.textContent ||= 'recording into ' + s.recording;
	}

	function drawGroups() {
		const inside = new Set(Object.values(status?.subgroups ?? {}).flat());
		const seen = new Set();
		const branch = name => {
			if (seen.has(name)) return '';
			seen.add(name);
			const below = (status.subgroups?.[name] ?? []).map(branch).filter(Boolean);
			return el('div', {class: 'branch'}, toggleOf('@' + name, name), below.length ? el('div', {class: 'below'}, ...below) : '');
		};
		const names = status?.groups ?? [];
		groups.replaceChildren(...names.filter(n => !inside.has(n)).map(branch), ...names.map(n => seen.has(n) ? '' : branch(n)).filter(Boolean));
		choice.textContent = names.length ? 'Groups' : 'Count';
		main.querySelector('.live').classList.toggle('ungrouped', Boolean(status) && !names.length); // functions come first
		again.disabled = gone || on.size > 0; // exact numbers have the place of estimates
		extra.replaceChildren(...[...on].filter(t => !t.startsWith('@')).map(t => toggleOf(t, t === '...' ? 'all functions' : t)));
	}

	function toggleOf(target, text) {
		return el('button', {type: 'button', class: 'switch', role: 'switch', 'aria-checked': String(on.has(target)), disabled: gone, onclick: () => toggle(target, !on.has(target))}, el('i'), text);
	}

	let last = Promise.resolve(); // one change after the other, however fast switches are clicked

	function toggle(target, to) {
		if (to) on.add(target);
		else on.delete(target);
		drawGroups();
		last = last.then(() => apply(target));
		return last;
	}

	function recount() {
		history.clear();
		last = last.then(() => apply());
	}

	// apply has the program count what is on. target is what was changed.
	async function apply(target) {
		try {
			if (on.size) {
				const change = await post('api/live/start', {session, task: 'top', targets: [...on], every_ns: 1e9, count: only.checked});
				showTable(top);
				state.textContent = `counting ${count(change.functions)} functions`;
			} else {
				await post('api/live/stop', {session, task: 'top'});
				state.textContent = 'counting nothing';
				empty.textContent = NOTHING;
			}
		} catch (err) {
			on.delete(target);
			drawGroups();
			state.replaceChildren(errorBox(err));
		}
	}

	function news(e) {
		if (e.task === 'sample') return sampled(e.sample);
		if (e.task === 'top') return numbers(e.news.functions ?? []);
		for (const c of e.news.calls ?? []) say(callLine(c));
		for (const t of e.news.traces ?? []) say(el('pre', {class: 'trace'}, el('b', {}, `${short(t.root)} ${duration(t.duration_ns)}, ${count(t.calls)} calls, goroutine ${t.goroutine}${t.panics ? ', panicked' : ''}\n`), t.tree ?? ''));
		if (e.news.notes) said.textContent = e.news.notes.join('; ');
		if (e.news.skipped) said.textContent = `${count(e.news.skipped)} came too fast and are not shown`;
	}

	function numbers(list) {
		for (const f of list) {
			const h = history.get(f.function) ?? {last: f.calls, points: []};
			// A new count begins at 0.
			h.points.push(Math.max(0, f.calls - (f.calls >= h.last ? h.last : 0)));
			h.points.splice(0, h.points.length - HISTORY);
			h.last = f.calls;
			history.set(f.function, h);
		}
		latest = list;
		empty.hidden = latest.length > 0;
		empty.textContent = on.size ? 'None of the functions has been called yet.' : NOTHING;
		top.setRows(latest);
	}

	function rate(f) { return history.get(f.function)?.points.at(-1) ?? 0; }

	function say(line) {
		calls.prepend(line);
		while (calls.childElementCount > CALLS) calls.lastElementChild.remove();
	}

	// labels returns the labels of a call's goroutine as the command writes them, '' if there are none.
	function labels(c) {
		const list = Object.entries(c.labels ?? {}).sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => `${key}: ${value === '***' ? value : JSON.stringify(value)}`);
		if (c.more_labels) list.push(`…+${c.more_labels}`);
		return list.length ? el('span', {class: 'muted'}, `  labels={${list.join(', ')}}`) : '';
	}

	function callLine(c) {
		const time = new Date(c.start_unix_ns / 1e6).toISOString().slice(11, 23);
		if (c.end === 'line') {
			const place = places.get(`${c.file}:${c.line}`);
			if (place) place.lastChild.textContent = c.args;
			return el('div', {class: 'call'}, el('span', {class: 'muted'}, `${time} [${c.goroutine}] `), el('span', {title: c.file}, `${c.file.split('/').pop()}:${c.line}`),
				el('span', {title: c.function}, `  ${short(c.function)}`), `  ${c.args ?? ''}`, labels(c));
		}
		return el('div', {class: 'call'}, el('span', {class: 'muted'}, `${time} [${c.goroutine}] `), el('span', {class: 'took'}, c.end === 'enter' ? '>' : duration(c.duration_ns)),
			el('span', {title: c.function}, ` ${short(c.function)}`), c.hidden ? '(***)' : c.args ? `(${c.args})` : '', c.results ? el('span', {}, ' = ' + c.results) : '',
			c.end === 'panic' || c.panic ? el('b', {class: 'bad'}, ' panicked' + (c.panic ? ': ' + c.panic : '')) : '', labels(c));
	}

	async function begin(task) {
		const body = {session, task, targets: [], min_ns: Math.round(1e6 * Number(least.value || 0)), limit: Number(limit.value || 20)};
		if (task !== 'record') {
			if (!func.reportValidity()) return;
			body.targets = func.value === chosen.text ? chosen.targets : func.value.split(',').map(t => t.trim()).filter(Boolean);
		}
		if (task === 'watch') {
			body.if = condition.value.trim();
			const lines = body.targets.some(isLine);
			const answer = agreed && body.targets.every(isLine) ? 'values' : await ask(lines);
			if (!answer) return;
			body.values = answer === 'values';
			agreed ||= lines;
		}
		try {
			await post('api/live/start', body);
		} catch (err) {
			(task === 'record' ? recorded : said).replaceChildren(errorBox(err));
		}
	}

	function finish(task) { return post('api/live/stop', {session, task}).catch(err => said.replaceChildren(errorBox(err))); }

	// ask asks whether values may be shown: 'values', 'none', or '' to do nothing.
	function ask(lines) {
		without.hidden = lines; // a line has nothing else to show
		forAll.hidden = !lines;
		return new Promise(done => {
			dialog.returnValue = '';
			dialog.addEventListener('close', () => done(dialog.returnValue), {once: true});
			dialog.showModal();
		});
	}

	function begun(e) {
		if (e.task === 'watch') setWatched(e.targets ?? []);
		const functions = `${count(e.change.functions)} functions`;
		if (e.task === 'record') {
			recording = true;
			record.setAttribute('aria-pressed', 'true');
			record.textContent = 'Stop recording';
			recorded.textContent = `recording ${functions} into ${e.change.path}`;
		} else if (e.task === 'sample') {
			sampling = true;
			again.setAttribute('aria-pressed', 'true');
			onVisibility();
		} else if (e.task !== 'top') said.textContent = `${e.task === 'watch' ? 'watching' : 'tracing'} ${functions}` + (e.change.note ? `; ${e.change.note}` : '');
	}

	function ended(e) {
		if (e.task === 'watch') setWatched([]);
		if (e.task === 'record') {
			recording = false;
			record.setAttribute('aria-pressed', 'false');
			record.textContent = 'Record';
			recorded.textContent = e.text;
		} else if (e.task === 'sample') {
			endSample();
			if (!on.size) empty.textContent += ` The sample has ended${e.text ? ': ' + e.text : ''}; Sample begins a new one.`;
		} else if (e.task !== 'top') said.textContent = `${e.task} has ended` + (e.text ? `: ${e.text}` : '');
		else if (e.text) state.textContent = e.text;
	}

	// openSource shows the file of a function. A click on a line's number watches it.
	async function openSource(f) {
		const name = f.file.split('/').pop();
		func.value = `${name}:`;
		func.focus();
		let answer;
		try {
			answer = await get('api/live/source', {session, file: f.file});
		} catch (err) {
			answer = {lines: [], note: err.message};
		}
		places = new Map();
		const line = (number, text) => {
			const place = `${f.file}:${number}`;
			const row = el('div', {class: 'line' + (number === f.line ? ' wanted' : ''), id: 'L' + number},
				el('button', {type: 'button', class: 'number lineno', 'aria-pressed': String(watched.has(place)), title: COSTS.line, 'aria-label': `Watch line ${number}`, onclick: () => toggleLine(place)}, String(number)),
				el('code', {}, text), el('span', {class: 'hit mono'}));
			places.set(place, row);
			return row;
		};
		source.replaceChildren(el('div', {class: 'bar'}, el('h2', {}, name), el('span', {class: 'muted mono'}, f.file), el('span', {class: 'grow'}),
			el('button', {type: 'button', onclick: () => { source.hidden = true; }}, 'Close')),
			el('p', {class: 'muted'}, answer.lines.length ? 'A click on a number watches the line, with the condition above. ' : '', answer.note),
			answer.lines.length ? code(f.file, answer.lines, line) : '');
		source.hidden = false;
		const at = document.getElementById('L' + f.line);
		if (at) at.parentElement.parentElement.scrollTop = at.offsetTop - at.parentElement.parentElement.offsetTop - 80;
		source.scrollIntoView({block: 'nearest'});
	}

	// setWatched marks the lines among targets, which are watched. Only what the stream says counts: a watch may be
	// refused, replaced, or at its end before its start is answered.
	function setWatched(targets) {
		watched = new Set(targets.filter(isLine));
		for (const [place, row] of places) row.firstChild.setAttribute('aria-pressed', String(watched.has(place)));
	}

	// toggleLine watches a line beside those that are watched, or no more.
	function toggleLine(place) {
		last = last.then(() => {
			const next = new Set(watched);
			if (!next.delete(place)) next.add(place);
			chosen = {text: [...next].join(', '), targets: [...next]};
			func.value = chosen.text;
			return next.size ? begin('watch') : finish('watch');
		});
	}

	return () => {
		document.removeEventListener('visibilitychange', onVisibility);
		stream.close(); // the session ends with it
		notice('');
	};
}

function isLine(target) { return /\.go:\d+$/.test(target); }

function share(part, whole) { return part ? percent(part / whole) : ''; }

// about marks a number of a function that is estimated, as some calls came too fast to be timed.
function about(f, text) { return f.untimed ? '≈' + text : text; }

// counted marks a number of calls that is estimated, as for some time nobody counted.
function counted(f, text) { return f.gaps ? '≈' + text : text; }

function figure(name, text) { return el('div', {class: 'figure'}, el('span', {class: 'muted'}, name), el('b', {}, text)); }

// short leaves out the path of the package.
function short(name) {
	const end = name.search(/[[(]/);
	const slash = name.lastIndexOf('/', end < 0 ? name.length : end);
	return name.slice(slash + 1);
}

// spark draws the latest numbers.
function spark(points) {
	const width = 90, height = 18, most = Math.max(1, ...points);
	const path = points.map((p, i) => `${i ? 'L' : 'M'}${((i + HISTORY - points.length) * width / (HISTORY - 1)).toFixed(1)} ${(height - 1 - (height - 3) * p / most).toFixed(1)}`).join('');
	return svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, class: 'spark', 'aria-hidden': 'true'}, svg('path', {d: path || 'M0 0'}));
}
