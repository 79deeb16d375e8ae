// SPDX-License-Identifier: GPL-2.0-only
// The lines of the function whose callers and callees are shown, with what was counted at each, in the whole
// interval: labels do not choose among lines.

// {line, self, total} of a function, in the order of the source.
function linesOf(profile, of) {
	const {lines} = profile.sent;
	const rows = [];
	for (let i = 0; lines && i < lines.function.length; i++)
		if (lines.function[i] === of)
			rows.push({line: lines.line[i], self: lines.self[i], total: lines.total[i]});
	return rows.sort((a, b) => a.line - b.line);
}

function linesRow(row, key, profile) {
	const line = wordsElement("tr", {}, tableAmount(row.self, profile), tableAmount(row.total, profile),
		wordsElement("td", {}, key.file + ":" + row.line));
	Object.assign(line.dataset, row);
	return line;
}

function linesShow() {
	const {profile, focus, keys} = scene;
	const rows = focus >= 0 && focus < profile.keys.length ? linesOf(profile, focus) : [];
	const place = document.getElementById("lines");
	place.hidden = !rows.length;
	if (!rows.length)
		return;
	const heads = ["self", "total", "line"].map(name =>
		wordsElement("th", {scope: "col", className: name}, name));
	place.replaceChildren(wordsElement("table", {},
		wordsElement("caption", {}, "lines of " + keys[focus].name + ", whatever the labels"),
		wordsElement("thead", {}, wordsElement("tr", {}, ...heads)),
		wordsElement("tbody", {}, ...rows.map(row => linesRow(row, keys[focus], profile)))));
}
