// The page of an order: reads the token from the address's fragment, which browsers do not send, shows the order, and
// keeps up with it: by a stream while the order goes on, by polling where the stream fails.
const root = document.getElementById('order');
const link = document.getElementById('link');
const path = `/o/${encodeURIComponent(root.dataset.id)}`;
const token = () => location.hash.slice(1);
const headers = () => ({ authorization: `Bearer ${token()}` });
const shown = () => root.firstElementChild;

const POLL = 10_000;
const SLOW_POLL = 60_000;
const MOST_WAIT = 60_000;
/** What stands at the service's clock, less what stands at this one. */
let ahead = 0;
let loading = null;
let stream = null;
let failures = 0;
let timer = 0;

/** One at a time; who asks meanwhile gets the same answer. */
function load() {
	loading ??= ask(`${path}/state`, {}).finally(() => {
		loading = null;
	});
	return loading;
}

async function ask(address, options) {
	try {
		const response = await fetch(address, { ...options, headers: headers(), cache: 'no-store' });
		if (response.status !== 200 && response.status !== 404) throw new Error(String(response.status));
		show(await response.text());
		link.hidden = true;
		return true;
	} catch {
		link.hidden = false;
		return false;
	}
}

/** Replaces the parts that differ, keeps the focus, and tells a screen reader what is new. */
function show(html) {
	const next = new DOMParser().parseFromString(html, 'text/html').body.firstElementChild;
	const now = shown();
	const held = focusedIn(root);
	const parts = [...next.querySelectorAll('[data-part]')];
	const isNews = now.dataset.title !== next.dataset.title;
	if (parts.length > 0 && now.querySelector('[data-part]')) {
		for (const part of parts) {
			const old = now.querySelector(`[data-part="${part.dataset.part}"]`);
			if (sourceOf(old) !== part.outerHTML) replace(old, part);
		}
		for (const [name, value] of Object.entries(next.dataset)) now.dataset[name] = value;
	} else {
		for (const part of parts) sources.set(part, part.outerHTML);
		now.replaceWith(next);
	}
	ahead = Number(next.dataset.now ?? Date.now()) - Date.now();
	if (isNews) {
		document.title = `${next.dataset.title} · Partner Exchange`;
		document.getElementById('said').replaceChildren(next.dataset.title);
	}
	for (const button of root.querySelectorAll('[data-print]')) button.hidden = false;
	document.dispatchEvent(new Event('copies'));
	document.dispatchEvent(new Event('times'));
	countDown();
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
		place.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`;
		// The words around it change here.
		if (left === 600 || left === 0) setTimeout(load, 1_500);
	}
}

/** Follows the stream until it ends. Answers with milliseconds to wait until the next one; 0: none is needed. */
async function follow() {
	stream = new AbortController();
	const seen = shown().dataset.version ? { 'last-event-id': shown().dataset.version } : {};
	const response = await fetch(`${path}/events`, {
		headers: { ...headers(), ...seen },
		signal: stream.signal,
		cache: 'no-store',
	});
	if (response.status === 204) return SLOW_POLL;
	if (!response.ok || !response.body) throw new Error(String(response.status));
	failures = 0;
	link.hidden = true;
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	let text = '';
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return 100;
		text += value;
		const events = text.split('\n\n');
		text = events.pop();
		for (const event of events) {
			const version = /^id: (.*)$/m.exec(event)?.[1];
			if (version) await reach(version);
		}
	}
}

/** What is shown may be a second old: then once more. */
async function reach(version) {
	if (shown().dataset.version === version) return;
	await load();
	if (shown().dataset.version !== version) setTimeout(load, 1_500);
}

async function keepUp() {
	clearTimeout(timer);
	if (document.hidden) return;
	let wait = SLOW_POLL;
	if (shown().dataset.live === 'stream') {
		try {
			wait = await follow();
		} catch {
			wait = Math.min(MOST_WAIT, POLL * 2 ** failures++);
			await load();
		}
		stream = null;
	} else if (shown().dataset.live === 'poll') await load();
	else return;
	clearTimeout(timer);
	timer = setTimeout(keepUp, wait);
}

async function start() {
	stream?.abort();
	await load();
	if (!stream) keepUp();
}

document.addEventListener('visibilitychange', () => {
	if (!document.hidden && shown().dataset.live !== 'end') load().then(() => stream || keepUp());
});
addEventListener('hashchange', start);
addEventListener('online', start);
root.addEventListener('click', ({ target }) => {
	if (target.closest('[data-print]')) print();
});
root.addEventListener('submit', async (event) => {
	const form = event.target;
	if (form.hasAttribute('data-token')) {
		event.preventDefault();
		const given = form.elements.token.value.trim();
		if (given === token()) start();
		else location.hash = given;
	} else if (form.hasAttribute('data-send')) {
		event.preventDefault();
		form.querySelector('button').disabled = true;
		if (!(await ask(path, { method: 'POST', body: new FormData(form) }))) form.querySelector('button').disabled = false;
	}
});
setInterval(countDown, 1_000);
// The rate and the words of time.
setInterval(() => {
	if (!document.hidden && shown().dataset.live === 'stream') load();
}, SLOW_POLL);
// A page that was posted without a script's help stays as it is.
if (!shown().dataset.version) start();
