// SPDX-License-Identifier: GPL-2.0-only
// A strip for each label: how the time is spread over its values. A click on a value leaves only that, one on
// the label's name puts its values above the frames.

const LABELS_SHOWN = 12; // values of a strip; the others are one

// Labels that the profile has, as groups of one or more of the columns of owners.
function labelsOf(profile) {
	const columns = dataLabels(profile);
	const own = columns.filter(name => !["pid", "comm", "tid", "thread"].includes(name));
	return ["process", ...columns.includes("tid") ? ["thread"] : [], ...own,
		...profile.sent.packages ? ["package"] : []];
}

// The key of the address that chooses a value of a label.
function labelsKey(label) {
	return {process: "pid", thread: "tid"}[label] || label;
}

// What each owner has. Names are only made of the sums, for there are fewer owners than nodes.
function labelsOfOwners(profile) {
	const {count, depth, of, self} = profile;
	const sums = new Float64Array(profile.owners);
	let owner = 0;
	for (let i = 0; i < count; i++) {
		if (!depth[i])
			owner = of[i];
		sums[owner] += self[i];
	}
	return sums;
}

// What each function has as the one whose package has it; the last place is none's.
function labelsOfPackages(profile, takes) {
	const none = profile.keys.length;
	const sums = new Float64Array(none + 1);
	viewEach(profile, takes, i => {
		if (profile.self[i])
			sums[profile.depth[i] ? profile.of[rowsOwn(profile, i, ROWS_PACKAGES)] : none] +=
				profile.self[i];
	});
	return sums;
}

// {name, value, filter} of each value, the largest first. owners: of labelsOfOwners().
function labelsSums(profile, takes, label, owners) {
	const isPackage = label === "package";
	const sums = new Map();
	(isPackage ? labelsOfPackages(profile, takes) : owners).forEach((value, place) => {
		if (!value || (!isPackage && !takes[place]))
			return;
		const key = profile.keys[place];
		const name = isPackage ? (key ? key.package : "") : dataGroup(profile, place, label);
		const sum = sums.get(name) || {name, value: 0, filter: isPackage ? name :
			dataValue(profile, place, labelsKey(label))};
		sum.value += value;
		sums.set(name, sum);
	});
	return [...sums.values()].sort((a, b) => b.value - a.value);
}

function labelsSegment(sum, label, isChosen) {
	const {profile, state} = scene;
	const title = sum.name + ", " + wordsAmount(sum.value, profile.sent) + ", " +
		wordsShare(sum.value, profile.total);
	const button = wordsElement("button", {type: "button", title, "aria-pressed": String(isChosen)},
		sum.name);
	button.style.flexGrow = String(sum.value);
	const colour = label === "package" && profile.names.package.includes(sum.name) ?
		coloursOfName(sum.name, label) : coloursShade("#8fb4c9", sum.name);
	Object.assign(button.style, {backgroundColor: colour, color: coloursText(colour)});
	Object.assign(button.dataset, {value: sum.value, filter: sum.filter});
	button.addEventListener("click", () => {
		const filters = {...state.filters};
		if (isChosen)
			delete filters[labelsKey(label)];
		else
			filters[labelsKey(label)] = sum.filter;
		sceneChange({filters, zoom: ""});
	});
	return button;
}

function labelsStrip(label, sums) {
	const isGroup = scene.state.group === label;
	const name = wordsElement("button", {type: "button", className: "by", "aria-pressed": String(isGroup),
		title: "above the frames"}, label);
	name.addEventListener("click", () => sceneChange({group: isGroup ? "process" : label, zoom: ""}));
	const isChosen = labelsKey(label) in scene.state.filters;
	const segments = sums.slice(0, LABELS_SHOWN).filter(sum => sum.filter)
		.map(sum => labelsSegment(sum, label, isChosen));
	const rest = [...sums.slice(LABELS_SHOWN), ...sums.slice(0, LABELS_SHOWN).filter(sum => !sum.filter)];
	if (rest.length) {
		const others = wordsElement("span", {},
			rest.length === 1 ? rest[0].name : rest.length + " more");
		others.style.flexGrow = String(rest.reduce((sum, one) => sum + one.value, 0));
		segments.push(others);
	}
	const strip = wordsElement("div", {className: "strip", role: "group", "aria-label": label}, name,
		wordsElement("div", {className: "segments"}, ...segments));
	strip.dataset.label = label;
	rovingOpen(strip);
	return strip;
}

// The keyboard's place stays where it was: at the same value, or at the label's name.
function labelsFocus(place, was) {
	const strip = was && place.querySelector("[data-label='" + was.label + "']");
	if (!strip)
		return;
	const value = [...strip.querySelectorAll("[data-filter]")].find(one =>
		one.dataset.filter === was.filter);
	(value || strip.querySelector(".by")).focus();
	rovingShow(strip);
}

function labelsFocused(place) {
	const button = document.activeElement;
	return place.contains(button) ? {label: button.closest(".strip").dataset.label,
		filter: button.dataset.filter} : null;
}

function labelsGroups(labels) {
	const {group} = scene.state;
	const select = document.getElementById("group");
	const offered = labels.includes(group) ? labels : [...labels, group];
	select.replaceChildren(...offered.map(label => wordsElement("option", {value: label}, label)));
	select.value = group;
}

// Labels of which all stacks have one value have nothing to tell.
function labelsShow() {
	const {profile, state, takes} = scene;
	const strips = [];
	const owners = labelsOfOwners(profile);
	for (const label of labelsOf(profile)) {
		const sums = labelsSums(profile, takes, label, owners);
		if (sums.length > 1 || labelsKey(label) in state.filters)
			strips.push(labelsStrip(label, sums));
	}
	const place = document.getElementById("labels");
	const was = labelsFocused(place);
	place.replaceChildren(...strips);
	labelsFocus(place, was);
	labelsGroups(labelsOf(profile));
}
