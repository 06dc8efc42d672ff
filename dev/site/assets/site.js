// Searches the sections of all pages for all words that are typed.
"use strict";
{
	const nav = document.querySelector("nav"), current = nav.querySelector(".current");
	if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 3;

	const root = document.documentElement.dataset.root, most = 30;
	const input = document.querySelector("header input"), found = document.querySelector("#found");

	// Each is [address, page, heading, text]. They are loaded when somebody is about to search.
	let loading;
	const index = () => loading ??= new Promise((done, failed) => {
		const script = document.createElement("script");
		script.src = root + "index.js";
		script.onload = () => done(sections);
		script.onerror = failed;
		document.head.append(script);
	});

	// A word counts more in a heading than in a page's title, and there more than in the text.
	const score = ([, page, heading, text], words) => {
		let sum = 0;
		for (const word of words) {
			const times = text.toLowerCase().split(word).length - 1;
			const points = 10 * heading.toLowerCase().includes(word) + 4 * page.toLowerCase().includes(word) + Math.min(times, 3);
			if (points === 0) return 0;
			sum += points;
		}
		return sum;
	};

	// marked returns an element with the words in it marked.
	const marked = (tag, text, words) => {
		const element = document.createElement(tag);
		const any = new RegExp(`(${words.map(RegExp.escape ?? (w => w.replace(/[^\w\s]/g, "\\$&"))).join("|")})`, "i");
		text.split(any).forEach((part, i) => {
			element.append(i % 2 ? Object.assign(document.createElement("mark"), {textContent: part}) : part);
		});
		return element;
	};

	const excerpt = (text, words) => {
		const at = Math.min(...words.map(w => text.toLowerCase().indexOf(w)).filter(i => i >= 0), text.length);
		const from = at < 60 || at === text.length ? 0 : text.indexOf(" ", at - 60) + 1;
		const to = text.length <= from + 160 ? text.length : text.lastIndexOf(" ", from + 160);
		return (from ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
	};

	const search = async () => {
		const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		const list = await index();
		const hits = words.length ? list.map(s => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]) : [];
		found.replaceChildren(...hits.slice(0, most).map(([, [address, page, heading, text]]) => {
			const a = document.createElement("a");
			a.href = root + address;
			a.append(marked("span", heading === page ? page : `${page} › ${heading}`, words), marked("small", excerpt(text, words), words));
			const item = document.createElement("li");
			item.append(a);
			return item;
		}));
		if (words.length && !hits.length) found.textContent = "No section has all these words.";
		found.hidden = words.length === 0;
	};

	const close = () => { found.hidden = true; };
	input.addEventListener("focus", index);
	input.addEventListener("input", search);
	found.addEventListener("click", close);
	document.addEventListener("click", e => e.target.closest("header") || close());
	document.addEventListener("keydown", e => {
		const links = [...found.querySelectorAll("a")], at = links.indexOf(document.activeElement);
		const step = {ArrowDown: 1, ArrowUp: -1}[e.key];
		if (e.key === "Escape") {
			close();
		} else if (e.key === "/" && document.activeElement !== input) {
			e.preventDefault();
			input.focus();
		} else if (e.key === "Enter" && document.activeElement === input) {
			links[0]?.click();
		} else if (step && !found.hidden) {
			e.preventDefault();
			(links[at + step] ?? input).focus();
		}
	});
}
