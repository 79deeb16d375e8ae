// SPDX-License-Identifier: GPL-2.0-only
// The time axis: a strip of the last intervals for each kind of event. A stretch of it is what is shown, or
// what that is compared with.

const times = {known: null, cursor: -1, anchor: -1};

function timesText(seconds) {
	return new Date(seconds * 1000).toLocaleTimeString();
}

function timesExact(seconds) {
	const ms = Math.round(1000 * seconds);
	return timesText(Math.floor(ms / 1000)) + " +" + ms % 1000 + " ms";
}

// {isLog, from, to} of a stretch: of intervals, or to the sample, of the log.
function timesParse(stretch) {
	const isLog = stretch.startsWith("log:");
	const [from, to] = stretch.slice(isLog ? 4 : 0).split("-").map(Number);
	return {isLog, from, to};
}

// "from-to", Unix seconds, of intervals from one place to another, both included; "" = the newest.
function timesStretch(first, last) {
	const list = times.known.intervals;
	const end = list[last].start + list[last].seconds;
	return list[first].start.toFixed(3) + "-" + end.toFixed(3);
}

// The places of the first interval and the last one of a stretch, by their middles as the server does it.
function timesPlaces(stretch) {
	const {isLog, from, to} = timesParse(stretch);
	if (isLog)
		return null;
	const middles = times.known.intervals.map(one => one.start + one.seconds / 2);
	const inside = middles.map((middle, i) => middle >= from && middle < to ? i : -1).filter(i => i >= 0);
	return inside.length ? [inside[0], inside.at(-1)] : null;
}

function timesSpan() {
	const list = times.known.intervals;
	const start = list[0].start;
	const length = list.at(-1).start + list.at(-1).seconds - start;
	return {start, length, left: one => 100 * (one.start - start) / length,
		width: one => 100 * one.seconds / length};
}

function timesBars(event, kind) {
	const list = times.known.intervals;
	const rates = list.map(one => one.totals[kind] / one.seconds);
	const most = Math.max(...rates, 1e-9);
	const span = timesSpan();
	return wordsElement("div", {className: "bars"}, ...list.map((one, i) => {
		const bar = wordsElement("i");
		bar.style.left = span.left(one) + "%";
		bar.style.width = "calc(" + span.width(one) + "% - 1px)";
		bar.style.height = 100 * rates[i] / most + "%";
		bar.dataset.total = one.totals[kind];
		return bar;
	}));
}

// Of a stretch of the log, which may lie within an interval, or beyond those that are kept.
function timesMarkExact(name, {from, to}) {
	const {start, length} = timesSpan();
	if (from < start)
		return [];
	const mark = wordsElement("div", {className: "mark " + name});
	mark.style.left = Math.min(100 * (from - start) / length, 99.8) + "%";
	mark.style.width = Math.max(0.2, Math.min(100 * (to - from) / length, 100)) + "%";
	return [mark];
}

function timesMark(name, stretch) {
	const newest = times.known.intervals.length - 1;
	if (stretch && timesParse(stretch).isLog)
		return timesMarkExact(name, timesParse(stretch));
	const places = stretch ? timesPlaces(stretch) : name === "shown" ? [newest, newest] : null;
	if (!places)
		return [];
	const span = timesSpan();
	const [first, last] = places.map(place => times.known.intervals[place]);
	const mark = wordsElement("div", {className: "mark " + name});
	mark.style.left = span.left(first) + "%";
	mark.style.width = span.left(last) + span.width(last) - span.left(first) + "%";
	return [mark];
}

function timesSay() {
	const list = times.known.intervals;
	const words = (name, stretch) => {
		const exact = stretch && timesParse(stretch);
		if (exact && exact.isLog)
			return name + " " + timesExact(exact.from) + " to " + timesExact(exact.to) +
				" of the log";
		const places = stretch ? timesPlaces(stretch) : [list.length - 1, list.length - 1];
		if (!places)
			return name + " what is gone";
		return name + " " + timesText(list[places[0]].start) + " to " +
			timesText(list[places[1]].start + list[places[1]].seconds) + ", " +
			(places[1] - places[0] + 1) + " of " + list.length + " intervals";
	};
	const parts = [words("shown:", scene.state.at)];
	if (scene.state.base)
		parts.push(words("compared with:", scene.state.base));
	if (times.cursor >= 0 && document.activeElement === document.getElementById("axis")) {
		const [first, last] = timesChosen();
		parts.push("here: " + timesText(list[first].start) + " to " +
			timesText(list[last].start + list[last].seconds));
	}
	document.getElementById("times-about").textContent = parts.join("; ");
}

// Of several kinds the one that is shown has a strip, and the others when they are asked for.
function timesIsNow(event, kind) {
	const {type} = scene.state;
	return type ? event.event === type : !kind;
}

function timesShow() {
	const place = document.getElementById("times");
	place.hidden = !times.known || !times.known.intervals.length;
	if (place.hidden)
		return;
	times.cursor = Math.min(times.cursor, times.known.intervals.length - 1);
	times.anchor = Math.min(times.anchor, times.known.intervals.length - 1);
	const rows = times.known.events.map((event, kind) => wordsElement("div",
		{className: timesIsNow(event, kind) ? "row now" : "row"},
		wordsElement("small", {}, event.resource), timesBars(event, kind)));
	document.getElementById("kinds").hidden = rows.length < 2;
	rovingShow(document.getElementById("time-tools"));
	const chosen = times.cursor >= 0 ? timesMark("cursor", timesStretch(...timesChosen())) : [];
	document.getElementById("axis").replaceChildren(...rows, wordsElement("div", {className: "marks"},
		...timesMark("base", scene.state.base), ...timesMark("shown", scene.state.at), ...chosen));
	timesSay();
}

function timesChosen() {
	return [Math.min(times.cursor, times.anchor), Math.max(times.cursor, times.anchor)];
}

// What was chosen is shown, or compared with.
function timesTake(stretch) {
	const which = document.querySelector("input[name=which]:checked").value;
	times.cursor = -1;
	sceneChange({[which]: stretch});
}
