// SPDX-License-Identifier: GPL-2.0-only
// From a profile, or two, and what is looked at to what is on the page.

// All that is on the page, once there is a profile. base: what it is compared with, or null.
const scene = {profile: null, base: null, kinds: [], state: null, flame: null, callers: null, table: null};
const SCENE_PAINTED = ["search", "sort", "shape", "colour", "zoom", "live", "view", "heat"]; // the same trees
const SCENE_LOADED = ["type", "hide", "at", "base"]; // what needs another profile

function sceneOpen() {
	const at = id => document.getElementById(id);
	scene.flame = flameNew(at("flame"), false, scenePick);
	scene.callers = flameNew(at("callers"), true, id => sceneChooseNode(id, scene.callers));
	scene.flame.choose = id => sceneChooseNode(id, scene.flame);
	scene.callers.choose = id => sceneChooseNode(id, scene.callers);
	scene.table = tableNew(at("table"), sceneFocus, sort => sceneChange({sort}));
}

// The parts of the profile and of its base, each with the keys of its functions.
function sceneViews(keys) {
	const {profile, base, state} = scene;
	const groupOf = viewGroups(keys);
	const common = {group: state.group, groupOf, keys, folds: !!state.fold};
	const baseKeys = base && compareKeys(keys, base);
	const folded = state.fold && viewFold(keys);
	const fold = key => folded ? folded[key] : key;
	const parts = [{...common, ...viewPart(profile, state.filters), keyOf: fold, self: "self"}];
	if (base)
		parts.push({...common, ...viewPart(base, state.filters), keyOf: of => fold(baseKeys[of]),
			self: "base"});
	return parts;
}

function sceneRows(views) {
	const rows = [];
	rowsAdd(rows, views[0].profile, views[0], "self", "total");
	if (views[1])
		rowsAdd(rows, views[1].profile, views[1], "baseSelf", "baseTotal");
	const {pair} = scene;
	for (const row of pair ? rows : []) {
		if (!row)
			continue;
		row.selfPair = compareValues(row.self, row.baseSelf, pair);
		row.totalPair = compareValues(row.total, row.baseTotal, pair);
	}
	return rows.filter(row => row);
}

// What the trees are made of; it is done again when another part is looked at.
function sceneBuild() {
	const {profile, base, state} = scene;
	const keys = profile.keys.slice();
	legendTake(profile);
	const views = sceneViews(keys);
	scene.pair = base && {profile, base, scale: compareScale(profile, base), chance: sceneChance()};
	const focus = state.focus ? keys.findIndex(key => dataText(key) === state.focus) : -1;
	const grown = shape => {
		const tree = treeNew(shape === "calls" ? profile.count : 0);
		for (const view of views)
			VIEW_SHAPES[shape](tree, view.profile, {...view, focus}, view.self);
		return treeFinish(tree, scene.pair && scene.pair.scale);
	};
	Object.assign(scene, {keys, focus, takes: views[0].takes, part: views[0].profile});
	scene.tree = grown(focus >= 0 ? "callees" : state.order === "inverted" ? "inverted" : "calls");
	scene.callersTree = focus >= 0 ? grown("callers") : null;
	scene.rows = sceneRows(views);
}

// user/report/chance.h
function sceneChance() {
	return times.known ? times.known.chance : {z: 0, z_rare: 0};
}

function sceneSearch() {
	const wanted = scene.state.search.toLowerCase();
	scene.found = scene.keys.map(key => !!wanted && dataText(key).toLowerCase().includes(wanted));
}

function sceneColour(tree, id) {
	const {keys, found, pair, profile} = scene;
	if (id && found[tree.key[id]])
		return COLOURS_FOUND;
	if (pair)
		return compareColour(tree.total[id], tree.baseTotal[id], pair);
	return coloursOf(id ? keys[tree.key[id]] : null, profile.sent.kinds);
}

function scenePaint() {
	const {profile, state, keys, tree, callersTree, found} = scene;
	const drawn = of => ({tree: of, keys, colour: id => sceneColour(of, id), isBare: !!callersTree,
		marked: callersTree ? 1 : 0});
	scene.flame.up = state.shape === "flame" && !callersTree;
	const only = of => Math.min(1, of.count - 1); // the function itself, not the root
	const zoom = callersTree && !state.zoom ? only(tree) : stateZoomNode(tree, keys, state.zoom);
	const isCalled = callersTree && callersTree.count > 2; // by more than nobody
	document.getElementById("callers").hidden = !isCalled;
	viewsShow();
	scene.callers.tree = null;
	if (isCalled)
		flameShow(scene.callers, {...drawn(callersTree), isHeadless: true}, only(callersTree));
	flameShow(scene.flame, drawn(tree), zoom);
	tableShow(scene.table, {profile, keys, rows: scene.rows, focus: scene.focus, pair: scene.pair,
		isFound: key => !state.search || found[key]}, state.sort);
	linesShow();
	legendShow();
	aboutItself(!!isCalled);
	aboutEmpty();
	aboutShow();
	document.body.dataset.drawn = String(tree.total[0]); // for the tests
}

// --- what is done ----------------------------------------------------------------------------------

// isStep: "back" undoes it.
function sceneChange(change, isStep = true) {
	const keys = Object.keys(change);
	const isOther = keys.some(key => SCENE_LOADED.includes(key) && scene.state[key] !== change[key]);
	Object.assign(scene.state, change);
	stateWrite(scene.state, isStep);
	if (isOther)
		load();
	else
		sceneFromState(keys.every(key => SCENE_PAINTED.includes(key)));
}

function sceneFromState(isSame) {
	controlsShow(scene.state);
	if (!scene.profile)
		return;
	const at = scene.tree && stateZoomText(scene.tree, scene.keys, scene.flame.at);
	if (!isSame)
		sceneBuild();
	sceneSearch();
	scenePaint();
	if (at && !isSame) {
		scene.flame.at = stateZoomNode(scene.tree, scene.keys, at) || scene.flame.zoom;
		flamePaint(scene.flame);
	}
	if (!isSame)
		labelsShow();
	takeShow(scene.profile, scene.state, times.known);
}

function scenePick(id) {
	sceneChange({zoom: stateZoomText(scene.tree, scene.keys, id)});
	flameMove(scene.flame, scene.flame.zoom);
}

function sceneFocus(key) {
	sceneChange({focus: dataText(scene.keys[key]), zoom: "", view: ""});
}

function sceneChooseNode(id, flame) {
	const key = id && flame.keys[flame.tree.key[id]];
	if (key && !key.isGroup)
		sceneFocus(flame.tree.key[id]);
}
