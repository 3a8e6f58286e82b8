// Loads what waits, and how the service is, again while somebody looks at it, and says in the title how much waits.
const POLL = 30_000;
const place = () => document.querySelector('[data-waiting]');

async function again() {
	// Nobody's focus or open text is taken away.
	if (document.hidden || place()?.contains(document.activeElement)) return;
	const response = await fetch(location.href).catch(() => null);
	if (!response?.ok) return;
	const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
	const [look, newLook] = [document, fresh].map((page) => page.querySelector('[data-look]'));
	if (newLook && look && !look.contains(document.activeElement)) look.replaceWith(newLook);
	const waiting = fresh.querySelector('[data-waiting]');
	if (!waiting || waiting.dataset.waiting === place().dataset.waiting) return;
	place().replaceWith(waiting);
	document.title = fresh.title;
	document.getElementById('said').textContent = waiting.querySelector('h1').textContent;
	document.dispatchEvent(new Event('times'));
}

setInterval(again, POLL);
document.addEventListener('visibilitychange', again);
