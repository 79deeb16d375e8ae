// SPDX-License-Identifier: GPL-2.0-only
// The flame graph by keyboard: arrows go from frame to frame, and each is said in words.

// The nearest callee of `id` on the way to its first one, its caller, or its neighbours.
function keyboardTarget(flame, name) {
	const {tree, at} = flame;
	const towards = flame.up ? {ArrowUp: "in", ArrowDown: "out"} : {ArrowDown: "in", ArrowUp: "out"};
	if (name === "Home")
		return 0;
	if (towards[name] === "in")
		return treeCallees(tree, at)[0] ?? at;
	if (towards[name] === "out")
		return at ? tree.parent[at] : 0;
	if (!at)
		return 0;
	const beside = treeCallees(tree, tree.parent[at]);
	const place = beside.indexOf(at) + (name === "ArrowRight" ? 1 : -1);
	return beside[place] ?? at;
}

function flameMove(flame, id) {
	flame.at = id;
	const rect = flame.rects.find(known => known.id === id);
	if (rect) {
		const y = flameTop(flame, rect.row);
		const {scrollTop, clientHeight} = flame.place;
		if (y < scrollTop || y + FLAME_ROW > scrollTop + clientHeight)
			flame.place.scrollTop = y - clientHeight / 2;
	}
	flamePaint(flame);
	if (document.activeElement === flame.canvas)
		tipAtFrame(flame);
}

function flameKeys(flame) {
	flame.canvas.addEventListener("keydown", event => {
		if (!flame.tree || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (/^Arrow|^Home$/.test(event.key))
			flameMove(flame, keyboardTarget(flame, event.key));
		else if (event.key === "Enter" || event.key === " ")
			flame.pick(flame.at);
		else if (event.key === "Escape" || event.key === "Backspace")
			flame.pick(flame.zoom ? flame.tree.parent[flame.zoom] : 0);
		else if (event.key === "f")
			flame.choose(flame.at);
		else
			return;
		event.preventDefault();
	});
}
