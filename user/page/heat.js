// SPDX-License-Identifier: GPL-2.0-only
// The heat map, where there is a log of samples: a column is a second, from its beginning at the top, and a
// cell a part of it. A stretch of cells is what is shown, or what that is compared with.

const HEAT_ROW = 4, HEAT_COLUMN = 24; // pixels, of a column at most
const HEAT_SECONDS = 60; // the last ones, unless a stretch of the time axis is shown
const HEAT_AROUND = 30; // seconds before and behind a stretch that the address names
const HEAT_AXIS = 18; // pixels below it, for the time

const heat = {known: null, query: "", turn: 0, cursor: -1, anchor: -1, canvas: null, width: 1};

// --- what is drawn ---------------------------------------------------------------------------------

function heatCovers(stretch) {
	const {known} = heat;
	return known && known.event === scene.profile.sent.event && stretch.from >= known.start &&
		stretch.to <= known.start + known.cells.length / known.parts;
}

// What to ask the log for; nothing: it is there.
function heatQuery() {
	const at = scene.state.at && timesParse(scene.state.at);
	const query = new URLSearchParams({format: "heat", type: scene.profile.sent.event});
	if (at && at.isLog && heatCovers(at))
		return "";
	if (!at) {
		query.set("last", HEAT_SECONDS);
	} else {
		const around = at.isLog ? HEAT_AROUND : 0;
		query.set("from", Math.floor(at.from) - around);
		query.set("to", Math.ceil(at.to) + around);
	}
	return query.toString();
}

async function heatLoad() {
	const query = heatQuery();
	if (!query || (query === heat.query && scene.state.at))
		return;
	const turn = ++heat.turn;
	const answer = await fetch("debug/pyperf/log?" + query);
	if (turn !== heat.turn)
		return;
	if (!answer.ok) {
		document.getElementById("heat-about").textContent = (await answer.text()).trim();
		return;
	}
	Object.assign(heat, {known: await answer.json(), query, cursor: -1, anchor: -1});
	heatPaint();
}

// Where there is a log, and asked for only while somebody looks.
function heatShow() {
	const place = document.getElementById("heat");
	place.hidden = !times.known || !times.known.log;
	if (!place.hidden && scene.state.heat && scene.profile)
		heatLoad().then(heatPaint);
}

// The first and the last cell of a stretch; null: it is not in here.
function heatPlaces(stretch) {
	const {start, parts, cells} = heat.known;
	const {from, to} = timesParse(stretch);
	const first = Math.round((from - start) * parts), last = Math.round((to - start) * parts) - 1;
	return last < 0 || first >= cells.length ? null :
		[Math.max(first, 0), Math.min(last, cells.length - 1)];
}

function heatChosen() {
	return [Math.min(heat.cursor, heat.anchor), Math.max(heat.cursor, heat.anchor)];
}

function heatPaintCells(pen) {
	const {known: {cells, parts}, width} = heat;
	const most = Math.max(...cells, 1);
	pen.fillStyle = "#e8764b";
	cells.forEach((value, i) => {
		pen.globalAlpha = value ? 0.15 + 0.85 * value / most : 0.04;
		pen.fillRect(Math.floor(i / parts) * width, i % parts * HEAT_ROW, Math.max(width - 1, 1),
			HEAT_ROW - 0.5);
	});
	pen.globalAlpha = 1;
}

function heatPaintStretch(pen, places, colour) {
	if (!places)
		return;
	const {known: {parts}, width} = heat;
	pen.fillStyle = colour;
	pen.globalAlpha = 0.55;
	for (let i = places[0]; i <= places[1]; i++)
		pen.fillRect(Math.floor(i / parts) * width, i % parts * HEAT_ROW, width, HEAT_ROW);
	pen.globalAlpha = 1;
}

function heatPaintAxis(pen, height) {
	const {known: {start, cells, parts}, width} = heat;
	const step = Math.max(1, Math.ceil(90 / width));
	pen.fillStyle = getComputedStyle(document.body).color;
	pen.font = "11px system-ui, sans-serif";
	for (let second = 0; second < cells.length / parts; second += step)
		pen.fillText(timesText(start + second), second * width, height - 5);
}

