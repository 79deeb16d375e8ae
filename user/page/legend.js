// SPDX-License-Identifier: GPL-2.0-only
// What the colours of the graph mean, as they are just now.

// What of Python there is, by package or file, the largest first: {name, value}.
function legendNames(profile, mode) {
	const {kinds} = profile.sent;
	const sums = new Map();
	profile.keys.forEach((key, i) => {
		if (!coloursIsPython(key, kinds))
			return;
		const name = coloursName(key, mode);
		sums.set(name, (sums.get(name) || 0) + profile.keySums[i]);
	});
	return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

// Of a profile that is new: what has most chooses its colour first.
function legendTake(profile) {
	if (profile.names)
		return;
	profile.names = {};
	profile.keySums = new Float64Array(profile.keys.length);
	for (let i = 0; i < profile.count; i++)
		if (profile.depth[i])
			profile.keySums[profile.of[i]] += profile.self[i];
	for (const mode of ["package", "file"]) {
		profile.names[mode] = legendNames(profile, mode);
		coloursTake(mode, profile.names[mode]);
	}
	profile.kindsSeen = new Set(profile.keys.map(key => key.kind));
}

function legendKinds(profile, isAll) {
	return profile.sent.kinds.filter((kind, i) =>
		isAll || (profile.kindsSeen.has(i) && kind.kind !== "python"))
		.map(kind => ({colour: kind.colour, text: kind.shown}));
}

const LEGEND_WORDS = {program: "the program's own", stdlib: "standard library"};

// {colour, text} of what is drawn by package or by file.
function legendOfNames(profile, mode) {
	const words = name => mode === "file" ? dataShort(name) || "no file" : LEGEND_WORDS[name] || name;
	const named = profile.names[mode].map(name =>
		({colour: coloursOfName(name, mode), text: words(name)}));
	const others = named.filter(one => one.colour === COLOURS_OTHERS);
	const apart = named.filter(one => one.colour !== COLOURS_OTHERS);
	if (others.length)
		apart.push({colour: COLOURS_OTHERS, text: others.length + " other " +
			(mode === "file" ? "files" : others.length > 1 ? "packages" : "package")});
	return [...apart, ...legendKinds(profile, false)];
}

function legendRows() {
	const {profile, pair, state} = scene;
	const mode = coloursMode();
	const one = [{colour: COLOURS_PROGRAM, text: "every frame"}];
	const rows = pair ? [...COMPARE_LEGEND] : mode === "kind" ? legendKinds(profile, true) :
		mode === "one" ? one : legendOfNames(profile, mode);
	if (state.search)
		rows.push({colour: COLOURS_FOUND, text: "found"});
	return rows;
}

function legendShow() {
	const {profile, state, pair} = scene;
	document.getElementById("legend").replaceChildren(...legendRows().map(row => {
		const patch = wordsElement("i");
		patch.style.backgroundColor = row.colour;
		return wordsElement("span", {}, patch, row.text);
	}));
	const hide = document.getElementById("hide");
	hide.checked = !!state.hide;
	// The server leaves native code out, and no file does: what that took is then its Python line's.
	hide.parentNode.hidden = !!document.getElementById("data") ||
		(!state.hide && !profile.keys.some(key => key.isNative));
	document.getElementById("colour").disabled = !!pair;
}

function legendOpen() {
	const colour = document.getElementById("colour"), hide = document.getElementById("hide");
	colour.replaceChildren(...Object.entries(COLOURS_MODES).map(([value, text]) =>
		wordsElement("option", {value}, text)));
	hide.addEventListener("change", () => sceneChange({hide: hide.checked ? "native" : ""}));
}
