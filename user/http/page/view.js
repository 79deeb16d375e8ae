// SPDX-License-Identifier: GPL-2.0-only
// Trees of a profile: in the order of calls below a group for each value of a label, from the leaves, and the
// callers and callees of one function.

// Which owners are looked at: those with these values of these labels.
function viewOwners(profile, filters) {
	const labels = Object.keys(filters);
	const any = Object.values(profile.sent.owners)[0] || [];
	return any.map((unused, owner) => labels.every(label => dataValue(profile, owner, label) ===
		filters[label]));
}

// The number of a group's key; keys is the list that has it, or gets it.
function viewGroups(keys) {
	const found = new Map();
	keys.forEach((key, i) => key.isGroup && found.set(key.name, i));
	return name => {
		if (!found.has(name)) {
			found.set(name, keys.length);
			keys.push({name, file: "", line: 0, kind: -1, isGroup: true, isNative: false});
		}
		return found.get(name);
	};
}

// Calls see(node, owner) for each node of the owners that are taken, callers first.
function viewEach(profile, takes, see) {
	let owner = 0;
	for (let i = 0; i < profile.count; i++) {
		if (!profile.depth[i])
			owner = profile.of[i];
		if (takes[owner])
			see(i, owner);
	}
}

// The rows above the frames. Requests are below their process.
function viewHeads(profile, owner, group) {
	const labels = group === "process" && profile.sent.owners.endpoint ? [group, "endpoint"] : [group];
	return labels.map(label => dataGroup(profile, owner, label));
}

// keyOf: the key of a function of this profile. column: "self", or "base" of a difference.
function viewAdd(tree, profile, view, column) {
	const {takes, group, keyOf, groupOf} = view;
	const at = new Int32Array(profile.count);
	const names = new Map();
	viewEach(profile, takes, (i, owner) => {
		if (!profile.depth[i]) {
			if (!names.has(owner))
				names.set(owner, viewHeads(profile, owner, group).map(groupOf));
			at[i] = names.get(owner).reduce((above, key) => treeChild(tree, above, key), 0);
		} else {
			at[i] = treeChild(tree, at[profile.parent[i]], keyOf(profile.of[i]));
		}
		tree[column][at[i]] += profile.self[i];
	});
}

// From the leaves: what a node has is below it once for each of its callers.
function viewAddInverted(tree, profile, view, column) {
	viewEach(profile, view.takes, i => {
		if (!profile.self[i] || !profile.depth[i])
			return;
		let at = 0;
		for (let caller = i; profile.depth[caller]; caller = profile.parent[caller])
			at = treeChild(tree, at, view.keyOf(profile.of[caller]));
		tree[column][at] += profile.self[i];
	});
}

// What a function calls, wherever it was called; of calls within itself only the outermost counts.
function viewAddCallees(tree, profile, view, column) {
	const at = new Int32Array(profile.count);
	viewEach(profile, view.takes, i => {
		if (!profile.depth[i])
			return;
		const above = at[profile.parent[i]];
		const key = view.keyOf(profile.of[i]);
		if (!above && key !== view.focus)
			return;
		at[i] = treeChild(tree, above, key);
		tree[column][at[i]] += profile.self[i];
	});
}

// Who calls it: the same stacks from there up.
function viewAddCallers(tree, profile, view, column) {
	const totals = viewTotals(profile);
	const inside = new Uint8Array(profile.count);
	viewEach(profile, view.takes, i => {
		if (!profile.depth[i])
			return;
		const above = profile.parent[i];
		const isIt = view.keyOf(profile.of[i]) === view.focus;
		inside[i] = inside[above] || isIt;
		if (!isIt || inside[above])
			return;
		let at = 0;
		for (let caller = i; profile.depth[caller]; caller = profile.parent[caller])
			at = treeChild(tree, at, view.keyOf(profile.of[caller]));
		tree[column][at] += totals[i];
	});
}

function viewTotals(profile) {
	const totals = profile.self.slice();
	for (let i = profile.count - 1; i >= 0; i--)
		if (profile.depth[i])
			totals[profile.parent[i]] += totals[i];
	return totals;
}

const VIEW_SHAPES = {calls: viewAdd, inverted: viewAddInverted, callees: viewAddCallees,
	callers: viewAddCallers};
