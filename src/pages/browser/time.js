// Times in the reader's own zone, and relative below an hour; the exact time stays in the title. Run again by scripts
// that change the page: dispatch `times` on the document.
const HOUR = 3_600_000;
/** The page's language, not the browser's: a sentence is in one. Its digits are Latin and its years Gregorian, as in explorers. */
const lang = `${document.documentElement.lang}-u-ca-gregory-nu-latn`;
const exact = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const full = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });
const relative = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' });

/** On paper a time that is relative says nothing, and neither does one without its zone. */
function print() {
	for (const time of document.querySelectorAll('time[datetime]'))
		time.textContent = full.format(Date.parse(time.dateTime));
}

const nearText = (minutes) => (minutes === 0 ? relative.format(0, 'second') : relative.format(minutes, 'minute'));

function show() {
	for (const time of document.querySelectorAll('time[datetime]')) {
		const at = Date.parse(time.dateTime);
		const away = at - Date.now();
		const isNear = Math.abs(away) < HOUR && time.dataset.exact === undefined;
		time.textContent =
			time.dataset.zoned === '' ? full.format(at) : isNear ? nearText(Math.round(away / 60_000)) : exact.format(at);
		time.title = full.format(at);
	}
}

show();
setInterval(show, 30_000);
document.addEventListener('times', show);
addEventListener('beforeprint', print);
addEventListener('afterprint', show);
