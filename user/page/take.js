// SPDX-License-Identifier: GPL-2.0-only
// What is shown, as a file: in the formats of the server, of which the interval is then the one that is
// shown, and as a picture.

function takeLinks(profile, state, known) {
	const query = new URLSearchParams();
	query.set("type", profile.sent.event);
	if (state.hide)
		query.set("hide", state.hide);
	for (const [label, value] of Object.entries(state.filters))
		if (known.labels.includes(label))
			query.set(label, value);
	const {isLog, from, to} = state.at ? timesParse(state.at) : {from: profile.sent.start,
		to: profile.sent.start + profile.sent.seconds};
	query.set("from", from.toFixed(3));
	query.set("to", to.toFixed(3));
	const place = "debug/pyperf/" + (isLog ? "log?" : "interval?");
	const links = known.formats.map(format => {
		query.set("format", format);
		return wordsElement("a", {href: place + query, download: ""}, format);
	});
	return isLog || !known.log ? links : links.concat(takeLines(query));
}

// The same time of the log, with all kinds of events, as lines; the sums of an interval have none.
function takeLines(query) {
	query.delete("type");
	query.delete("hide");
	return ["speedscope", "firefox"].map(format => {
		query.set("format", format);
		return wordsElement("a", {href: "debug/pyperf/log?" + query, download: ""},
			"time line (" + format + ")");
	});
}

// The files for speedscope once more, as links that open them in its own page (--speedscope).
function takeOpened(links) {
	return links.filter(link => link.href.includes("format=speedscope")).map(link => {
		const isLines = link.textContent.startsWith("time line");
		const href = "speedscope/#profileURL=" + encodeURIComponent(link.href);
		return wordsElement("a", {href, target: "_blank", rel: "noopener"},
			(isLines ? "time line" : "open") + " in speedscope");
	});
}

function takeSvgEscape(text) {
	return text.replace(/[&<>"']/g, letter => "&#" + letter.charCodeAt(0) + ";")
		.replace(/[\x00-\x08\x0b-\x1f]/g, "?");
}

// The flame graph as it is drawn, all of its rows.
function takeSvg(flame, words) {
	const width = flame.place.clientWidth;
	const parts = ["<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" +
		flame.rows * FLAME_ROW + "\" font-family=\"system-ui, sans-serif\" font-size=\"12\">"];
	const attributes = all => Object.entries(all)
		.map(([name, value]) => " " + name + "=\"" + value + "\"").join("");
	for (const rect of flame.rects) {
		const name = rect.id ? flame.keys[flame.tree.key[rect.id]].name : "all";
		const y = flameTop(flame, rect.row);
		const most = Math.floor((rect.width - 6) / 6.5);
		const box = {x: rect.x.toFixed(1), y, width: Math.max(rect.width - 0.5, 0.5).toFixed(1),
			height: FLAME_ROW - 1, fill: flame.colour(rect.id)};
		const text = most < 2 ? "" : "<text" + attributes({x: (rect.x + 3).toFixed(1), y: y + 13,
			fill: coloursText(box.fill)}) +
			">" + takeSvgEscape(name.slice(0, most)) + "</text>";
		parts.push("<g><title>" + takeSvgEscape(words(rect.id)) + "</title><rect" +
			attributes(box) + "/>" + text + "</g>");
	}
	return parts.join("\n") + "\n</svg>\n";
}

function takeShow(profile, state, known) {
	const picture = wordsElement("button", {type: "button", id: "svg"}, "SVG");
	picture.addEventListener("click", () => {
		const svg = takeSvg(scene.flame, id => sceneWords(id, scene.flame));
		const link = wordsElement("a", {download: "profile.svg",
			href: URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}))});
		link.click();
		URL.revokeObjectURL(link.href);
	});
	const links = known ? takeLinks(profile, state, known) : [];
	document.getElementById("take").replaceChildren(...links,
		...(known && known.speedscope ? takeOpened(links) : []), ...(viewsNow() ? [] : [picture]));
}
