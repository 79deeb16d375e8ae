// SPDX-License-Identifier: GPL-2.0-only
// A table of places, with a column for each other place that explains some of their time, or with that beside
// them. The more there is in a cell, the darker it is; each has its number, too.

const MATRIX_ROWS = 60, MATRIX_COLUMNS = 8;

// A line is a button, which leads to its function's callers and callees.
function matrixPlace(one, none) {
	if (one.rest)
		return [one.rest.length + " more"];
	if (!one.place)
		return [none];
	const key = scene.keys[one.place.key];
	if (!key.file)
		return [key.name];
	const link = wordsElement("button", {type: "button", className: "function", title: dataWhere(key)},
		key.name);
	link.addEventListener("click", () => sceneFocus(one.place.key));
	return [link, " ", wordsElement("small", {title: key.file}, dataShort(key.file) +
		(one.place.line ? ":" + one.place.line : ""))];
}

function matrixMark(element, one) {
	const key = one.place && scene.keys[one.place.key];
	Object.assign(element.dataset, {value: one.value, ...key && {name: key.name, file: key.file,
		line: one.place.line}});
	return element;
}

function matrixHead(one, scope, none) {
	return matrixMark(wordsElement("th", {scope}, ...matrixPlace(one, none)), one);
}

function matrixCell(value, total, sent) {
	const cell = wordsElement("td", {className: "number", title: wordsAmount(value, sent)},
		value ? wordsShare(value, total) : "");
	// More of the colour would hide the text in the dark.
	const percent = total ? Math.round(40 * Math.sqrt(value / total)) : 0;
	cell.style.backgroundColor = "color-mix(in srgb, #e8764b " + percent + "%, transparent)";
	cell.dataset.value = value;
	return cell;
}

function matrixSum(one, total, view) {
	const {sent} = scene.profile;
	const cell = wordsElement("td", {className: "number"}, wordsAmount(one.value, sent), " ",
		wordsElement("small", {}, view.rate(one.value, sent)));
	cell.dataset.value = one.value;
	return cell;
}

function matrixTable(view, heads, lines, about) {
	const titles = wordsElement("tr", {}, ...heads);
	return wordsElement("table", {className: "matrix"}, wordsElement("caption", {}, about),
		wordsElement("thead", {}, titles), wordsElement("tbody", {}, ...lines));
}

function matrixTitle(text) {
	return wordsElement("th", {scope: "col"}, text);
}

// sums: of pairsSum().
function matrixShow(view, sums, about) {
	const {sent} = scene.profile;
	const columns = pairsShorten(sums.columns, MATRIX_COLUMNS);
	const value = (row, column) => column.rest ?
		column.rest.reduce((sum, one) => sum + (row.cells.get(one.text) || 0), 0) :
		row.cells.get(column.text) || 0;
	const lines = pairsShorten(sums.rows, MATRIX_ROWS).map(row => wordsElement("tr", {},
		matrixHead(row, "row", view.none), matrixSum(row, sums.total, view),
		...columns.map(column => matrixCell(value(row, column), sums.total, sent))));
	const all = wordsElement("tr", {className: "all"}, wordsElement("th", {scope: "row"}, "all"),
		matrixSum({value: sums.total}, sums.total, view),
		...columns.map(column => matrixCell(column.value, sums.total, sent)));
	return matrixTable(view, [matrixTitle(view.down.title), matrixTitle("in all"),
		...columns.map(column => matrixHead(column, "col", view.none))], [all, ...lines], about);
}

// Each pair in a line of its own.
function matrixList(view, sums, about) {
	const pairs = sums.rows.flatMap(row => [...row.cells].map(([text, value]) => ({...row, value,
		other: sums.columns.find(column => column.text === text)})));
	const sorted = pairsShorten(pairs.sort((a, b) => b.value - a.value), MATRIX_ROWS);
	const lines = sorted.map(one => wordsElement("tr", {},
		matrixCell(one.value, sums.total, scene.profile.sent), matrixSum(one, sums.total, view),
		matrixHead(one, "row", view.none),
		one.rest ? wordsElement("td") : matrixMark(wordsElement("td", {},
			...matrixPlace(one.other, view.none)), one.other)));
	return matrixTable(view, [matrixTitle("share"), matrixTitle(view.amount),
		matrixTitle(view.down.title), matrixTitle(view.across.title)], lines, about);
}
