// SPDX-License-Identifier: GPL-2.0-only
// The colour of a frame: that of its kind, lighter by up to a third by its name, so that neighbours of one
// kind can be told apart.

const COLOURS_FOUND = "#c026d3";
const COLOURS_GROUP = "#b9c2cc";

function coloursShade(colour, name) {
	let sum = 0;
	for (const letter of name)
		sum = (31 * sum + letter.codePointAt(0)) % 1009;
	const part = sum / 1009 / 3;
	const channel = at => {
		const value = parseInt(colour.slice(at, at + 2), 16);
		return Math.round(value + (255 - value) * part);
	};
	return "rgb(" + channel(1) + "," + channel(3) + "," + channel(5) + ")";
}

function coloursOf(key, kinds) {
	if (!key || key.isGroup)
		return COLOURS_GROUP;
	return key.colour ??= coloursShade(kinds[key.kind].colour, key.name);
}
