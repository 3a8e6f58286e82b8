// Shared by the pages that check what is pasted into them. Nothing leaves the page.
export const at = (id) => document.getElementById(id);

export function note(text, tone) {
	const element = document.createElement('p');
	element.className = `note ${tone}`;
	element.textContent = text;
	return element;
}

/** Works on the texts of these fields, now and at each letter. Only what the newest letter brought is shown. */
export function watch(ids, work, show) {
	let run = 0;
	async function again() {
		const mine = ++run;
		const found = await work(Object.fromEntries(ids.map((id) => [id, at(id).value])));
		if (mine === run) show(found);
	}
	for (const id of ids) at(id).addEventListener('input', again);
	at('checker').hidden = false;
	again();
}
