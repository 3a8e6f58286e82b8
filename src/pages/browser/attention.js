// Loads what waits, and how the service is, again while somebody looks at it, and says in the title how much waits.
const POLL = 30_000;
const place = () => document.querySelector('[data-waiting]');
/** Nobody's focus or open form is taken away. */
const isUsed = (part) => part.contains(document.activeElement);

async function again() {
	if (document.hidden || isUsed(place())) return;
	const response = await fetch(location.href).catch(() => null);
	if (!response?.ok) return;
	const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
	const [look, newLook] = [document, fresh].map((page) => page.querySelector('[data-look]'));
	if (newLook && look && !isUsed(look)) look.replaceWith(newLook);
	const waiting = fresh.querySelector('[data-waiting]');
	// The focus may have come meanwhile.
	if (waiting && !isUsed(place()) && waiting.dataset.waiting !== place().dataset.waiting) {
		place().replaceWith(waiting);
		document.title = fresh.title;
		document.getElementById('said').textContent = waiting.querySelector('h1').textContent;
	}
	document.dispatchEvent(new Event('times'));
}

setInterval(again, POLL);
document.addEventListener('visibilitychange', again);
