// SPDX-License-Identifier: GPL-2.0-only
// Numbers and frames in words.

function wordsAmount(value, sent) {
	if (sent.unit === "nanoseconds")
		return (value / 1e9).toFixed(Math.abs(value) < 1e7 ? 6 : 2) + " s";
	if (sent.unit === "bytes")
		return (value / 1048576).toFixed(2) + " MiB";
	return Math.round(value).toLocaleString("en") + " " + sent.type;
}

function wordsShare(value, total) {
	return (total ? 100 * value / total : 0).toFixed(1) + " %";
}

function wordsFrame(key, value, profile) {
	const where = dataWhere(key);
	return key.name + (where && " (" + where + ")") + ", " + wordsAmount(value, profile.sent) + ", " +
		wordsShare(value, profile.total);
}

function wordsElement(name, properties, ...content) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(properties || {})) {
		if (key.includes("-") || key === "role")
			element.setAttribute(key, value);
		else
			element[key] = value;
	}
	element.append(...content);
	return element;
}
