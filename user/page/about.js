// SPDX-License-Identifier: GPL-2.0-only
// The line above the graph, and a frame in one line of words.

// Of what is drawn: a stack counts once, however many of its frames are found.
function aboutFound() {
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

function aboutAmount(value, sent) {
	const seconds = sent.seconds.toFixed(sent.seconds < 1 ? 3 : 1);
	return wordsAmount(value, sent) + " in " + seconds + " s from " +
		new Date(sent.start * 1000).toLocaleTimeString();
}

function aboutSay(text) {
	Object.assign(document.getElementById("about"), {textContent: text, title: text});
}

function aboutShow() {
	const {profile, state, tree, focus, keys, pair} = scene;
	const sent = profile.sent;
	const words = [aboutAmount(tree.total[0], sent)];
	if (pair)
		words.push("beside " + aboutAmount(tree.baseTotal[0], pair.base.sent) + ": " +
			compareWords(tree.total[0], tree.baseTotal[0], pair));
	if (focus >= 0)
		words.push("callers and callees of " + keys[focus].name);
	else if (state.focus)
		words.push(state.focus.split("@")[0] + " is not in it");
	for (const [label, value] of Object.entries(state.filters))
		words.push(label + " " + value);
	if (state.search)
		words.push("found: " + wordsShare(aboutFound(), profile.total));
	if (sent.left_out.nodes)
		words.push(wordsShare(sent.left_out.value, sent.total) + " in " + sent.left_out.nodes +
			" small frames is not drawn apart");
	aboutSay(words.join(", "));
}

function sceneWords(id, flame) {
	const {tree, keys} = flame;
	const key = id ? keys[tree.key[id]] : {name: "all"};
	const words = wordsFrame(key, tree.total[id], scene.profile);
	if (!scene.pair)
		return words;
	return words + ": " + compareWords(tree.total[id], tree.baseTotal[id], scene.pair);
}

// Between callers and callees: whose they are.
function aboutItself(isCalled) {
	const {focus, keys, rows, profile} = scene;
	const place = document.getElementById("itself");
	const row = rows.find(one => one.key === focus);
	place.hidden = focus < 0 || !row;
	if (place.hidden)
		return;
	const share = wordsShare(row.total, profile.total) + " of all, itself " +
		wordsShare(row.self, profile.total);
	const small = (text, title = "") => wordsElement("small", {title}, text);
	place.replaceChildren(small(isCalled ? "\u25b2 callers" : "no callers"),
		wordsElement("b", {}, keys[focus].name),
		small(dataShortWhere(keys[focus]), dataWhere(keys[focus])), wordsElement("span", {}, share),
		small("callees \u25bc"));
}

// In the place of a graph that has nothing in it.
function aboutEmpty() {
	const {tree, state} = scene;
	const place = document.getElementById("empty");
	place.hidden = tree.total[0] > 0 || tree.baseTotal[0] > 0;
	place.textContent = Object.keys(state.filters).length || state.focus ?
		"Nothing of this stretch of time has what is chosen. \u201cwhole\u201d shows all of it." :
		"Nothing was counted in this stretch of time.";
}
