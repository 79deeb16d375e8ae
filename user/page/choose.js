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

// From where the mouse is pressed to where it is let go. move(event, isLonger): it is over another place.
function chooseDrag(element, isReady, move, take) {
	let isDragged = false;
	element.addEventListener("pointerdown", event => {
		if (!isReady())
			return;
		element.setPointerCapture(event.pointerId);
		isDragged = true;
		move(event, false);
	});
	element.addEventListener("pointermove", event => {
		if (isDragged)
			move(event, true);
	});
	element.addEventListener("pointerup", () => {
		if (!isDragged)
			return;
		isDragged = false;
		take();
	});
}

function chooseOpen() {
	const axis = document.getElementById("axis");
	chooseDrag(axis, () => true, (event, isLonger) => chooseMove(choosePlace(event), isLonger),
		() => timesTake(timesStretch(...timesChosen())));
	axis.addEventListener("keydown", chooseKeys);
	axis.addEventListener("focus", () => times.known && timesSay());
	document.getElementById("newest").addEventListener("click", chooseNewest);
	const kinds = document.getElementById("kinds");
	kinds.addEventListener("click", () => {
		const isAll = axis.classList.toggle("all");
		kinds.setAttribute("aria-expanded", String(isAll));
		window.dispatchEvent(new Event("resize")); // the graph has another height
	});
}
