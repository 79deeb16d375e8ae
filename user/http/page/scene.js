// SPDX-License-Identifier: GPL-2.0-only
// From a profile and what is looked at to what is on the page.

// All that is on the page, once there is a profile.
const scene = {profile: null, state: null, flame: null, callers: null, table: null};

function sceneOpen() {
	const at = id => document.getElementById(id);
	scene.flame = flameNew(at("flame"), false, sceneSay, scenePick);
	scene.callers = flameNew(at("callers"), true, id => sceneSay(id, scene.callers),
		id => sceneChooseNode(id, scene.callers));
	scene.flame.choose = id => sceneChooseNode(id, scene.flame);
	scene.callers.choose = id => sceneChooseNode(id, scene.callers);
	scene.table = tableNew(at("table"), sceneFocus, sort => sceneChange({sort}));
}

// What the trees are made of; it is done again when another part is looked at.
function sceneBuild() {
	const {profile, state} = scene;
	const keys = profile.keys.slice();
	const view = {takes: viewOwners(profile, state.filters), group: state.group, keyOf: of => of,
		groupOf: viewGroups(keys)};
	const grown = shape => {
		const tree = treeNew();
		VIEW_SHAPES[shape](tree, profile, view, "self");
		return treeFinish(tree);
	};
	view.focus = state.focus ? keys.findIndex(key => dataText(key) === state.focus) : -1;
	scene.keys = keys;
	scene.focus = view.focus;
	scene.tree = grown(view.focus >= 0 ? "callees" : state.order === "inverted" ? "inverted" : "calls");
	scene.callersTree = view.focus >= 0 ? grown("callers") : null;
	scene.rows = rowsMake(profile, view);
}

function sceneSearch() {
	const wanted = scene.state.search.toLowerCase();
	scene.found = scene.keys.map(key => !!wanted && dataText(key).toLowerCase().includes(wanted));
}

// Of what is drawn: a stack counts once, however many of its frames are found.
function sceneFoundTotal() {
	const {tree, found} = scene;
	const isBelow = new Uint8Array(tree.count);
	let sum = 0;
	for (let id = 1; id < tree.count; id++) {
		const above = isBelow[tree.parent[id]];
		isBelow[id] = above || found[tree.key[id]];
		sum += isBelow[id] && !above ? tree.total[id] : 0;
	}
	return sum;
}

function scenePaint() {
	const {profile, state, keys, tree, callersTree, found} = scene;
	const kinds = profile.sent.kinds;
	const drawn = of => ({tree: of, keys, colour: id => id && found[of.key[id]] ? COLOURS_FOUND :
		coloursOf(id ? keys[of.key[id]] : null, kinds)});
	scene.flame.up = state.shape === "flame" && !callersTree;
	const only = of => Math.min(1, of.count - 1); // the function itself, not the root
	const zoom = callersTree && !state.zoom ? only(tree) : stateZoomNode(tree, keys, state.zoom);
	document.getElementById("callers").hidden = !callersTree;
	scene.callers.tree = null;
	if (callersTree)
		flameShow(scene.callers, {...drawn(callersTree), isBare: true}, only(callersTree));
	flameShow(scene.flame, {...drawn(tree), isBare: !!callersTree}, zoom);
	tableShow(scene.table, {profile, keys, rows: scene.rows, focus: scene.focus,
		isFound: key => !state.search || found[key]}, state.sort);
	sceneAbout();
	document.body.dataset.drawn = String(tree.total[0]); // for the tests
}

function sceneAbout() {
	const {profile, state, tree, focus, keys} = scene;
	const sent = profile.sent;
	const words = [wordsAmount(tree.total[0], sent) + " in " + sent.seconds.toFixed(1) + " s from " +
		new Date(sent.start * 1000).toLocaleTimeString()];
	if (focus >= 0)
		words.push("callers and callees of " + keys[focus].name);
	else if (state.focus)
		words.push(state.focus.split("@")[0] + " is not in it");
	for (const [label, value] of Object.entries(state.filters))
		words.push(label + " " + value);
	if (state.search)
		words.push("found: " + wordsShare(sceneFoundTotal(), profile.total));
	if (sent.left_out.nodes)
		words.push(wordsShare(sent.left_out.value, sent.total) + " in " + sent.left_out.nodes +
			" small frames is not drawn apart");
	document.getElementById("about").textContent = words.join(", ");
}

function sceneSay(id, flame = scene.flame) {
	const {tree, keys} = flame;
	const key = id ? keys[tree.key[id]] : {name: "all"};
	document.getElementById("frame").textContent = wordsFrame(key, tree.total[id], scene.profile);
}

// --- what is done ----------------------------------------------------------------------------------

// isStep: "back" undoes it.
function sceneChange(change, isStep = true) {
	Object.assign(scene.state, change);
	stateWrite(scene.state, isStep);
	sceneFromState(Object.keys(change).every(key => ["search", "sort", "shape", "zoom"].includes(key)));
}

function sceneFromState(isSame) {
	controlsShow(scene.state);
	if (!scene.profile)
		return;
	if (!isSame)
		sceneBuild();
	sceneSearch();
	scenePaint();
}

function scenePick(id) {
	sceneChange({zoom: stateZoomText(scene.tree, scene.keys, id)});
	flameMove(scene.flame, scene.flame.zoom);
}

function sceneFocus(key) {
	sceneChange({focus: dataText(scene.keys[key]), zoom: ""});
}

function sceneChooseNode(id, flame) {
	const key = id && flame.keys[flame.tree.key[id]];
	if (key && !key.isGroup)
		sceneFocus(flame.tree.key[id]);
}
