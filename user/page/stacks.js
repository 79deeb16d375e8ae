// SPDX-License-Identifier: GPL-2.0-only
// What a process's threads do now: the address's part behind the '#' says of which process.

const STACKS_LINES = 20000; // of more, threads are not told apart

function stacksShow(text) {
	const place = document.getElementById("stacks-text");
	const lines = text.split("\n");
	if (lines.length > STACKS_LINES) {
		place.textContent = text;
		return;
	}
	place.replaceChildren(...lines.map(line =>
		wordsElement(line.startsWith("  Thread ") ? "b" : "span", {}, line + "\n")));
}

async function stacksLoad() {
	const wanted = /^#stacks=(\d+)$/.exec(location.hash);
	const section = document.getElementById("stacks");
	section.hidden = !wanted;
	if (!wanted)
		return;
	const about = document.getElementById("stacks-about");
	about.textContent = "process " + wanted[1] + ": looking";
	const more = document.getElementById("stacks-async").checked ? "&async=1" : "";
	try {
		const answer = await fetch("debug/pyperf/stacks?pid=" + wanted[1] + more);
		const text = await answer.text();
		if (location.hash !== wanted[0]) // another process was asked for meanwhile
			return;
		stacksShow(text);
		about.textContent = "process " + wanted[1] + " at " + new Date().toLocaleTimeString();
		if (answer.status === 404) // it has ended, and whatever else has is not to stand there either
			processesLoad();
	} catch (failure) {
		about.textContent = "process " + wanted[1] + ": no answer";
	}
	section.scrollIntoView();
}

function stacksLinks() {
	for (const link of document.querySelectorAll("a.now"))
		if (!link.hash)
			link.setAttribute("href", "#stacks=" + new URL(link.href).searchParams.get("pid"));
}

function stacksOpen() {
	document.getElementById("stacks-again").addEventListener("click", stacksLoad);
	document.getElementById("stacks-async").addEventListener("change", stacksLoad);
	window.addEventListener("hashchange", stacksLoad);
	stacksLoad();
}
