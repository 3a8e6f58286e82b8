// The page of an order: takes the token out of the address's fragment, which browsers do not send, shows the order, and
// asks every few seconds whether it is another version by now.
const root = document.getElementById('order');
const link = document.getElementById('link');
const path = `/o/${encodeURIComponent(root.dataset.id)}`;
/** Every answer is in the page's language. */
const spoken = `?lang=${document.documentElement.lang}`;
const headers = () => ({ authorization: `Bearer ${token}` });
const shown = () => root.firstElementChild;

/** The entry of the history, which a reload and a way back keep, and no address bar shows. */
let token = history.state?.token ?? '';

/**
 * Takes a token out of the address. What else stands after the “#” is the skip link's: it moves the focus, and goes. True
 * where the token is a new one.
 */
function take() {
	const given = location.hash.slice(1);
	const isToken = /^[\w-]{43}$/.test(given) && given !== token;
	if (isToken) token = given;
	history.replaceState({ token }, '', location.pathname + location.search);
	return isToken;
}
take();

const POLL = 4_000;
/** While nobody looks, or the order rests. */
const SLOW_POLL = 60_000;
/** The rate and the words of time change without a new version. */
const WHOLE = 60_000;
/** The service's clock, less this one. */
let ahead = 0;
let loading = null;
let wholeAt = 0;
let failures = 0;
/** Milliseconds that the last answer asked for. */
let retryAfter = 0;
let timer = 0;

/** One at a time; who asks meanwhile gets the same answer. */
function load() {
	loading ??= ask(`${path}/state${spoken}`, { headers: seen() }).finally(() => {
		loading = null;
	});
	return loading;
}

/** A page that is shown need not be sent again. */
function seen() {
	const { version } = shown().dataset;
	return version && Date.now() - wholeAt < WHOLE ? { 'if-none-match': `"${version}"` } : {};
}

async function ask(address, options) {
	try {
		const response = await fetch(address, {
			...options,
			headers: { ...headers(), ...options.headers },
			cache: 'no-store',
		});
		retryAfter = Number(response.headers.get('retry-after')) * 1_000;
		if (![200, 304, 404].includes(response.status)) return fails(response.status === 429 ? 'many' : 'gone');
		if (response.status !== 304) {
			show(await response.text(), options.method === 'POST');
			wholeAt = Date.now();
		}
		link.hidden = true;
		return true;
	} catch {
		return fails(navigator.onLine ? 'gone' : 'offline');
	}
}

/** Says why the page is not new. A page that says it itself says it alone. */
function fails(why) {
	link.hidden = shown().dataset.says === why;
	link.textContent = link.dataset[why];
	return false;
}

/**
 * Replaces the parts that differ, keeps the focus, and tells a screen reader what is new. What a form was answered beside the
 * order stays until the next answer to a form.
 */
function show(html, isAnswer) {
	const next = new DOMParser().parseFromString(html, 'text/html').body.firstElementChild;
	const now = shown();
	const held = focusedIn(root);
	const parts = [...next.querySelectorAll('[data-part]')];
	const isNews = now.dataset.title !== next.dataset.title;
	if (parts.length > 0 && now.querySelector('[data-part]')) {
		for (const part of parts) {
			const old = now.querySelector(`[data-part="${part.dataset.part}"]`);
			if (part.dataset.part === 'named' && !isAnswer && old) continue;
			if (sourceOf(old) !== part.outerHTML) replace(old, part);
		}
		if (isNews && next.dataset.news && next.dataset.news !== now.dataset.news) tell(next.dataset.title);
		for (const [name, value] of Object.entries(next.dataset)) now.dataset[name] = value;
	} else {
		for (const part of parts) sources.set(part, part.outerHTML);
		now.replaceWith(next);
	}
	ahead = Number(next.dataset.now ?? Date.now()) - Date.now();
	if (isNews) {
		document.title = `${next.dataset.title} · ${root.dataset.site}`;
		document.getElementById('said').replaceChildren(next.dataset.title);
	}
	for (const button of root.querySelectorAll('[data-print]')) button.hidden = false;
	for (const button of root.querySelectorAll('[data-keep]')) button.dataset.copy = `${location.href}#${token}`;
	document.dispatchEvent(new Event('copies'));
	document.dispatchEvent(new Event('times'));
	countDown();
	showTelling();
	if (held && !root.contains(document.activeElement)) restore(held);
}

