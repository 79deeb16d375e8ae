// SPDX-License-Identifier: GPL-2.0-only
// What is said of a frame, where it is: at the pointer, or below the frame that the keyboard is at.

const TIP_AWAY = 14; // pixels between the pointer and the words

// Name; share and amount; the whole place; in a difference what became of it.
function tipText(id, flame) {
	const {tree, keys} = flame;
	const key = id ? keys[tree.key[id]] : {name: "all", file: ""};
	const {sent, total} = scene.profile;
	const own = id && tree.self[id] ? ", itself " + wordsShare(tree.self[id], total) : "";
	const lines = [key.name, wordsShare(tree.total[id], total) + " of all, " +
		wordsAmount(tree.total[id], sent) + own];
	if (key.file)
		lines.push(dataWhere(key));
	if (scene.pair)
		lines.push(compareWords(tree.total[id], tree.baseTotal[id], scene.pair));
	return lines.join("\n");
}

// x, y: of the window. Where there is no room below, the words are above.
function tipShow(text, x, y) {
	const tip = document.getElementById("frame");
	if (tip.textContent !== text)
		tip.textContent = text;
	tip.classList.add("shown");
	const {offsetWidth: width, offsetHeight: height} = tip;
	const left = Math.max(4, Math.min(x + TIP_AWAY, innerWidth - width - 4));
	const below = y + TIP_AWAY;
	const top = below + height <= innerHeight - 4 ? below : Math.max(4, y - height - TIP_AWAY);
	tip.style.transform = "translate(" + left + "px," + top + "px)";
}

function tipHide() {
	document.getElementById("frame").classList.remove("shown");
}

// The keyboard is at a frame.
function tipAtFrame(flame) {
	const rect = flame.rects.find(known => known.id === flame.at);
	const box = flame.place.getBoundingClientRect();
	const row = rect ? flameTop(flame, rect.row) - flame.place.scrollTop : 0;
	tipShow(tipText(flame.at, flame), box.left + (rect ? Math.max(rect.x, 0) : 0), box.top + row +
		FLAME_ROW - TIP_AWAY + 4);
}
