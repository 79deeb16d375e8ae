// SPDX-License-Identifier: GPL-2.0-only
// The lines of the function whose callers and callees are shown, with what was counted at each, in the whole
// interval: labels do not choose among lines. Where their text may be had, it is beside them.

const linesShown = {name: ""}; // the text that the place was last scrolled for

// {line, self, total} of a function, in the order of the source.
function linesOf(profile, of) {
	const {lines} = profile.sent;
	const rows = [];
	for (let i = 0; lines && i < lines.function.length; i++)
		if (lines.function[i] === of)
			rows.push({line: lines.line[i], self: lines.self[i], total: lines.total[i]});
	return rows.sort((a, b) => a.line - b.line);
}

function linesRow(row, place, profile) {
	const line = wordsElement("tr", {}, tableAmount(row.self, profile), tableAmount(row.total, profile),
		...place);
	Object.assign(line.dataset, {line: row.line, self: row.self, total: row.total});
	return line;
}

// A line of the text, of which something was counted or nothing.
function linesTextRow(number, text, row, profile) {
	const place = [wordsElement("td", {className: "number"}, String(number)),
		wordsElement("td", {className: "text"}, wordsElement("code", {}, sourcePlain(text)))];
	if (row)
		return linesRow(row, place, profile);
	const nothing = () => wordsElement("td", {className: "number"});
	return wordsElement("tr", {className: "nothing"}, nothing(), nothing(), ...place);
}

function linesRows(rows, key, text, profile) {
	if (!text || !text.isGiven)
		return rows.map(row => {
			const place = wordsElement("td", {title: key.file},
				dataShort(key.file) + ":" + row.line);
			return linesRow(row, [place], profile);
		});
	const counted = new Map(rows.map(row => [row.line, row]));
	return text.lines.map((line, i) => {
		const number = text.from + i;
		return linesTextRow(number, line, counted.get(number), profile);
	});
}

// The line that has most is in view when the text of another function has come.
function linesScroll(place, rows, text) {
	const name = text && text.isGiven ? text.file + ":" + text.from : "";
	if (name && name !== linesShown.name) {
		const {line} = rows.reduce((a, b) => b.total > a.total ? b : a);
		const most = place.querySelector("tr[data-line='" + line + "']");
		if (most)
			place.scrollTop = most.offsetTop - place.clientHeight / 2;
	}
	linesShown.name = name;
}

function linesShow() {
	const {profile, focus, keys} = scene;
	const rows = focus >= 0 && focus < profile.keys.length ? linesOf(profile, focus) : [];
	const place = document.getElementById("lines");
	place.hidden = !rows.length;
	if (!rows.length)
		return;
	const text = sourceOf(focus, rows, linesShow);
	const heads = ["self", "total", "line"].map(name =>
		wordsElement("th", {scope: "col", className: name}, name));
	if (text && text.isGiven)
		heads.push(wordsElement("th", {scope: "col"}, "text"));
	const about = "lines of " + keys[focus].name + ", whatever the labels" +
		(text ? "; " + sourceWords(text) : "");
	place.classList.toggle("source", !!text && !!text.isGiven);
	place.replaceChildren(wordsElement("table", {}, wordsElement("caption", {}, about),
		wordsElement("thead", {}, wordsElement("tr", {}, ...heads)),
		wordsElement("tbody", {}, ...linesRows(rows, keys[focus], text, profile))));
	linesScroll(place, rows, text);
}
