// Times in the reader's own zone, and relative below an hour; the exact time stays in the title. Run again by scripts
// that change the page: dispatch `times` on the document.
const HOUR = 3_600_000;
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

function show() {
	for (const time of document.querySelectorAll('time[datetime]')) {
		const at = Date.parse(time.dateTime);
		const away = at - Date.now();
		const isNear = Math.abs(away) < HOUR && time.dataset.exact === undefined;
		time.textContent = isNear ? relative.format(Math.round(away / 60_000), 'minute') : exact.format(at);
		time.title = full.format(at);
	}
}

show();
setInterval(show, 30_000);
document.addEventListener('times', show);
