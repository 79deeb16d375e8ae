// SPDX-License-Identifier: GPL-2.0-only
// The colour of a frame: of Python code by its package, its file or not at all, of the rest by its kind. By
// its name it is lighter by up to an eighth, so that neighbours can be told apart. All of these colours
// differ for who does not see red, green or blue, too: tests/e2e/serving/test_page_colours.py says how much.

const COLOURS_FOUND = "#c026d3";
const COLOURS_GROUP = "#c3cbd4";
const COLOURS_PROGRAM = "#f2722b"; // the strongest
const COLOURS_STANDARD = "#dbc083";
const COLOURS_PACKAGES = ["#5288b8", "#3d7732", "#87dad5", "#9aa2f8", "#b4d840", "#7d4f89"];
const COLOURS_OTHERS = "#f1e4ea"; // packages, or files, for which there is no colour left
const COLOURS_MODES = {package: "by package", file: "by file", kind: "by kind of frame", one: "one"};

// Packages and files that have a colour, which they keep while the page is open.
const colours = {package: new Map(), file: new Map()};

function coloursHash(text) {
	let sum = 0;
	for (const letter of text)
		sum = (31 * sum + letter.codePointAt(0)) % 1009;
	return sum;
}

function coloursShade(colour, name) {
	const part = coloursHash(name) / 1009 / 8;
	const channel = at => {
		const value = parseInt(colour.slice(at, at + 2), 16);
		return Math.round(value + (255 - value) * part);
	};
	return "rgb(" + channel(1) + "," + channel(3) + "," + channel(5) + ")";
}

// Black or white, whichever stands out more from "#rrggbb" or "rgb(r,g,b)": 4.5 to 1 at least.
function coloursText(colour) {
	const parts = colour[0] === "#" ? [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16)) :
		colour.match(/\d+/g).map(Number);
	const [red, green, blue] = parts.map(part => part / 255).map(part =>
		part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

function coloursIsPython(key, kinds) {
	return kinds[key.kind].kind === "python";
}

function coloursMode() {
	return Object.hasOwn(COLOURS_MODES, scene.state.colour) ? scene.state.colour : "package";
}

// The name that a colour stands for.
function coloursName(key, mode) {
	return mode === "file" ? key.file : key.package;
}

function coloursOffered(mode) {
	return mode === "file" ? [COLOURS_PROGRAM, COLOURS_STANDARD, ...COLOURS_PACKAGES] : COLOURS_PACKAGES;
}

// Names get the colour that is theirs by their letters, or the next one that is free; those with most first.
function coloursTake(mode, names) {
	const taken = colours[mode];
	const all = coloursOffered(mode);
	for (const name of names) {
		if (taken.has(name) || (mode === "package" && (name === "program" || name === "stdlib")))
			continue;
		const used = new Set(taken.values());
		const free = all.map((one, i) => all[(i + coloursHash(name)) % all.length])
			.find(one => !used.has(one));
		if (!free)
			return;
		taken.set(name, free);
	}
}

function coloursOfName(name, mode) {
	if (mode === "package" && name === "program")
		return COLOURS_PROGRAM;
	if (mode === "package" && name === "stdlib")
		return COLOURS_STANDARD;
	return colours[mode].get(name) || COLOURS_OTHERS;
}

function coloursBase(key, kinds, mode) {
	if (mode === "one")
		return COLOURS_PROGRAM;
	if (mode === "kind" || !coloursIsPython(key, kinds))
		return kinds[key.kind].colour;
	return coloursOfName(coloursName(key, mode), mode);
}

function coloursOf(key, kinds) {
	if (!key || key.isGroup)
		return COLOURS_GROUP;
	const mode = coloursMode();
	if (key.colourMode !== mode) {
		key.colourMode = mode;
		key.colour = coloursShade(coloursBase(key, kinds, mode), key.name);
	}
	return key.colour;
}
