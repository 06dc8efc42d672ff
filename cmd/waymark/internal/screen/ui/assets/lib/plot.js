// Small drawings.

import {svg} from './dom.js';

// steps draws numbers as an area, from left to right.
export function steps(numbers, {width = 600, height = 90, label}) {
	const most = Math.max(1, ...numbers);
	const x = width / Math.max(1, numbers.length);
	let path = `M0 ${height}`;
	numbers.forEach((n, i) => {
		const y = (height - 2) * (1 - n / most) + 2;
		path += `L${(i * x).toFixed(1)} ${y.toFixed(1)}L${((i + 1) * x).toFixed(1)} ${y.toFixed(1)}`;
	});
	return svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'steps', preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
		svg('path', {d: path + `L${width} ${height}Z`}));
}

// canvas returns a canvas that is as wide as its place and sharp on every screen. draw gets the context,
// the width and the height in CSS pixels; it is called anew when the size or the colours change.
export function canvas(element, draw) {
	const context = element.getContext('2d');
	let frame = 0;
	const redraw = () => {
		frame = 0;
		const {width, height} = element.getBoundingClientRect();
		const ratio = devicePixelRatio || 1;
		element.width = Math.max(1, Math.round(width * ratio));
		element.height = Math.max(1, Math.round(height * ratio));
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		draw(context, width, height);
	};
	const ask = () => { frame ||= requestAnimationFrame(redraw); };
	const watch = new ResizeObserver(ask);
	watch.observe(element);
	const dark = matchMedia('(prefers-color-scheme: dark)');
	dark.addEventListener('change', ask);
	return {redraw: ask, stop() { watch.disconnect(); dark.removeEventListener('change', ask); cancelAnimationFrame(frame); }};
}

// colour returns a colour of the style sheet, as in colour('accent').
export function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); }
