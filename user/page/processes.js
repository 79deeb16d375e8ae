// SPDX-License-Identifier: GPL-2.0-only
// Who is being profiled, as it is now: the list is the server's, the hottest first. Those that used nothing
// are folded away, and so are those that have ended, of which only what is shown knows.

const PROCESSES_LEAST = 2000; // milliseconds from one look at the list to the next
const processes = {asked: 0, released: Promise.resolve()}; // of the button that is pressed in the list

function processesOwn(row) {
	return row.querySelector("a") ? row.querySelector("a").textContent : "";
}

// Those of the profile that the list has not: {name, filter: the pid, value}.
function processesEnded(profile, rows) {
	const live = new Set(rows.map(processesOwn));
	const all = new Array(profile.owners).fill(true);
	return labelsSums(profile, all, "process", labelsOfOwners(profile)).filter(sum => sum.filter &&
		!live.has(sum.filter));
}

function processesFold(text, id, content) {
	const part = wordsElement("details", {id}, wordsElement("summary", {}, text), content);
	const was = document.getElementById(id);
	part.open = !!was && was.open;
	return part;
}

function processesEndedTable(ended, profile) {
	return wordsElement("table", {}, wordsElement("tbody", {}, ...ended.map(sum => {
		const row = wordsElement("tr", {}, wordsElement("td", {}, sum.name),
			wordsElement("td", {className: "number"}, wordsAmount(sum.value, profile.sent)),
			wordsElement("td", {className: "number"}, wordsShare(sum.value, profile.total)));
		row.dataset.pid = sum.filter;
		return row;
	})));
}

// list: the server's, which is taken apart.
function processesShow(list) {
	const rows = [...list.querySelectorAll("tbody tr")];
	const idle = rows.filter(row => /^0(\.0*)?( |$)/.test(row.children[5].textContent));
	const parts = [...list.children];
	if (idle.length && idle.length < rows.length) {
		const body = wordsElement("tbody", {}, ...idle);
		parts.push(processesFold(idle.length + " that used nothing in the last interval", "idle",
			wordsElement("table", {}, list.querySelector("thead").cloneNode(true), body)));
	}
	const {profile} = scene;
	const ended = profile ? processesEnded(profile, rows) : [];
	if (ended.length)
		parts.push(processesFold(ended.length + " that have ended, or are not looked at any more",
			"ended", processesEndedTable(ended, profile)));
	if (!rows.length)
		parts.unshift(wordsElement("p", {className: "pale"}, "No Python process is there just now."));
	document.getElementById("processes").replaceChildren(...parts);
	stacksLinks();
}

// As the server says it now.
async function processesLoad() {
	if (document.hidden || Date.now() - processes.asked < PROCESSES_LEAST)
		return;
	processes.asked = Date.now();
	let text;
	try {
		const answer = await fetch(location.pathname);
		text = answer.ok ? await answer.text() : "";
	} catch (failure) {
		return; // the profiler has ended: what is there stays
	}
	const page = new DOMParser().parseFromString(text, "text/html");
	if (!page.getElementById("processes"))
		return;
	await processes.released;
	document.getElementById("state").replaceChildren(...page.getElementById("state").childNodes);
	processesShow(page.getElementById("processes"));
}

// What is pressed stays until it is released: a link that were another one by then would not be followed.
function processesPressed() {
	processes.released = new Promise(done => {
		for (const end of ["pointerup", "pointercancel"])
			window.addEventListener(end, () => setTimeout(done), {once: true}); // after the click
	});
}

function processesOpen() {
	const run = document.getElementById("run");
	run.addEventListener("pointerenter", processesLoad);
	run.addEventListener("pointerdown", processesPressed);
	processesShow(document.getElementById("processes").cloneNode(true));
}
