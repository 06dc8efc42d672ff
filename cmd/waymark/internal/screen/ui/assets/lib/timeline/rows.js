// The rows of the timeline: groups of goroutines by the go statement that created them, and the
// lanes of those groups that are open. Lanes are asked for when they come into view: there may be
// 100,000.

import {get} from '../api.js';

export const line = 13; // CSS pixels of a level of calls
const strip = 5; // of the line that says when the goroutine ran
const gap = 6;
const head = 26; // of a group
const page = 100; // lanes that are asked for at a time
const tallest = 24; // levels of the lane that is chosen

// laneHeight returns the height of a lane with so many levels.
function laneHeight(levels) { return strip + Math.max(1, levels) * line + gap; }

// Rows knows where which row is. changed is called when lanes have come.
export class Rows {
	constructor(process, groups, changed) {
		this.process = process;
		this.changed = changed;
		this.groups = groups;
		const all = groups.reduce((n, g) => n + g.lanes, 0);
		for (const g of groups) {
			g.open = all <= 60 || g.lanes <= 8;
			g.levels = Math.min(g.depth, g.lanes <= 8 ? 10 : g.lanes <= 60 ? 6 : 4);
			g.list = new Map(); // lanes by their place
			g.asked = new Set();
		}
		this.tall = null; // {id, group, place, depth}: the lane that shows more levels than its neighbours
		this.skip = 0; // levels that it does not show
		this.layout();
	}

	// layout says where groups are.
	layout() {
		let y = 0;
		for (const g of this.groups) {
			g.y = y;
			g.each = laneHeight(g.levels);
			g.extra = this.tall?.group === g.group ? Math.max(0, laneHeight(this.tallLevels()) - g.each) : 0;
			y += head + (g.open ? g.lanes * g.each + g.extra : 0);
		}
		this.height = y;
	}

	tallLevels() { return this.tall ? Math.min(Math.max(this.tall.depth - this.skip, 1), tallest) : 0; }

	// levels returns how many levels the lane shows at most.
	levels(g, id) { return this.tall?.id === id ? Math.max(g.levels, this.tallLevels()) : g.levels; }

	laneY(g, place) {
		return g.y + head + place * g.each + (g.extra && place > this.tall.place ? g.extra : 0);
	}

	// visible returns the rows between two heights: {group, y, height} and {group, lane, place, y,
	// height}. It asks for lanes that are missing.
	visible(top, bottom) {
		const rows = [];
		for (const g of this.groups) {
			const end = g.y + head + (g.open ? g.lanes * g.each + g.extra : 0);
			if (end < top) continue;
			if (g.y > bottom) break;
			rows.push({group: g, y: g.y, height: head});
			if (!g.open) continue;
			let place = Math.max(0, Math.floor((top - g.y - head - g.extra) / g.each) - 1);
			for (; place < g.lanes; place++) {
				const y = this.laneY(g, place);
				if (y > bottom) break;
				const lane = g.list.get(place);
				const height = g.each + (g.extra && place === this.tall.place ? g.extra : 0);
				if (y + height >= top) rows.push({group: g, lane, place, y, height});
				if (!lane) this.ask(g, place);
			}
		}
		return rows;
	}

	async ask(g, place) {
		const first = place - place % page;
		if (g.asked.has(first)) return;
		g.asked.add(first);
		try {
			const answer = await get('api/timeline/lanes', {process: this.process, group: g.group, offset: first, limit: page});
			answer.lanes.forEach((lane, i) => g.list.set(first + i, lane));
			this.changed();
		} catch (err) {
			g.asked.delete(first);
			this.failed?.(err);
		}
	}

	// find opens the group of a goroutine and returns {group, lane, place}.
	async find(id) {
		const answer = await get('api/timeline/lanes', {process: this.process, goroutine: id, limit: page});
		const g = this.groups[answer.group];
		answer.lanes.forEach((lane, i) => g.list.set(answer.offset + i, lane));
		const place = answer.offset + answer.lanes.findIndex(l => l.id === id);
		if (!g.open) g.open = true;
		this.layout();
		return {group: g, lane: g.list.get(place), place};
	}

	// choose makes a lane show as many levels as it has, up to a bound, with the given one among them.
	choose(where, depth = 0) {
		this.tall = where && {id: where.lane.id, group: where.group.group, place: where.place, depth: where.lane.depth};
		this.skip = 0;
		if (where && depth >= tallest) this.skip = Math.max(0, depth - Math.floor(tallest / 2));
		this.layout();
	}

	// place returns where a goroutine is, if its lane is known.
	known(id) {
		for (const g of this.groups) {
			for (const [place, lane] of g.list) {
				if (lane.id === id) return {group: g, lane, place};
			}
		}
		return null;
	}
}

// Measures of a lane, from its top on.
export const measure = {strip, head, gap};

// groupName returns what a group is called.
export function groupName(g) {
	if (g.main) return 'main goroutine';
	if (!g.function) return 'goroutines whose start was not recorded';
	return g.function.replace(/^.*\//, '');
}
