// Shows the copy buttons (there is nothing to click without this script) and copies the value of each, or the
// code beside it.
for (const button of document.querySelectorAll('button[data-copy]')) {
	button.hidden = false;
	button.addEventListener('click', async () => {
		const said = button.querySelector('[data-said]') ?? button;
		const before = said.textContent;
		try {
			await navigator.clipboard.writeText(
				button.dataset.copy || button.parentElement.querySelector('code').textContent,
			);
			said.textContent = 'Copied';
		} catch {
			said.textContent = 'Select it and copy';
		}
		document.getElementById('said')?.replaceChildren(`${button.dataset.label}: ${said.textContent}`);
		setTimeout(() => said.replaceChildren(before), 2_000);
	});
}
