// SPDX-License-Identifier: GPL-2.0-only
// A row of buttons or links is one stop of the Tab key; arrows go from one to the next.

const ROVING_ITEMS = "a, button, input, summary";

// What can have the keyboard's place: what a closed menu has in it cannot.
function rovingItems(row) {
	return [...row.querySelectorAll(ROVING_ITEMS)].filter(item =>
		!item.hidden && (item.tagName === "SUMMARY" || !item.closest("details")));
}

// To be called again when the row has other buttons.
function rovingShow(row) {
	const items = rovingItems(row);
	const now = items.find(item => item === document.activeElement) ||
		items.find(item => item.matches("[aria-current], [aria-pressed='true']")) || items[0];
	for (const item of items)
		item.tabIndex = item === now ? 0 : -1;
}

function rovingKeys(row, event) {
	const items = rovingItems(row);
	const at = items.indexOf(event.target);
	const places = {ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowDown: at + 1, Home: 0,
		End: items.length - 1};
	if (at < 0 || !(event.key in places) || event.ctrlKey || event.altKey || event.metaKey)
		return;
	const next = items[(places[event.key] + items.length) % items.length];
	for (const item of items)
		item.tabIndex = item === next ? 0 : -1;
	next.focus();
	event.preventDefault();
}

function rovingOpen(row) {
	row.addEventListener("keydown", event => rovingKeys(row, event));
	rovingShow(row);
}
