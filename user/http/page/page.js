// SPDX-License-Identifier: GPL-2.0-only
// Draws flamegraph.json. The address's own query (?pid=12) selects the same part of it. Shows stacks. Names
// come from foreign programs: they are only ever set as text.
"use strict";

const about = document.getElementById("about");
const frame = document.getElementById("frame");
const place = document.getElementById("flame");
let chart = null;
const legend = document.getElementById("legend");
let total = 0;
let values = ""; // what they are of
let colours = {}; // by kind of frame
let first = ""; // the kind of frames that name none

function amount(value) {
	if (values === "nanoseconds")
		return (value / 1e9).toFixed(value < 1e7 ? 6 : 2) + " s";
	if (values === "bytes")
		return (value / 1048576).toFixed(2) + " MiB";
	return value + " " + values;
}

function describe(node) {
	const data = node.data;
	const share = total ? (100 * node.value / total).toFixed(1) : "0";
	const where = data.file ? " (" + data.file + ")" : "";
	return data.name + where + ", " + amount(node.value) + ", " + share + " %";
}

// Lighter by up to a third, by the name, so that neighbours of one kind can be told apart.
function shade(colour, name) {
	let sum = 0;
	for (const letter of name)
		sum = (31 * sum + letter.codePointAt(0)) % 1009;
	return d3.interpolateRgb(colour, "#ffffff")(sum / 1009 / 3);
}

// The outermost rows, the whole, the processes and the endpoints, are no frames. What a search has found
// keeps its own colour.
function paint(node, usual) {
	if (node.highlight || node.depth < 2 || node.data.kind === "endpoint")
		return usual;
	return shade(colours[node.data.kind || first], node.data.name);
}

function hasAny(data, kinds) {
	return kinds.has(data.kind) || (data.children || []).some(child => hasAny(child, kinds));
}

// The server leaves them out: what they took is then their Python line's.
function offerToHide(data) {
	const query = new URLSearchParams(location.search);
	const native = new Set(data.kinds.filter(kind => kind.native).map(kind => kind.kind));
	if (!query.has("hide") && !hasAny(data, native))
		return;
	const label = document.createElement("label");
	const box = document.createElement("input");
	box.type = "checkbox";
	box.id = "hide";
	box.checked = query.has("hide");
	box.addEventListener("change", () => {
		if (box.checked)
			query.set("hide", "native");
		else
			query.delete("hide");
		location.search = query.toString();
	});
	label.append(box, "hide native code");
	legend.append(label);
}

function explain(kinds) {
	legend.replaceChildren();
	for (const kind of kinds) {
		const entry = document.createElement("span");
		const patch = document.createElement("i");
		patch.style.backgroundColor = kind.colour;
		entry.append(patch, kind.shown);
		legend.append(entry);
		colours[kind.kind] = kind.colour;
	}
	first = kinds[0].kind;
}

function draw(data) {
	total = data.value;
	values = data.values;
	explain(data.kinds);
	offerToHide(data);
	place.replaceChildren();
	chart = flamegraph.default().width(place.clientWidth).cellHeight(18).minFrameSize(1)
		.transitionDuration(150).inverted(true)
		.setLabelHandler(describe).setDetailsElement(null).setColorMapper(paint)
		.onHover(node => { frame.textContent = describe(node); });
	d3.select(place).datum(data).call(chart);
	const start = new Date(data.start * 1000).toLocaleTimeString();
	const part = location.search ? ", of " + decodeURIComponent(location.search.slice(1)) : "";
	about.textContent = amount(total) + " in " + data.seconds + " s from " + start + part;
	document.body.dataset.drawn = String(total); // for the tests
}

// The links to the kinds of events keep the rest of the query. The first kind is what comes without one.
function offerEvents() {
	const links = document.querySelectorAll("#events a");
	const now = new URLSearchParams(location.search).get("type");
	links.forEach((link, i) => {
		const query = new URLSearchParams(location.search);
		const type = new URLSearchParams(link.search).get("type");
		query.set("type", type);
		link.search = query.toString();
		if (type === now || (!now && !i))
			link.setAttribute("aria-current", "page");
	});
}

async function load() {
	if (typeof d3 === "undefined" || typeof flamegraph === "undefined") {
		about.textContent = "This program was built without the flame graph's two libraries. " +
			"'make flamegraph' fetches them from npm; then build again.";
		return;
	}
	const answer = await fetch("flamegraph.json" + location.search);
	if (answer.ok) {
		draw(await answer.json());
		return;
	}
	about.textContent = (await answer.text()).trim();
	if (answer.status === 503)
		setTimeout(load, 1000);
}

// --- what a process's threads do now: the address's part behind the '#' says of which process ---

const LINES_TOLD_APART = 20000;

function showStacks(text) {
	const place = document.getElementById("stacks-text");
	const lines = text.split("\n");
	if (lines.length > LINES_TOLD_APART) {
		place.textContent = text;
		return;
	}
	place.replaceChildren(...lines.map(line => {
		const row = document.createElement(line.startsWith("  Thread ") ? "b" : "span");
		row.textContent = line + "\n";
		return row;
	}));
}

async function loadStacks() {
	const wanted = /^#stacks=(\d+)$/.exec(location.hash);
	const section = document.getElementById("stacks");
	section.hidden = !wanted;
	if (!wanted)
		return;
	const about = document.getElementById("stacks-about");
	about.textContent = "process " + wanted[1] + ": looking";
	const more = document.getElementById("stacks-async").checked ? "&async=1" : "";
	try {
		const answer = await fetch("debug/pyperf/stacks?pid=" + wanted[1] + more);
		const text = await answer.text();
		if (location.hash !== wanted[0]) // another process was asked for meanwhile
			return;
		showStacks(text);
		about.textContent = "process " + wanted[1] + " at " + new Date().toLocaleTimeString();
	} catch (failure) {
		about.textContent = "process " + wanted[1] + ": no answer";
	}
	section.scrollIntoView();
}

document.addEventListener("DOMContentLoaded", () => {
	for (const link of document.querySelectorAll("a.now"))
		link.setAttribute("href", "#stacks=" + new URL(link.href).searchParams.get("pid"));
	document.getElementById("stacks-again").addEventListener("click", loadStacks);
	document.getElementById("stacks-async").addEventListener("change", loadStacks);
	loadStacks();
});
window.addEventListener("hashchange", loadStacks);

document.getElementById("search").addEventListener("input", event => {
	if (chart)
		chart.search(event.target.value);
});
document.getElementById("reset").addEventListener("click", () => {
	if (location.search)
		location.search = "";
	else if (chart)
		chart.resetZoom();
});
document.getElementById("refresh").addEventListener("click", () => location.reload());
offerEvents();
load();
