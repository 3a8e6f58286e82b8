// Shows the copy buttons (there is nothing to click without this script) and copies the value of each, or the
// code beside it. Run again by
// scripts that change the page: dispatch `copies` on the document.
function show() {
	for (const button of document.querySelectorAll('button[data-copy][hidden]')) button.hidden = false;
}

/** A frame without `allow="clipboard-write"` has the older way alone. */
async function write(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch (error) {
		const field = document.createElement('textarea');
		const focused = document.activeElement;
		field.value = text;
		field.className = 'hidden';
		document.body.append(field);
		field.select();
		const isCopied = document.execCommand('copy');
		field.remove();
		focused.focus();
		if (!isCopied) throw error;
	}
}

show();
document.addEventListener('copies', show);
document.addEventListener('click', async ({ target }) => {
	const button = target.closest?.('button[data-copy]');
	if (!button) return;
	const said = button.querySelector('[data-said]') ?? button;
	const before = said.textContent;
	const live = document.getElementById('said');
	try {
		await write(button.dataset.copy || button.parentElement.querySelector('code').textContent);
		said.textContent = live.dataset.copied;
	} catch {
		getSelection().selectAllChildren(button.parentElement.firstElementChild);
		said.textContent = live.dataset.selected;
	}
	live.replaceChildren(`${button.dataset.label}: ${said.textContent}`);
	if (before !== said.textContent) setTimeout(() => said.replaceChildren(before), 2_000);
});
