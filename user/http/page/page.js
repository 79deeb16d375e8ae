// SPDX-License-Identifier: GPL-2.0-only
// Draws flamegraph.json. The address's own query (?pid=12) selects the same part of it. Names come from foreign
// programs: they are only ever set as text.
"use strict";

const about = document.getElementById("about");
const frame = document.getElementById("frame");
const place = document.getElementById("flame");
let chart = null;
let total = 0;

function describe(node) {
	const data = node.data;
	const share = total ? (100 * node.value / total).toFixed(1) : "0";
	return data.name + (data.file ? " (" + data.file + ")" : "") + ", " + node.value + " samples, " + share + " %";
}

function draw(data) {
	total = data.value;
	place.replaceChildren();
	chart = flamegraph.default().width(place.clientWidth).cellHeight(18).minFrameSize(1).transitionDuration(150).inverted(true)
		.setLabelHandler(describe).setDetailsElement(null)
		.onHover(node => { frame.textContent = describe(node); });
	d3.select(place).datum(data).call(chart);
	const start = new Date(data.start * 1000).toLocaleTimeString();
	about.textContent = total + " samples in " + data.seconds + " s from " + start + (location.search ? ", of " +
		decodeURIComponent(location.search.slice(1)) : "");
	document.body.dataset.drawn = String(total); // for the tests
}

async function load() {
	if (typeof d3 === "undefined" || typeof flamegraph === "undefined") {
		about.textContent = "This program was built without the flame graph's two libraries. 'make flamegraph' " +
			"fetches them from npm; then build again.";
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
load();
