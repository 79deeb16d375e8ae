// SPDX-License-Identifier: GPL-2.0-only
// What a profile says of two places at once (user/views/graph_pairs.h): the line that has the time, and
// what explains it. Added up for a table with rows and columns.

// {own: {key, line}, other: the same or null, self} of the owners that are looked at.
function pairsOf(profile, takes, filters) {
	const {pairs} = profile.sent;
	const place = (key, line) => key < 0 ? null : {key, line};
	const found = [];
	for (let i = 0; pairs && i < pairs.self.length; i++)
		if (takes[pairs.owner[i]])
			found.push({own: place(pairs.function[i], pairs.line[i]),
				other: place(pairs.other[i], pairs.other_line[i]), self: pairs.self[i],
				package: profile.keys[pairs.package[i]].package});
	return "package" in filters ? found.filter(pair => pair.package === filters.package) : found;
}

function pairsText(place) {
	return place ? place.key + ":" + place.line : "";
}

// {rows: [{place, value, cells: Map}], columns: [{place, value}], total}, the largest first.
function pairsSum(pairs, down, across) {
	const rows = new Map(), columns = new Map();
	const add = (to, place, value) => {
		const text = pairsText(place);
		const one = to.get(text) || {text, place, value: 0, cells: new Map()};
		one.value += value;
		to.set(text, one);
		return one;
	};
	for (const pair of pairs) {
		const column = add(columns, across(pair), pair.self);
		const {cells} = add(rows, down(pair), pair.self);
		cells.set(column.text, (cells.get(column.text) || 0) + pair.self);
	}
	const sorted = of => [...of.values()].sort((a, b) => b.value - a.value);
	return {rows: sorted(rows), columns: sorted(columns),
		total: pairs.reduce((sum, pair) => sum + pair.self, 0)};
}

// Of more than `most` the rest is one, which has no place.
function pairsShorten(list, most) {
	if (list.length <= most)
		return list;
	const rest = {rest: list.slice(most - 1), value: 0, cells: new Map()};
	for (const one of rest.rest) {
		rest.value += one.value;
		for (const [column, value] of one.cells)
			rest.cells.set(column, (rest.cells.get(column) || 0) + value);
	}
	return [...list.slice(0, most - 1), rest];
}