function heatPaint() {
	if (!heat.known || !scene.state.heat)
		return;
	const {canvas, known} = heat;
	const columns = known.cells.length / known.parts;
	heat.width = Math.min(HEAT_COLUMN, canvas.parentNode.clientWidth / Math.max(columns, 1));
	const ratio = window.devicePixelRatio || 1;
	const width = Math.max(columns * heat.width, 100), height = known.parts * HEAT_ROW + HEAT_AXIS;
	Object.assign(canvas, {width: width * ratio, height: height * ratio});
	Object.assign(canvas.style, {width: width + "px", height: height + "px"});
	const pen = canvas.getContext("2d");
	pen.scale(ratio, ratio);
	heatPaintCells(pen);
	const {at, base} = scene.state;
	for (const [stretch, colour] of [[base, "#5a6ea3"], [at, "#2f81f7"]])
		if (stretch && timesParse(stretch).isLog)
			heatPaintStretch(pen, heatPlaces(stretch), colour);
	if (heat.cursor >= 0)
		heatPaintStretch(pen, heatChosen(), "#2f81f7");
	heatPaintAxis(pen, height);
	heatSay();
	canvas.dataset.start = known.start; // for the tests
}

function heatSay() {
	const {known} = heat;
	const sum = (first, last) => known.cells.slice(first, last + 1).reduce((all, one) => all + one, 0);
	const words = (first, last) => timesExact(known.start + first / known.parts) + " to " +
		timesExact(known.start + (last + 1) / known.parts) + ", " +
		wordsAmount(sum(first, last), known);
	const parts = [heat.cursor >= 0 ? "here: " + words(...heatChosen()) :
		words(0, known.cells.length - 1) + ", a cell is " + 1000 / known.parts + " ms"];
	document.getElementById("heat-about").textContent = parts.join("; ");
}

// --- what is done ----------------------------------------------------------------------------------

function heatMove(place, isLonger) {
	heat.cursor = Math.max(0, Math.min(place, heat.known.cells.length - 1));
	if (!isLonger)
		heat.anchor = heat.cursor;
	heatPaint();
}

function heatTake() {
	const [first, last] = heatChosen();
	const {start, parts} = heat.known;
	heat.cursor = -1;
	const at = cell => (start + cell / parts).toFixed(3);
	timesTake("log:" + at(first) + "-" + at(last + 1));
}

function heatPlace(event) {
	const box = heat.canvas.getBoundingClientRect();
	const {parts, cells} = heat.known;
	const column = Math.floor((event.clientX - box.left) / heat.width);
	const row = Math.floor((event.clientY - box.top) / HEAT_ROW);
	return Math.max(0, Math.min(column, cells.length / parts - 1)) * parts +
		Math.max(0, Math.min(row, parts - 1));
}

function heatKeys(event) {
	const {known, cursor} = heat;
	if (!known)
		return;
	const last = known.cells.length - 1;
	const steps = {ArrowUp: -1, ArrowDown: 1, ArrowLeft: -known.parts, ArrowRight: known.parts};
	const places = {Home: 0, End: last};
	if (event.key in steps)
		heatMove(cursor < 0 ? last : cursor + steps[event.key], event.shiftKey && cursor >= 0);
	else if (event.key in places)
		heatMove(places[event.key], event.shiftKey && cursor >= 0);
	else if (event.key === "Enter" && cursor >= 0)
		heatTake();
	else if (event.key === "Escape") {
		heat.cursor = -1;
		chooseNewest();
	} else
		return;
	event.preventDefault();
}

function heatOpen() {
	const place = document.getElementById("heat");
	heat.canvas = wordsElement("canvas", {tabIndex: 0, role: "application",
		"aria-describedby": "heat-about",
		"aria-label": "heat map: up and down within a second, left and right to another one, " +
			"with Shift a longer stretch, Enter takes it"});
	document.getElementById("heat-map").append(heat.canvas);
	place.addEventListener("toggle", () => {
		if (place.open !== !!scene.state.heat)
			sceneChange({heat: place.open ? "yes" : ""}, false);
		heatShow();
	});
	chooseDrag(heat.canvas, () => heat.known, (event, isLonger) => heatMove(heatPlace(event), isLonger),
		heatTake);
	heat.canvas.addEventListener("keydown", heatKeys);
	window.addEventListener("resize", heatPaint);
}
