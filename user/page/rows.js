// SPDX-License-Identifier: GPL-2.0-only
// The numbers of the table: of each function its own time and what it called, as `pyperf-bpf report` counts.
// Native code counts for the function of Python that called it; a stack counts once for a function, however
// often that is in it.

// The node that a stack's time is counted for: the nearest that is no native code, if there is one.
function rowsOwn(profile, i) {
	for (let at = i; profile.depth[at]; at = profile.parent[at])
		if (!profile.keys[profile.of[at]].isNative)
			return at;
	return i;
}

// Adds {self, total} to rows, a list by key.
function rowsAdd(rows, profile, view, self, total) {
	const own = new Float64Array(profile.count);
	viewEach(profile, view.takes, i => {
		if (profile.self[i] && profile.depth[i])
			own[rowsOwn(profile, i)] += profile.self[i];
	});
	const sums = dataTotals(profile, own);
	const open = new Uint32Array(view.keys.length); // how often a function is on the way to the root
	const path = [];
	viewEach(profile, view.takes, i => {
		const depth = profile.depth[i];
		while (path.length >= Math.max(depth, 1))
			open[path.pop()]--;
		if (!depth)
			return;
		const key = view.keyOf(profile.of[i]);
		if (sums[i]) {
			const row = rows[key] ??= {key, self: 0, total: 0, baseSelf: 0, baseTotal: 0};
			row[self] += own[i];
			row[total] += open[key] ? 0 : sums[i];
		}
		open[key]++;
		path.push(key);
	});
	while (path.length)
		open[path.pop()]--;
}

