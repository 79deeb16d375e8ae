// SPDX-License-Identifier: GPL-2.0-only
// A profile as /debug/pyperf/interval sends it (user/views/graph.h), in typed arrays. Names come from
// foreign programs: they are only ever set as text.

function dataRead(sent) {
	const count = sent.nodes.depth.length;
	const parent = new Int32Array(count);
	const path = [];
	for (let i = 0; i < count; i++) {
		const depth = sent.nodes.depth[i];
		parent[i] = depth ? path[depth - 1] : -1;
		path[depth] = i;
	}
	const profile = {
		sent, count, parent,
		depth: Uint32Array.from(sent.nodes.depth),
		of: Uint32Array.from(sent.nodes.of),
		self: Float64Array.from(sent.nodes.self),
		keys: dataFunctions(sent),
		total: sent.total,
		owners: (Object.values(sent.owners)[0] || []).length,
	};
	profile.totals = dataTotals(profile, profile.self);
	return profile;
}

// Of each node, with all that it called.
function dataTotals(profile, values) {
	const totals = values.slice();
	for (let i = profile.count - 1; i >= 0; i--)
		if (profile.depth[i])
			totals[profile.parent[i]] += totals[i];
	return totals;
}

// A key is what a node of a tree may be: a function, and behind all of these, values of a label.
function dataFunctions(sent) {
	const columns = sent.functions;
	return columns.name.map((name, i) => ({
		name: sent.strings.at(name) || "?",
		file: sent.strings[columns.file[i]],
		line: columns.line[i],
		kind: columns.kind[i],
		package: sent.packages[columns.package[i]] || sent.strings.at(name) || "?",
		isNative: !!sent.kinds[columns.kind[i]].native,
		own: columns.own[i],
	}));
}

// As the tables of the terminal name a file: user/profile/short_path.h.
function dataShort(file) {
	if (file.startsWith("./"))
		return file.slice(2);
	if (!file.startsWith("/"))
		return file;
	const below = /.*\/(?:site|dist)-packages\/(.*)$/.exec(file) ||
		/.*\/lib(?:64)?\/python\d[\d.]*t?\/(.*)$/.exec(file);
	if (below)
		return below[1] || file;
	const parts = file.split("/");
	if (/\.so($|[.:])/.test(parts.at(-1)))
		return parts.at(-1);
	return parts.length > 2 ? parts.slice(-2).join("/") : file;
}

function dataShortWhere(key) {
	return key.file ? dataShort(key.file) + (key.line ? ":" + key.line : "") : "";
}

function dataWhere(key) {
	return key.file ? key.file + (key.line ? ":" + key.line : "") : "";
}

// So that a function is found again in another profile, and in an address.
function dataText(key) {
	return key.file ? key.name + "@" + dataWhere(key) : key.name;
}

function dataLabels(profile) {
	return Object.keys(profile.sent.owners);
}

function dataValue(profile, owner, label) {
	if (!Object.hasOwn(profile.sent.owners, label))
		return "";
	const column = profile.sent.owners[label];
	if (label === "pid" || label === "tid")
		return String(column[owner] || "");
	return profile.sent.strings[column[owner]];
}

// Whose code a stack ran.
function dataPackage(profile, i) {
	return profile.depth[i] ? profile.keys[profile.of[rowsOwn(profile, i, ROWS_PACKAGES)]].package : "";
}

// What a group of this label is called.
function dataGroup(profile, owner, label) {
	const value = name => dataValue(profile, owner, name);
	const named = {
		process: () => value("comm") + " (pid " + (value("pid") || "0") +
			["pod", "container"].map(name => value(name) && ", " + value(name)).join("") + ")",
		thread: () => value("thread") + " (tid " + value("tid") + ")",
	};
	return Object.hasOwn(named, label) ? named[label]() : value(label) || "(no " + label + ")";
}
