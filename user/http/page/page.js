// SPDX-License-Identifier: GPL-2.0-only
// Draws flamegraph.json. The address's own query (?pid=12) selects the same part of it. Names come from foreign
// programs: they are only ever set as text.
"use strict";

const about = document.getElementById("about");
const frame = document.getElementById("frame");
const place = document.getElementById("flame");
const graph = flamegraph.default;
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
	chart = graph().width(place.clientWidth).cellHeight(18).minFrameSize(1).transitionDuration(150).inverted(true)
		.setLabelHandler(describe).setDetailsElement(null)
		.onHover(node => { frame.textContent = describe(node); });
	d3.select(place).datum(data).call(chart);
	const start = new Date(data.start * 1000).toLocaleTimeString();
	about.textContent = total + " samples in " + data.seconds + " s from " + start + (location.search ? ", of " +
		decodeURIComponent(location.search.slice(1)) : "");
	document.body.dataset.drawn = String(total); // for the tests
}

async function load() {
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
