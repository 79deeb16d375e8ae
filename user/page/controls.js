// SPDX-License-Identifier: GPL-2.0-only
// Buttons and fields above the graph: each changes a part of what is looked at.

const CONTROLS_FIELDS = ["search", "order", "shape", "colour"];

function controlsOpen() {
	for (const name of CONTROLS_FIELDS) {
		const field = document.getElementById(name);
		field.addEventListener("input", () => {
			const more = name === "order" ? {zoom: ""} : {};
			sceneChange({[name]: field.value, ...more}, name !== "search");
		});
	}
	const group = document.getElementById("group");
	group.addEventListener("change", () => sceneChange({group: group.value, zoom: ""}));
	document.getElementById("reset").addEventListener("click", () =>
		sceneChange({focus: "", zoom: "", search: "", filters: {}, base: ""}));
	const fold = document.getElementById("fold");
	fold.addEventListener("change", () =>
		sceneChange({fold: fold.checked ? "yes" : "", zoom: "", focus: ""}));
	const live = document.getElementById("live");
	if (live)
		live.addEventListener("change", () => sceneChange({live: live.checked ? "" : "off"}));
}

function controlsShow(state) {
	for (const name of CONTROLS_FIELDS) {
		const field = document.getElementById(name);
		if (field.value !== state[name])
			field.value = state[name];
	}
	document.getElementById("fold").checked = !!state.fold;
	const live = document.getElementById("live");
	if (live) {
		live.checked = !state.live;
		document.getElementById("heat").open = !!state.heat;
	}
	controlsEvents(state);
}

// The links to the kinds of events keep the rest. The first kind is what comes without one.
function controlsEvents(state) {
	document.querySelectorAll("#events a").forEach((link, i) => {
		const type = new URLSearchParams(link.search).get("type");
		link.search = stateQuery({...state, type, view: ""});
		if (type === state.type || (!state.type && !i))
			link.setAttribute("aria-current", "page");
		else
			link.removeAttribute("aria-current");
	});
	rovingShow(document.getElementById("events"));
}
