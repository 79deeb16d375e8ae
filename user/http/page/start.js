// SPDX-License-Identifier: GPL-2.0-only
// Loads a profile and shows it.

function loadQuery(state) {
	const query = new URLSearchParams();
	for (const key of ["type", "hide"])
		if (state[key])
			query.set(key, state[key]);
	const text = query.toString();
	return text && "?" + text;
}

async function load() {
	const answer = await fetch("debug/pyperf/interval" + loadQuery(scene.state));
	if (!answer.ok) {
		document.getElementById("about").textContent = (await answer.text()).trim();
		if (answer.status === 503)
			setTimeout(load, 1000);
		return;
	}
	scene.profile = dataRead(await answer.json());
	controlsLegend(scene.profile, scene.state);
	sceneFromState(false);
}

document.addEventListener("DOMContentLoaded", () => {
	scene.state = stateRead(location.search);
	sceneOpen();
	controlsOpen();
	controlsEvents(scene.state);
	controlsShow(scene.state);
	stacksOpen();
	load();
});
window.addEventListener("popstate", () => {
	const before = scene.state;
	scene.state = stateRead(location.search);
	if (loadQuery(before) === loadQuery(scene.state))
		sceneFromState(false);
	else
		load();
});
window.addEventListener("resize", () => scene.profile && scenePaint());
