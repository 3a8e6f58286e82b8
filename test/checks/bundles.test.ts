/** What is deployed: how large each Worker is and how long it takes to start, printed, and held within limits of our own. */
import { gzipSync } from 'node:zlib';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { expect, it } from 'vitest';
import { bundleOf } from '../support/bundle.ts';

/** Kibibytes of code, minified and gzipped: the chapters of the book are texts beside it. The platform's own limit is 10 MiB (book: architecture, "The platform"). */
const MAX_KIBIBYTES = { 'index.ts': 331, 'signer/index.ts': 240, 'pages/index.ts': 300 } as const;
const HELLO = "export default { fetch: () => new Response('hello') };";
/** The middle of so many starts counts. */
const STARTS = 3;

/** Milliseconds from nothing to the first answer, whatever it is, in a workerd of its own. */
async function startMilliseconds(script: string): Promise<number> {
	const options = { modules: true as const, script, compatibilityDate: '2026-11-01' };
	const times: number[] = [];
	for (let start = 0; start < STARTS; start++) {
		const before = performance.now();
		const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [{ name: 'worker', ...options }] }));
		await (await miniflare.dispatchFetch('http://worker/')).text();
		times.push(performance.now() - before);
		await miniflare.dispose();
	}
	return times.toSorted((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0;
}

it.each(Object.entries(MAX_KIBIBYTES))('%s is at most %d KiB, minified and gzipped', async (entry, most) => {
	const scriptOf = async (withTexts: boolean) =>
		(await bundleOf(entry, { minify: true, withTexts })).outputFiles[0]?.text ?? '';
	const [script, whole] = await Promise.all([scriptOf(false), scriptOf(true)]);
	const kibibytes = gzipSync(script, { level: 9 }).length / 1024;
	const [hello, worker] = [await startMilliseconds(HELLO), await startMilliseconds(script)];
	console.log(
		`${entry}: ${(script.length / 1024).toFixed(1)} KiB minified, ${kibibytes.toFixed(1)} KiB gzipped, ` +
			`with the book's text ${(gzipSync(whole, { level: 9 }).length / 1024).toFixed(1)} KiB; ` +
			`started in ${worker.toFixed(0)} ms, hello world in ${hello.toFixed(0)} ms`,
	);
	expect(kibibytes).toBeGreaterThan(10);
	expect(kibibytes).toBeLessThanOrEqual(most);
});
