// SPDX-License-Identifier: GPL-2.0-only
// The table of functions: a click on a heading sorts, one on a function looks at it.

const TABLE_STEP = 100; // rows that are shown at once, and more on demand

// Columns by what they are sorted by.
const TABLE_COLUMNS = {
	self: {title: "self", value: row => row.self},
	total: {title: "total", value: row => row.total},
	name: {title: "function", value: row => row.key},
};

function tableNew(place, choose, sort) {
	return {place, choose, sort, shown: TABLE_STEP};
}

function tableOrder(rows, keys, by) {
	const [column, isUp] = by.startsWith("-") ? [by.slice(1), true] : [by, false];
	const byName = (a, b) => keys[a.key].name < keys[b.key].name ? -1 :
		keys[a.key].name > keys[b.key].name ? 1 : keys[a.key].line - keys[b.key].line;
	const order = {
		self: (a, b) => b.self - a.self || b.total - a.total,
		total: (a, b) => b.total - a.total || b.self - a.self,
		name: () => 0,
	}[column] || (() => 0);
	const sorted = [...rows].sort((a, b) => order(a, b) || byName(a, b));
	return isUp ? sorted.reverse() : sorted;
}

function tableHead(table, by) {
	const row = wordsElement("tr");
	for (const [name, column] of Object.entries(TABLE_COLUMNS)) {
		const isBy = by === name || by === "-" + name;
		const button = wordsElement("button", {type: "button"}, column.title);
		button.addEventListener("click", () => table.sort(by === name ? "-" + name : name));
		const state = isBy ? (by[0] === "-" ? "ascending" : "descending") : "none";
		row.append(wordsElement("th", {scope: "col", "aria-sort": state, className: name}, button));
	}
	return wordsElement("thead", {}, row);
}

function tableAmount(value, profile) {
	const text = wordsShare(value, profile.total);
	return wordsElement("td", {className: "number", title: wordsAmount(value, profile.sent)}, text);
}

function tableRow(table, row, scene) {
	const key = scene.keys[row.key];
	const link = wordsElement("button", {type: "button", className: "function", title: dataWhere(key)},
		key.name);
	link.addEventListener("click", () => table.choose(row.key));
	const where = wordsElement("small", {}, dataWhere(key));
	const line = wordsElement("tr", {}, tableAmount(row.self, scene.profile),
		tableAmount(row.total, scene.profile), wordsElement("td", {}, link, " ", where));
	Object.assign(line.dataset, {self: row.self, total: row.total, name: key.name, file: key.file,
		line: key.line, kind: scene.profile.sent.kinds[key.kind].kind});
	if (row.key === scene.focus)
		line.setAttribute("aria-current", "true");
	return line;
}

// scene: {profile, keys, rows, isFound(key), focus}
function tableShow(table, scene, by) {
	const found = scene.rows.filter(row => scene.isFound(row.key));
	const sorted = tableOrder(found, scene.keys, by);
	const body = wordsElement("tbody");
	for (const row of sorted.slice(0, table.shown))
		body.append(tableRow(table, row, scene));
	table.place.replaceChildren(wordsElement("table", {},
		wordsElement("caption", {}, found.length + " functions"), tableHead(table, by), body));
	if (sorted.length > table.shown) {
		const more = wordsElement("button", {type: "button", id: "more"}, "more");
		more.addEventListener("click", () => {
			table.shown += 10 * TABLE_STEP;
			tableShow(table, scene, by);
		});
		table.place.append(more);
	}
}
