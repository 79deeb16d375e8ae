// SPDX-License-Identifier: GPL-2.0-only
// Views beside the flame graph, each of one kind of event: a row of this list. One that has no data is not
// offered.

// What a row or a column of a table is of.
const VIEWS_LINE = {title: "line", of: pair => pair.own};
const VIEWS_REASON = {title: "waits for", of: pair =>
	pair.other && scene.keys[pair.other.key].isNative ? pair.other : null};
const VIEWS_HOLDER = {title: "who holds it", of: pair => pair.other && pair.own};
const VIEWS_WAITER = {title: "who waits", of: pair => pair.other || pair.own};

// Of which the line itself may be of a package.
function viewsCaller(title) {
	return {title, of: pair => pair.other};
}

// How many there were, all of the time.
function viewsAtOnce(what) {
	return (value, sent) => (sent.seconds ? value / 1e9 / sent.seconds : 0).toFixed(2) + " " + what;
}

function viewsGrowth(value, sent) {
	return (sent.seconds ? value / 1048576 / sent.seconds : 0).toFixed(2) + " MiB/s";
}

// show: as a matrix or as a list. none: what stands where nothing explains a line. rate: beside the amount.
const VIEWS = [
	{name: "waits", title: "waits", type: "offcpu", show: matrixShow,
		about: "Lines where threads wait, and what for",
		down: VIEWS_LINE, across: VIEWS_REASON, none: "not known", rate: viewsAtOnce("threads")},
	{name: "gil", title: "the GIL", type: "gil", show: matrixShow,
		about: "Lines that wait for the GIL, and which line holds it meanwhile",
		down: VIEWS_WAITER, across: VIEWS_HOLDER, none: "not known", rate: viewsAtOnce("threads")},
	{name: "memory", title: "memory", type: "memory", show: matrixList,
		about: "Lines at which processes grow", amount: "grown",
		down: VIEWS_LINE, across: viewsCaller("called in"), none: "", rate: viewsGrowth},
	{name: "tasks", title: "tasks", type: "tasks", show: matrixList,
		about: "Where asyncio tasks wait, and which line of the program awaits that",
		amount: "task time", down: VIEWS_LINE, across: viewsCaller("who awaits it"), none: "",
		rate: viewsAtOnce("tasks")},
	{name: "loop", title: "loop turns", type: "loop", show: matrixShow,
		about: "Lines that keep an event loop from everybody else, and how the time passed",
		down: VIEWS_LINE, across: VIEWS_REASON, none: "on a CPU", rate: viewsAtOnce("loops")},
];

function viewsRow(name) {
	return VIEWS.find(view => view.name === name);
}

// The view that is shown; nothing: the flame graph. Without native code it is not known what was waited for.
function viewsNow() {
	const view = viewsRow(scene.state.view);
	const {profile, state} = scene;
	return view && profile && profile.sent.event === view.type && !state.hide ? view : null;
}

// Kinds of events of which something was counted.
function viewsKinds() {
	const kinds = new Set(scene.kinds);
	if (times.known)
		times.known.events.forEach(({event}, kind) =>
			times.known.intervals.some(one => one.totals[kind]) && kinds.add(event));
	return kinds;
}

function viewsChange(view) {
	if (!view)
		return {view: ""};
	return {view: view.name, type: view.type, hide: "", zoom: "", focus: "", base: ""};
}

function viewsButton(view, isNow) {
	const button = wordsElement("button", {type: "button", "aria-pressed": String(isNow)},
		view ? view.title : "flame graph");
	button.dataset.view = view ? view.name : "";
	button.addEventListener("click", () => sceneChange(viewsChange(view)));
	return button;
}

function viewsOffer() {
	const kinds = viewsKinds(), now = viewsNow();
	const offered = VIEWS.filter(view => kinds.has(view.type));
	const place = document.getElementById("views");
	const texts = offered.map(view => view.name + (view === now)).join();
	place.hidden = !offered.length;
	if (place.dataset.texts === texts) // the keyboard's place stays
		return;
	place.dataset.texts = texts;
	const focused = place.contains(document.activeElement) ? document.activeElement.dataset.view : null;
	place.replaceChildren(viewsButton(null, !now),
		...offered.map(view => viewsButton(view, view === now)));
	for (const button of focused === null ? [] : place.children)
		if (button.dataset.view === focused)
			button.focus();
	rovingShow(place);
}

function viewsShow() {
	const view = viewsNow();
	const place = document.getElementById("view");
	viewsOffer();
	place.hidden = !view;
	document.getElementById("drawn").hidden = !!view;
	place.dataset.view = "";
	if (!view)
		return;
	const {profile, state, takes, found} = scene;
	const pairs = pairsOf(profile, takes, state.filters).filter(pair => !state.search ||
		found[pair.own.key] || (pair.other && found[pair.other.key]));
	const sums = pairsSum(pairs, view.down.of, view.across.of);
	const about = view.about + ", " + wordsAmount(sums.total, profile.sent);
	place.replaceChildren(view.show(view, sums, about));
	Object.assign(place.dataset, {view: view.name, total: sums.total}); // for the tests
}
