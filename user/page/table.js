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

// pair: of a difference, whose rows are sorted by how much they differ.
function tableOrder(rows, keys, by, pair) {
	const [column, isUp] = by.startsWith("-") ? [by.slice(1), true] : [by, false];
	const byName = (a, b) => keys[a.key].name < keys[b.key].name ? -1 :
		keys[a.key].name > keys[b.key].name ? 1 : keys[a.key].line - keys[b.key].line;
	const size = (row, what) => pair ? Math.abs(row[what + "Pair"].difference) : row[what];
	const order = {
		self: (a, b) => size(b, "self") - size(a, "self") || size(b, "total") - size(a, "total"),
		total: (a, b) => size(b, "total") - size(a, "total") || size(b, "self") - size(a, "self"),
		name: () => 0,
	};
	const inColumn = Object.hasOwn(order, column) ? order[column] : order.name;
	const sorted = [...rows].sort((a, b) => inColumn(a, b) || byName(a, b));
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

function tableDifference(row, what, drawn) {
	const {difference, isBeyond} = row[what + "Pair"];
	const base = row["base" + what[0].toUpperCase() + what.slice(1)];
	const text = (difference > 0 ? "+" : "") + wordsShare(difference, drawn.profile.total);
	const state = isBeyond ? difference > 0 ? "more" : "less" : "chance";
	return wordsElement("td", {className: "number " + state,
		title: compareWords(row[what], base, drawn.pair)}, text);
}

function tableRow(table, row, drawn) {
	const key = drawn.keys[row.key];
	const link = wordsElement("button", {type: "button", className: "function", title: dataWhere(key)},
		key.name);
	link.addEventListener("click", () => table.choose(row.key));
	const where = wordsElement("small", {title: dataWhere(key)}, dataShortWhere(key));
	const number = what => drawn.pair ? tableDifference(row, what, scene) :
		tableAmount(row[what], drawn.profile);
	const line = wordsElement("tr", {}, number("self"), number("total"),
		wordsElement("td", {}, link, " ", where));
	Object.assign(line.dataset, {self: row.self, total: row.total, baseSelf: row.baseSelf,
		baseTotal: row.baseTotal, name: key.name, file: key.file,
		line: key.line, kind: drawn.profile.sent.kinds[key.kind].kind});
	if (row.key === drawn.focus)
		line.setAttribute("aria-current", "true");
	return line;
}

// drawn: {profile, keys, rows, isFound(key), focus, pair}
function tableShow(table, drawn, by) {
	const found = drawn.rows.filter(row => drawn.isFound(row.key));
	const sorted = tableOrder(found, drawn.keys, by, drawn.pair);
	const body = wordsElement("tbody");
	for (const row of sorted.slice(0, table.shown))
		body.append(tableRow(table, row, drawn));
	table.place.replaceChildren(wordsElement("table", {},
		wordsElement("caption", {}, found.length + " functions"), tableHead(table, by), body));
	if (sorted.length > table.shown) {
		const more = wordsElement("button", {type: "button", id: "more"}, "more");
		more.addEventListener("click", () => {
			table.shown += 10 * TABLE_STEP;
			tableShow(table, drawn, by);
		});
		table.place.append(more);
	}
}