/** As the service sent a part, before scripts changed its times. */
const sources = new WeakMap();
const sourceOf = (part) => sources.get(part) ?? part?.outerHTML;

function replace(old, part) {
	sources.set(part, part.outerHTML);
	old.replaceWith(part);
}

const focusedIn = (place) =>
	place.contains(document.activeElement)
		? (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)
		: null;

function restore(name) {
	const same = [...root.querySelectorAll('a, button, input')].find(
		(one) => (one.getAttribute('aria-label') ?? one.textContent) === name,
	);
	(same ?? root.querySelector('h1'))?.focus();
}

function countDown() {
	for (const place of root.querySelectorAll('[data-until]')) {
		const left = Math.max(0, Math.ceil((Number(place.dataset.until) - Date.now() - ahead) / 1000));
		const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
		place.textContent = place.dataset.left.replace('{}', clock);
		// The words around it change here.
		if (left === 600 || left === 0) setTimeout(askAnew, 1_500);
	}
}

/** Asks now, and goes on asking. What fails is asked again after twice the time. */
async function keepUp() {
	clearTimeout(timer);
	failures = (await load()) ? 0 : failures + 1;
	clearTimeout(timer);
	const { live } = shown().dataset;
	if (live === 'end') return;
	const pace = document.hidden || live === 'slow' ? SLOW_POLL : POLL;
	timer = setTimeout(keepUp, Math.max(retryAfter, Math.min(SLOW_POLL, pace * 2 ** failures)));
}

/** Asks for all of it, whatever is shown. */
async function askAnew() {
	await loading;
	wholeAt = 0;
	keepUp();
}

document.addEventListener('visibilitychange', () => {
	if (!document.hidden && shown().dataset.live !== 'end') keepUp();
});
addEventListener('hashchange', () => take() && askAnew());
addEventListener('online', keepUp);
addEventListener('offline', () => fails('offline'));
root.addEventListener('click', ({ target }) => {
	if (target.closest('[data-print]')) print();
	if (target.closest('[data-tell] button')) askToTell();
});
root.addEventListener('submit', async (event) => {
	const form = event.target;
	if (form.hasAttribute('data-token')) {
		event.preventDefault();
		token = form.elements.token.value.trim();
		history.replaceState({ token }, '', location.pathname + location.search);
		askAnew();
	} else if (form.hasAttribute('data-send')) {
		event.preventDefault();
		form.querySelector('button').disabled = true;
		await ask(path + spoken, { method: 'POST', body: new FormData(form) });
		form.querySelector('button').disabled = false;
	}
});
// The page in another language is another page: it takes the token along.
document.querySelector('[data-languages]')?.addEventListener('submit', (event) => {
	event.preventDefault();
	location.assign(`${location.pathname}?choose=${event.submitter.value}${token && `#${token}`}`);
});
/** Has the reader asked to be told, while this page is open? */
let tells = false;

async function askToTell() {
	tells = (await Notification.requestPermission()) === 'granted';
	showTelling();
	if (!tells) root.querySelector('[data-tell-off]').hidden = false;
}

/** The browser asks nobody who has not pressed the button. Phones have no such notifications: there is no button. */
function showTelling() {
	const place = root.querySelector('[data-tell]');
	if (!place) return;
	place.hidden = !('Notification' in window) || matchMedia('(pointer: coarse)').matches;
	place.querySelector('button').hidden = tells;
	place.querySelector('[data-tell-on]').hidden = !tells;
}

function tell(text) {
	if (!tells || !document.hidden) return;
	const said = new Notification(document.title, { body: text, tag: root.dataset.id });
	said.onclick = () => focus();
}

setInterval(countDown, 1_000);
// A page that was posted without a script's help stays as it is.
if (!shown().dataset.version) keepUp();
