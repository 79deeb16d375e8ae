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
