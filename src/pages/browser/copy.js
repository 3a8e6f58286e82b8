// Shows the copy buttons (there is nothing to click without this script) and copies the value of each, or the
// code beside it. Run again by
// scripts that change the page: dispatch `copies` on the document.
function show() {
	for (const button of document.querySelectorAll('button[data-copy][hidden]')) button.hidden = false;
}

show();
document.addEventListener('copies', show);
document.addEventListener('click', async ({ target }) => {
	const button = target.closest?.('button[data-copy]');
	if (!button) return;
	const said = button.querySelector('[data-said]') ?? button;
	const before = said.textContent;
	try {
		await navigator.clipboard.writeText(button.dataset.copy || button.parentElement.querySelector('code').textContent);
		said.textContent = 'Copied';
	} catch {
		said.textContent = 'Select it and copy';
	}
	document.getElementById('said')?.replaceChildren(`${button.dataset.label}: ${said.textContent}`);
	if (before !== said.textContent) setTimeout(() => said.replaceChildren(before), 2_000);
});
