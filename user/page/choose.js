// SPDX-License-Identifier: GPL-2.0-only
// Choosing a stretch on the time axis, by mouse and by keyboard.

function choosePlace(event) {
	const box = document.querySelector("#axis .marks").getBoundingClientRect();
	const span = timesSpan();
	const at = span.start + span.length * (event.clientX - box.left) / box.width;
	const place = times.known.intervals.findIndex(one => at < one.start + one.seconds);
	return place < 0 ? times.known.intervals.length - 1 : place;
}

function chooseMove(place, isLonger) {
	times.cursor = Math.max(0, Math.min(place, times.known.intervals.length - 1));
	if (!isLonger)
		times.anchor = times.cursor;
	timesShow();
}

function chooseKeys(event) {
	const last = times.known.intervals.length - 1;
	const at = times.cursor < 0 ? last : times.cursor;
	const places = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last};
	if (event.key in places)
		chooseMove(times.cursor < 0 ? last : places[event.key], event.shiftKey && times.cursor >= 0);
	else if (event.key === "Enter" && times.cursor >= 0)
		timesTake(timesStretch(...timesChosen()));
	else if (event.key === "Escape")
		chooseNewest();
	else
		return;
	event.preventDefault();
}

function chooseNewest() {
	times.cursor = -1;
	sceneChange({at: "", base: ""});
	timesShow();
}

function chooseOpen() {
	const axis = document.getElementById("axis");
	axis.addEventListener("pointerdown", event => {
		axis.setPointerCapture(event.pointerId);
		times.drag = event.pointerId;
		chooseMove(choosePlace(event), false);
	});
	axis.addEventListener("pointermove", event => {
		if (times.drag !== null)
			chooseMove(choosePlace(event), true);
	});
	axis.addEventListener("pointerup", () => {
		if (times.drag === null)
			return;
		times.drag = null;
		timesTake(timesStretch(...timesChosen()));
	});
	axis.addEventListener("keydown", chooseKeys);
	axis.addEventListener("focus", () => times.known && timesSay());
	document.getElementById("newest").addEventListener("click", chooseNewest);
}
