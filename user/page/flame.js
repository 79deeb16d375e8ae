// SPDX-License-Identifier: GPL-2.0-only
// Draws a tree on a canvas: only rows that can be seen, and no frame of less than half a pixel, so what it
// takes depends on the window and not on the tree.

const FLAME_ROW = 18;
const FLAME_LEAST = 0.5; // pixels

// place: an element that scrolls. up: callers below callees. pick(node) gets what was chosen.
function flameNew(place, up, pick) {
	const canvas = wordsElement("canvas", {tabIndex: 0, role: "application",
		"aria-label": up ? "callers, upwards" : "flame graph: arrow keys go from frame to frame",
		"aria-describedby": "frame"});
	const over = wordsElement("div", {className: "over", hidden: true});
	const space = wordsElement("div", {className: "space"}, canvas, over);
	place.replaceChildren(space);
	const flame = {place, canvas, space, over, up, pick, tree: null, zoom: 0, at: 0, rects: []};
	place.addEventListener("scroll", () => flamePaint(flame));
	canvas.addEventListener("mousemove", event => flamePoint(flame, event));
	canvas.addEventListener("click", event => flameClick(flame, event));
	canvas.addEventListener("focus", () => flameMove(flame, flame.at));
	canvas.addEventListener("mouseleave", () => flameLeave(flame));
	canvas.addEventListener("blur", () => flameLeave(flame));
	flameKeys(flame);
	return flame;
}

// drawn: {tree, keys, colour(id), isBare: without what is above, isHeadless: without the root itself}
function flameShow(flame, drawn, zoom) {
	const isOther = flame.tree !== drawn.tree || flame.zoom !== zoom;
	Object.assign(flame, drawn, {zoom, at: isOther ? zoom : flame.at});
	flamePlace(flame);
	if (isOther || flame.up !== flame.wasUp)
		flame.place.scrollTop = flame.up ? flame.place.scrollHeight : 0;
	flame.wasUp = flame.up;
	flamePaint(flame);
}

// Where each frame is that is wide enough: {id, row, x, width}, callers first.
function flamePlace(flame) {
	const {tree, zoom, place} = flame;
	const above = [];
	for (let id = zoom; id > 0 && !flame.isBare; id = tree.parent[id])
		above.unshift(tree.parent[id]);
	const width = place.clientWidth;
	flame.rects = above.map((id, row) => ({id, row, x: 0, width}));
	const scale = tree.size[zoom] ? width / tree.size[zoom] : 0;
	const left = [{id: zoom, row: above.length, x: 0, width}];
	let rows = 0;
	while (left.length) {
		const rect = left.pop();
		flame.rects.push(rect);
		rows = Math.max(rows, rect.row + 1);
		let x = rect.x;
		for (const id of treeCallees(tree, rect.id)) {
			const size = tree.size[id] * scale;
			if (size < FLAME_LEAST)
				break; // the largest come first
			left.push({id, row: rect.row + 1, x, width: size});
			x += size;
		}
	}
	flame.rows = Math.max(rows, above.length + 1);
	if (flame.isHeadless) { // the root is drawn elsewhere
		flame.rects = flame.rects.filter(rect => rect.id !== zoom)
			.map(rect => ({...rect, row: rect.row - 1}));
		flame.rows--;
	}
	flame.space.style.height = flame.rows * FLAME_ROW + "px";
}

function flameTop(flame, row) {
	return (flame.up ? flame.rows - 1 - row : row) * FLAME_ROW;
}

function flamePaint(flame) {
	const {canvas, place, tree, keys} = flame;
	if (!tree)
		return;
	const ratio = window.devicePixelRatio || 1;
	const width = place.clientWidth;
	const height = flame.isPrinted ? flame.rows * FLAME_ROW :
		Math.min(flame.rows * FLAME_ROW, place.clientHeight || Infinity);
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	const pen = canvas.getContext("2d");
	pen.scale(ratio, ratio);
	pen.font = "12px system-ui, sans-serif";
	pen.textBaseline = "middle";
	const isActive = document.activeElement === canvas;
	for (const rect of flame.rects) {
		const y = flameTop(flame, rect.row) - (flame.isPrinted ? 0 : place.scrollTop);
		if (y < -FLAME_ROW || y > height)
			continue;
		flamePaintFrame(pen, rect, y, flame.colour(rect.id),
			rect.id ? keys[tree.key[rect.id]].name : "all");
		if (rect.id && rect.id === flame.marked)
			flameFrame(pen, rect, y, 3);
		if (isActive && rect.id === flame.at)
			flameFrame(pen, rect, y, 2);
	}
}

function flameFrame(pen, rect, y, width) {
	pen.lineWidth = width;
	pen.strokeStyle = "#000";
	pen.strokeRect(rect.x + 1, y + 1, Math.max(rect.width - 3, 1), FLAME_ROW - 3);
}

function flamePaintFrame(pen, rect, y, colour, name) {
	pen.fillStyle = colour;
	pen.fillRect(rect.x, y, Math.max(rect.width - 0.5, FLAME_LEAST), FLAME_ROW - 1);
	if (rect.width < 24)
		return;
	pen.fillStyle = coloursText(colour);
	const most = Math.floor((rect.width - 6) / 5);
	let text = name.length > most ? name.slice(0, most) : name;
	while (text && pen.measureText(text).width > rect.width - 6)
		text = text.slice(0, -1);
	pen.fillText(text, rect.x + 3, y + FLAME_ROW / 2);
}

function flameUnder(flame, event) {
	const box = flame.canvas.getBoundingClientRect();
	const x = event.clientX - box.left;
	const y = event.clientY - box.top + flame.place.scrollTop;
	return flame.rects.find(rect => rect.x <= x && x < rect.x + rect.width &&
		flameTop(flame, rect.row) <= y && y < flameTop(flame, rect.row) + FLAME_ROW);
}

// A frame that is pointed at is framed by an element above the canvas, so that nothing is painted anew.
function flamePoint(flame, event) {
	const rect = flameUnder(flame, event);
	flame.canvas.style.cursor = rect ? "pointer" : "default";
	flame.over.hidden = !rect;
	if (!rect) {
		tipHide();
		return;
	}
	flame.over.style.transform = "translate(" + rect.x + "px," + flameTop(flame, rect.row) + "px)";
	flame.over.style.width = Math.max(rect.width, 3) + "px";
	tipShow(tipText(rect.id, flame), event.clientX, event.clientY);
}

function flameLeave(flame) {
	flame.over.hidden = true;
	tipHide();
	flamePaint(flame);
}

function flameClick(flame, event) {
	const rect = flameUnder(flame, event);
	if (rect)
		flame.pick(rect.id);
}
