// SPDX-License-Identifier: GPL-2.0-only
// Keys of the whole page, the help that names them, and the address that leads to what is seen.

function keysIsTyped(element) {
	return element.matches("input:not([type=checkbox]):not([type=radio]), select, textarea");
}

function keysPressed(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.key === "Escape")
		keysCloseMenus(null);
	if (keysIsTyped(event.target) || document.getElementById("help").open)
		return;
	if (event.key === "/")
		document.getElementById("search").select();
	else if (event.key === "?")
		document.getElementById("help").showModal();
	else
		return;
	event.preventDefault();
}

// All but the one that has this in it.
function keysCloseMenus(inside) {
	for (const menu of document.querySelectorAll("details.menu[open]"))
		if (!menu.contains(inside))
			menu.open = false;
}

// The interval that is shown stays the one that the address means; what others are shown moves on.
function keysPinned() {
	const {state, profile} = scene;
	const {start, seconds} = profile ? profile.sent : {};
	const at = state.at || (profile && !document.getElementById("data") ?
		start.toFixed(3) + "-" + (start + seconds).toFixed(3) : "");
	return location.origin.replace(/^null$/, "file://") + location.pathname +
		stateQuery({...state, at, live: ""});
}

// A browser gives the clipboard only to pages that it thinks safe, and http from elsewhere is none. The older
// way is open to those.
async function keysToClipboard(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch (failure) {
		const field = wordsElement("textarea", {value: text});
		document.body.append(field);
		field.select();
		const isDone = document.execCommand("copy");
		field.remove();
		return isDone;
	}
}

async function keysCopy() {
	const button = document.getElementById("copy");
	const isDone = await keysToClipboard(keysPinned());
	button.textContent = isDone ? "copied" : "not copied";
	button.focus();
	setTimeout(() => button.textContent = "copy link", 1500);
}

function keysOpen() {
	const help = document.getElementById("help");
	const addresses = document.getElementById("addresses");
	if (addresses)
		help.append(addresses.content);
	document.addEventListener("keydown", keysPressed);
	document.addEventListener("click", event => keysCloseMenus(event.target));
	document.getElementById("help-open").addEventListener("click", () => help.showModal());
	document.getElementById("copy").addEventListener("click", keysCopy);
	for (const id of ["events", "views", "actions", "time-tools"]) {
		const row = document.getElementById(id);
		if (row)
			rovingOpen(row);
	}
}
