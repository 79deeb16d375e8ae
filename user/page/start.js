// SPDX-License-Identifier: GPL-2.0-only
// Loads profiles and shows them; follows the run.

const LOAD_KEPT = 6; // profiles of stretches that are over, which never change
const loaded = {turn: 0, kept: new Map(), follow: null};

function loadQuery(state, stretch) {
	const query = new URLSearchParams();
	for (const key of ["type", "hide"])
		if (state[key])
			query.set(key, state[key]);
	const {isLog, from, to} = timesParse(stretch || "");
	if (stretch) {
		query.set("from", from.toFixed(3));
		query.set("to", to.toFixed(3));
	}
	if (isLog)
		query.set("format", "graph");
	const text = query.toString();
	return "debug/pyperf/" + (isLog ? "log" : "interval") + (text && "?" + text);
}

async function loadProfile(stretch) {
	const query = loadQuery(scene.state, stretch);
	if (loaded.kept.has(query))
		return loaded.kept.get(query);
	const answer = await fetch(query);
	if (!answer.ok)
		throw {status: answer.status, text: (await answer.text()).trim()};
	const profile = dataRead(await answer.json());
	if (stretch) {
		loaded.kept.set(query, profile);
		if (loaded.kept.size > LOAD_KEPT)
			loaded.kept.delete(loaded.kept.keys().next().value);
	}
	return profile;
}

// A later call makes an earlier one that is still under way void.
async function load() {
	const file = document.getElementById("data");
	if (file) {
		loadFile(file);
		return;
	}
	const turn = ++loaded.turn;
	controlsShow(scene.state);
	try {
		const {at, base} = scene.state;
		times.known = await loadIntervals();
		loadShow();
		const [profile, before] = await Promise.all([loadProfile(at),
			base ? loadProfile(base) : null]);
		if (turn !== loaded.turn)
			return;
		Object.assign(scene, {profile, base: before});
		sceneFromState(false);
		loadShow();
		processesLoad();
	} catch (failure) {
		if (turn !== loaded.turn)
			return;
		aboutSay(failure.text || "no answer: " + failure);
		if (failure.status === 503)
			setTimeout(load, 1000);
	}
}

async function loadIntervals() {
	const answer = await fetch("debug/pyperf/intervals");
	return answer.ok ? answer.json() : times.known;
}

function loadShow() {
	timesShow();
	viewsOffer();
	heatShow();
	if (times.known)
		booksShow(times.known, scene.profile ? scene.profile.sent.event : scene.state.type);
}

// Each event is the end of an interval. Who looks at another stretch only sees the axis grow.
async function loadNext() {
	if (scene.state.live)
		return;
	if (!scene.state.at) {
		load();
		return;
	}
	times.known = await loadIntervals();
	loadShow();
	processesLoad();
}

// A browser has six connections to a server for all of its tabs, and who follows keeps one: a tab that nobody
// sees does not follow.
function loadFollow() {
	if (loaded.follow)
		loaded.follow.close();
	loaded.follow = document.hidden ? null : new EventSource("debug/pyperf/follow");
	if (loaded.follow)
		loaded.follow.addEventListener("interval", loadNext);
}

// A file that works without a server has its profiles in it.
function loadFile(element) {
	const profiles = JSON.parse(element.textContent);
	scene.kinds = profiles.filter(one => one.total).map(one => one.event);
	const sent = profiles.find(one => one.event === scene.state.type) || profiles[0];
	scene.profile = dataRead(sent);
	sceneFromState(false);
}

document.addEventListener("DOMContentLoaded", () => {
	scene.state = stateRead(location.search);
	sceneOpen();
	legendOpen();
	controlsOpen();
	keysOpen();
	load();
	if (document.getElementById("data"))
		return;
	chooseOpen();
	heatOpen();
	processesOpen();
	stacksOpen();
	loadFollow();
	document.addEventListener("visibilitychange", () => {
		loadFollow();
		if (!document.hidden)
			loadNext();
	});
});
window.addEventListener("popstate", () => {
	scene.state = stateRead(location.search);
	load();
});
// On paper nothing scrolls: all rows are drawn.
for (const [name, isPrinted] of [["beforeprint", true], ["afterprint", false]])
	window.addEventListener(name, () => {
		for (const flame of [scene.flame, scene.callers]) {
			flame.isPrinted = isPrinted;
			flamePaint(flame);
		}
	});
window.addEventListener("resize", () => scene.profile && scenePaint());
