// SPDX-License-Identifier: GPL-2.0-only
// Trees of a profile: in the order of calls below a group for each value of a label, from the leaves, and the
// callers and callees of one function.

// What is looked at: {profile, takes}. Owners are taken that have these values of these labels, and of their
// stacks what has them, if it is the stacks that do.
function viewPart(profile, filters) {
	const labels = Object.keys(filters).filter(label => label !== "package");
	const any = Object.values(profile.sent.owners)[0] || [];
	const takes = any.map((unused, owner) => labels.every(label => dataValue(profile, owner, label) ===
		filters[label]));
	if (!("package" in filters))
		return {profile, takes};
	const self = profile.self.map((value, i) =>
		value && dataPackage(profile, i) === filters.package ? value : 0);
	return {profile: {...profile, self, totals: dataTotals(profile, self)}, takes};
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

// Functions of packages and of the standard library as one: the key of each key, of which those of packages
// are added to the list. The program's own functions stay, and so does what has no file.
function viewFold(keys) {
	const found = new Map();
	return Int32Array.from(keys.slice(), (key, i) => {
		if (key.isGroup || !key.file || key.package === "program")
			return i;
		if (!found.has(key.package)) {
			found.set(key.package, keys.length);
			keys.push({...key, name: key.package, file: "", line: 0, isFolded: true,
				colourMode: ""});
		}
		return found.get(key.package);
	});
}

// From one node to the next. Within a package that is folded there is no step.
function viewStep(tree, keys, above, key) {
	return keys[key].isFolded && above && tree.key[above] === key ? above : treeChild(tree, above, key);
}

// Calls see(node, owner) for each node of the owners that are taken, callers first.
function viewEach(profile, takes, see) {
	let owner = 0;
	for (let i = 0; i < profile.count; i++) {
		if (!profile.depth[i])
			owner = profile.of[i];
		if (takes[owner] && profile.totals[i])
			see(i, owner);
	}
}

// The rows above the frames. Requests are below their process.
function viewHeads(profile, owner, group) {
	const labels = group === "process" && profile.sent.owners.endpoint ? [group, "endpoint"] : [group];
	return labels.map(label => dataGroup(profile, owner, label));
}

// Below the package that each stack ran code of.
function viewAddPackages(tree, profile, view, column) {
	viewEach(profile, view.takes, i => {
		if (!profile.self[i] || !profile.depth[i])
			return;
		const path = [];
		for (let caller = i; profile.depth[caller]; caller = profile.parent[caller])
			path.push(view.keyOf(profile.of[caller]));
		const head = treeChild(tree, 0, view.groupOf(dataPackage(profile, i)));
		const leaf = path.reduceRight((above, key) => viewStep(tree, view.keys, above, key), head);
		tree[column][leaf] += profile.self[i];
	});
}

// keyOf: the key of a function of this profile. column: "self", or "base" of a difference.
function viewAdd(tree, profile, view, column) {
	const {takes, group, keyOf, groupOf, keys} = view;
	if (group === "package") {
		viewAddPackages(tree, profile, view, column);
		return;
	}
	const at = new Int32Array(profile.count);
	const names = new Map();
	viewEach(profile, takes, (i, owner) => {
		if (!profile.depth[i]) {
			if (!names.has(owner))
				names.set(owner, viewHeads(profile, owner, group).map(groupOf));
			at[i] = names.get(owner).reduce((above, key) => treeChild(tree, above, key), 0);
		} else {
			at[i] = viewStep(tree, keys, at[profile.parent[i]], keyOf(profile.of[i]));
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
			at = viewStep(tree, view.keys, at, view.keyOf(profile.of[caller]));
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
		at[i] = viewStep(tree, view.keys, above, key);
		tree[column][at[i]] += profile.self[i];
	});
}

// Who calls it: the same stacks from there up.
function viewAddCallers(tree, profile, view, column) {
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
			at = viewStep(tree, view.keys, at, view.keyOf(profile.of[caller]));
		tree[column][at] += profile.totals[i];
	});
}

const VIEW_SHAPES = {calls: viewAdd, inverted: viewAddInverted, callees: viewAddCallees,
	callers: viewAddCallers};
