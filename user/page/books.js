// SPDX-License-Identifier: GPL-2.0-only
// What became of all events of a kind: which of them are in no profile, and why.

function booksRow(outcome, event) {
	const count = event.unit === "count" ? outcome.count.toLocaleString("en") :
		wordsAmount(outcome.count, event);
	const row = wordsElement("tr", {}, wordsElement("td", {className: "number"}, count),
		wordsElement("td", {className: "number"}, wordsShare(outcome.count, event.total)),
		wordsElement("td", {}, outcome.text));
	row.dataset.outcome = outcome.outcome;
	row.dataset.count = outcome.count;
	return row;
}

function booksPart(title, outcomes, event) {
	if (!outcomes.length)
		return [];
	const body = wordsElement("tbody", {}, ...outcomes.map(outcome => booksRow(outcome, event)));
	return [wordsElement("table", {}, wordsElement("caption", {}, title), body)];
}

// intervals: what /debug/pyperf/intervals says.
function booksShow(intervals, type) {
	const event = intervals.events.find(one => one.event === type) || intervals.events[0];
	const place = document.getElementById("books");
	place.hidden = !event;
	if (!event)
		return;
	const nouns = event.unit === "count" ? event.noun + "s" : event.resource;
	const asked = event.total - event.not_asked;
	const lost = event.outside - event.not_asked;
	const share = asked ? 100 * lost / asked : 0;
	const words = lost ? (share < 0.1 ? "less than 0.1" : share.toFixed(1)) + " % of the " + nouns +
		" are not in here: why" : "all " + nouns + " are in here";
	const outcomes = place => event.outcomes.filter(one => one.place === place)
		.sort((a, b) => b.count - a.count);
	place.replaceChildren(wordsElement("summary", {}, words),
		...booksPart("not in here", outcomes("outside"), event),
		...booksPart("in here, and something of the stack is missing", outcomes("marked"), event),
		...booksPart("in here", [...outcomes("whole"), ...outcomes("named")], event),
		...booksPart("of what was not asked for", outcomes("not asked"), event));
	Object.assign(place.dataset, {lost, asked});
}
