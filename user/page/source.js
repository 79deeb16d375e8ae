// SPDX-License-Identifier: GPL-2.0-only
// The text of lines of a function (--listen-source), as a process of those that are shown has it. It is
// asked for when the lines are looked at. Texts are foreign: they are only ever set as text.

const SOURCE_LINES = 400; // user/proc/source_text.h
const SOURCE_KEPT = 20; // answers
const SOURCE_TRIES = 4; // processes; the first may have ended
const SOURCE_UNSEEN = new RegExp("[\\0-\\x08\\x0a-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e" +
	"\\u2066-\\u2069\\ufeff]", "g");
const source = {kept: new Map()};

// What is not to be seen, or turns the direction of text around, is written out.
function sourcePlain(text) {
	return text.replace(SOURCE_UNSEEN, one =>
		"\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
}

// Processes that have the function in stacks that are shown, the one that has most first.
function sourcePids(of) {
	const {part, takes} = scene;
	const found = new Map();
	viewEach(part, takes, (i, owner) => {
		const pid = part.depth[i] && part.of[i] === of && dataValue(part, owner, "pid");
		if (pid)
			found.set(pid, (found.get(pid) || 0) + part.totals[i]);
	});
	return [...found].sort((a, b) => b[1] - a[1]).map(([pid]) => pid);
}

// The lines from the first of the function to the last that was counted; of too many, those around the one
// with most.
function sourceStretch(key, rows) {
	const last = rows.at(-1).line;
	const first = Math.max(1, Math.min(key.line || 1, last));
	if (last - first < SOURCE_LINES)
		return [first, last];
	const {line} = rows.reduce((a, b) => b.total > a.total ? b : a);
	const from = Math.max(first, Math.min(line - SOURCE_LINES / 2, last - SOURCE_LINES + 1));
	return [from, from + SOURCE_LINES - 1];
}

async function sourceAsk(query) {
	const answer = await fetch("debug/pyperf/source?" + query);
	const text = await answer.text();
	if (!answer.ok)
		return {status: answer.status, refused: text.trim()};
	return {...JSON.parse(text), isGiven: true};
}

// From one process after the other, until one has it.
async function sourceLoad(key, stretch, pids) {
	const {name, file, line} = key;
	const [from, to] = stretch;
	let answer = {refused: "no process that is shown has it"};
	for (const pid of pids.slice(0, SOURCE_TRIES)) {
		answer = await sourceAsk(new URLSearchParams({pid, name, file, line, from, to}));
		if (answer.isGiven)
			break;
	}
	return answer;
}

// Keeps what comes under a name, and calls show() then. An answer that may be another one soon is not kept.
async function sourceKeep(name, key, stretch, pids, show) {
	source.kept.set(name, {refused: "looking for the text"});
	if (source.kept.size > SOURCE_KEPT)
		source.kept.delete(source.kept.keys().next().value);
	let answer;
	try {
		answer = await sourceLoad(key, stretch, pids);
	} catch (failure) {
		answer = {status: 503, refused: "no answer: " + failure};
	}
	source.kept.set(name, answer);
	show();
	if (answer.status === 503)
		source.kept.delete(name);
}

// What is known of the text of these lines; null where there is none to be had. show() is called when there
// is more to say.
function sourceOf(of, rows, show) {
	const key = scene.keys[of];
	if (!times.known || !times.known.source || key.isNative || !key.file.endsWith(".py"))
		return null;
	const pids = sourcePids(of);
	const stretch = sourceStretch(key, rows);
	const name = [dataText(key), stretch, pids[0]].join();
	if (!source.kept.has(name))
		sourceKeep(name, key, stretch, pids, show);
	return source.kept.get(name);
}

// What is said of it above the lines.
function sourceWords(text) {
	if (!text.isGiven)
		return text.refused;
	return text.file + " as process " + text.pid + " has it";
}
