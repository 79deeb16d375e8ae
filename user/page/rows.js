// SPDX-License-Identifier: GPL-2.0-only
// The numbers of the table: of each function its own time and what it called, as `pyperf-bpf report` counts.
// A stack counts once for a function, however often that is in it. Whose time it is, user/profile/own_time.h
// says, by what the profile tells of each function.
const ROWS_PACKAGES = 1, ROWS_FUNCTIONS = 2;

// The nearest node that may have the time of a stack, or -1.
function rowsOwner(profile, i, least) {
	for (let at = i; profile.depth[at]; at = profile.parent[at])
		if (profile.keys[profile.of[at]].own >= least)
			return at;
	return -1;
}

// The node that a stack's time is counted for.
function rowsOwn(profile, i, least) {
	const owner = rowsOwner(profile, i, least);
	return owner < 0 ? i : owner;
}

// Of each node, what is counted below it, and of that what no node may have.
function rowsTotals(profile, view, least) {
	const own = new Float64Array(profile.count), loose = new Float64Array(profile.count);
	viewEach(profile, view.takes, i => {
		if (!profile.self[i] || !profile.depth[i])
			return;
		own[rowsOwn(profile, i, least)] += profile.self[i];
		if (rowsOwner(profile, i, least) < 0)
			loose[i] += profile.self[i];
	});
	return {own, sums: dataTotals(profile, own), loose: dataTotals(profile, loose)};
}

// Adds {self, total} to rows, a list by key.
function rowsAdd(rows, profile, view, self, total) {
	const least = view.folds ? ROWS_PACKAGES : ROWS_FUNCTIONS;
	const {own, sums, loose} = rowsTotals(profile, view, least);
	const open = new Uint32Array(view.keys.length); // how often a function is on the way to the root
	const path = [];
	viewEach(profile, view.takes, i => {
		const depth = profile.depth[i];
		while (path.length >= Math.max(depth, 1))
			open[path.pop()]--;
		if (!depth)
			return;
		const key = view.keyOf(profile.of[i]);
		const isIn = !view.folds || profile.keys[profile.of[i]].own >= least;
		const sum = isIn ? sums[i] : loose[i];
		if (sum) {
			const row = rows[key] ??= {key, self: 0, total: 0, baseSelf: 0, baseTotal: 0};
			row[self] += own[i];
			row[total] += open[key] ? 0 : sum;
		}
		open[key]++;
		path.push(key);
	});
	while (path.length)
		open[path.pop()]--;
}

