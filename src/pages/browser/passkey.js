// Forms that a passkey goes with. `data-ceremony` lists the steps: what the browser does (`get` or `create`), and where it
// is asked for. Each answer goes into the field `answer`; the last one is sent with the form.
const publicKeyOf = {
	get: async (options) =>
		navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
	create: async (options) =>
		navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
};

async function run(form) {
	for (const step of form.dataset.ceremony.split(' ')) {
		const [kind, path] = step.split(':');
		const asked = await fetch(path, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
		const options = await asked.json().catch(() => ({}));
		if (!asked.ok) throw new Error(options.error ?? 'The service did not answer. Try again.');
		const credential = await publicKeyOf[kind](options);
		form.elements.answer.value = JSON.stringify(credential.toJSON());
	}
}

const cancelled = 'Your device gave no passkey. Try again, or use another device.';
const saidOf = (error) => {
	if (!(error instanceof DOMException)) return error.message;
	return error.name === 'InvalidStateError' ? 'This device has a passkey for this cabinet already.' : cancelled;
};

for (const form of document.querySelectorAll('form[data-ceremony]')) {
	const button = form.querySelector('button');
	const said = form.querySelector('[data-said]');
	const can = 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
	button.disabled = !can;
	if (!can) said.textContent = 'This browser has no passkeys. Use a newer one.';
	// The token of an invitation is after the “#”, which no server and no log sees. It leaves the address bar at once.
	if (form.elements.token) {
		form.elements.token.value = location.hash.slice(1);
	}
	form.addEventListener('submit', async (event) => {
		event.preventDefault();
		button.disabled = true;
		said.textContent = 'Waiting for your passkey…';
		try {
			await run(form);
			form.submit();
		} catch (error) {
			said.textContent = saidOf(error);
			button.disabled = false;
			form.elements.answer.value = '';
		}
	});
}

// A reload asks for the page again: what a form has changed is not sent twice, and not said to have failed.
history.replaceState(null, '', location.pathname + location.search);
