// Shows the copy buttons (there is nothing to click without this script) and copies what stands beside each.
for (const button of document.querySelectorAll('button[data-copy]')) {
	button.hidden = false;
	button.addEventListener('click', async () => {
		const said = button.querySelector('[data-said]') ?? button;
		const before = said.textContent;
		try {
			await navigator.clipboard.writeText(button.dataset.copy);
			said.textContent = 'Copied';
		} catch {
			said.textContent = 'Select it and copy';
		}
		document.getElementById('said')?.replaceChildren(`${button.dataset.label}: ${said.textContent}`);
		setTimeout(() => said.replaceChildren(before), 2_000);
	});
}
