// SPDX-License-Identifier: GPL-2.0-only
// Two stretches beside each other: what grew is red, what shrank is blue, and what chance would do as well is
// grey. The numbers are those of `pyperf-bpf diff`: the base is scaled to the length of the other.

const COMPARE_CHANCE = "#b5b5b5";
const COMPARE_LEGEND = [
	{colour: "rgb(235,115,115)", text: "grew, the stronger the more"},
	{colour: "rgb(115,115,245)", text: "shrank"},
	{colour: COMPARE_CHANCE, text: "may be chance"},
];

// Both profiles have their functions under the same keys then. Returns the key of each function of the base.
function compareKeys(keys, base) {
	const known = new Map(keys.map((key, i) => [dataText(key) + " " + key.kind, i]));
	return base.keys.map(key => {
		const text = dataText(key) + " " + key.kind;
		if (!known.has(text)) {
			known.set(text, keys.length);
			keys.push({...key});
		}
		return known.get(text);
	});
}

function compareScale(profile, base) {
	const scale = profile.sent.seconds / base.sent.seconds;
	return scale > 0 && Number.isFinite(scale) ? scale : 1;
}

// {difference, low, high, isBeyond} of two values.
function compareValues(now, before, pair) {
	const {profile, base, scale, chance} = pair;
	const difference = now - scale * before;
	if (profile.sent.samples === undefined)
		return {difference, low: difference, high: difference, isBeyond: !!difference};
	const samples = (value, of) => of.sent.total ? value * of.sent.samples / of.sent.total : 0;
	const one = of => of.sent.samples ? of.sent.total / of.sent.samples : 0;
	const variance = (value, of, unit) => Math.max(samples(value, of), 1) * unit * unit;
	const deviation = Math.sqrt(variance(before, base, one(base) * scale) +
		variance(now, profile, one(profile)));
	return {difference, low: difference - chance.z * deviation, high: difference + chance.z * deviation,
		isBeyond: Math.abs(difference) > chance.z_rare * deviation};
}

function compareColour(now, before, pair) {
	const {difference, isBeyond} = compareValues(now, before, pair);
	if (!isBeyond)
		return COMPARE_CHANCE;
	const part = Math.min(1, Math.abs(difference) / Math.max(now, before * pair.scale, 1e-9));
	const pale = Math.round(225 - 110 * part);
	return difference > 0 ? "rgb(235," + pale + "," + pale + ")" : "rgb(" + pale + "," + pale + ",245)";
}

function compareWords(now, before, pair) {
	const {difference, low, high, isBeyond} = compareValues(now, before, pair);
	const sent = pair.profile.sent;
	const sign = difference > 0 ? "+" : "";
	const what = !now && before ? "gone" : now && !before ? "new" :
		sign + (before ? 100 * difference / (before * pair.scale) : 0).toFixed(0) + " %";
	const bounds = low === high ? "" :
		" (" + wordsAmount(low, sent) + " to " + wordsAmount(high, sent) + ")";
	return what + ", " + sign + wordsAmount(difference, sent) + bounds +
		(isBeyond ? "" : ", which may be chance");
}
