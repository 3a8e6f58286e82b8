// The guide's examples call the host that serves them, and not the reader's own machine.
const WRITTEN = 'http://127.0.0.1:8787';

for (const code of document.querySelectorAll('.prose pre code'))
	if (code.textContent.includes(WRITTEN)) code.textContent = code.textContent.replaceAll(WRITTEN, location.origin);
