// SPDX-License-Identifier: GPL-2.0-only
// What is looked at. The address has it, so that whoever gets the address sees the same.

const STATE_USUAL = {view: "", type: "", hide: "", group: "process", search: "", focus: "", zoom: "",
	shape: "icicle", order: "calls", colour: "package", sort: "self", at: "", base: "", live: "",
	fold: "", heat: ""};
const STATE_ZOOM_LONGEST = 3000; // characters; a deeper zoom is not in the address

// Keys that the page does not know are labels.
function stateRead(query) {
	const state = {...STATE_USUAL, filters: {}};
	for (const [key, value] of new URLSearchParams(query)) {
		if (Object.hasOwn(STATE_USUAL, key))
			state[key] = value;
		else if (value)
			state.filters[key] = value;
	}
	const view = viewsRow(state.view);
	if (view && !state.type)
		state.type = view.type;
	return state;
}

function stateQuery(state) {
	const query = new URLSearchParams();
	for (const [key, usual] of Object.entries(STATE_USUAL))
		if (state[key] !== usual && !(key === "zoom" && state.zoom.length > STATE_ZOOM_LONGEST))
			query.set(key, state[key]);
	for (const [label, value] of Object.entries(state.filters))
		query.set(label, value);
	const text = query.toString();
	return text && "?" + text;
}

// isStep: the browser's "back" leads to what was before it.
function stateWrite(state, isStep) {
	const address = location.pathname + stateQuery(state) + location.hash;
	try {
		if (isStep)
			history.pushState(null, "", address);
		else
			history.replaceState(null, "", address);
	} catch (failure) {
		// A browser may not let a file change its address.
	}
}

// A zoom as the names on the way to it.
function stateZoomText(tree, keys, id) {
	const names = [];
	for (let at = id; at; at = tree.parent[at])
		names.unshift(encodeURIComponent(keys[tree.key[at]].name));
	return names.join("/");
}

function stateZoomNode(tree, keys, text) {
	let at = 0;
	for (const part of text ? text.split("/") : []) {
		const name = stateDecode(part);
		const next = treeCallees(tree, at).find(id => keys[tree.key[id]].name === name);
		if (next === undefined)
			break;
		at = next;
	}
	return at;
}

function stateDecode(text) {
	try {
		return decodeURIComponent(text);
	} catch (failure) {
		return text;
	}
}
