/** The house rules about what reaches the outside, and what an isolate keeps between calls, checked by reading the source. */
import { describe, expect, it } from 'vitest';
import { codeOf, files, latePackagesOf, packagesOf } from '../support/house.ts';

/**
 * Code in a Worker reaches the outside through two seams only: the bindings in `env` and `ctx` (D1, KV, queue, objects,
 * their storage and alarms, the signer), and the globals below. So a simulator can replace both. It would not see an
 * effect through a third way.
 */
describe('the seams', () => {
	// `pako.ts` stands in for a package, whose place it takes only where the code is deployed.
	const inWorkers = files.filter((file) => !/^(?:local\/|operator\/cli\/|sdk\/|platform\/pako\.ts$)/.test(file));

	/** Clock: `Date.now`. Timers: `setTimeout`, `setInterval`, `AbortSignal.timeout`. Randomness and keys: `crypto`. */
	const MEMBERS: Readonly<Record<string, readonly string[]>> = {
		Date: ['now', 'parse', 'UTC'],
		AbortSignal: ['timeout', 'any'],
		crypto: ['randomUUID', 'getRandomValues', 'subtle'],
	};
	const FORBIDDEN =
		/\b(?:performance|scheduler|navigator|caches|WebSocket|EventSource|XMLHttpRequest|BroadcastChannel|setImmediate|queueMicrotask|process|Buffer|globalThis|Intl|toLocale\w+|localeCompare)\b|\bnew Date\(\)|\bDate\(\)|\bimport\(/g;

	/** Packages that few calls need, evaluated at the first of them: they are in the bundle, so this loads nothing. */
	const LATE = ['qrcode-svg', 'upng-js'];

	function otherWays(file: string): string[] {
		const code = codeOf(file)
			.replaceAll(/(?<=\.)(?:process|caches)\b/g, '')
			.replaceAll("import('')", '');
		const members = Object.entries(MEMBERS).flatMap(([name, known]) =>
			[...code.matchAll(new RegExp(`(?<![.\\w])${name}\\.(\\w+)`, 'g'))].filter(
				([, used = '']) => !known.includes(used),
			),
		);
		const consoles = file === 'platform/log.ts' ? [] : (code.match(/\bconsole\s*[.[]/g) ?? []);
		const ofNode = packagesOf(file).filter((name) => name.startsWith('node:'));
		const late = latePackagesOf(file).filter((name) => !LATE.includes(name));
		// Compression is no I/O, nor are the words and dates of a language that is named.
		const forbidden = file === 'platform/pako.ts' || file === 'pages/say.ts' ? [] : (code.match(FORBIDDEN) ?? []);
		return [...forbidden, ...members.map(([used]) => used), ...consoles, ...ofNode, ...late];
	}

	it('have no third way beside them: no other source of time, randomness or I/O', () => {
		expect(inWorkers.flatMap((file) => otherWays(file).map((way) => `${file}: ${way}`))).toEqual([]);
	});

	/** The files that call nodes, price sources, partners' endpoints, the screening service, the keys of Access, and the signer's house. */
	const MAY_FETCH =
		/^(?:chains\/|pricing\/sources\/|webhooks\/post\.ts$|treasury\/screening\/service\.ts$|console\/access\.ts$|link\/post\.ts$)/;

	it('nothing else calls the outside: nodes, price sources, partners’ endpoints, the screening service and Access', () => {
		const fetching = inWorkers.filter((file) => /(?<![.\w]|async )fetch\(/.test(codeOf(file)));
		expect(fetching.filter((file) => !MAY_FETCH.test(file))).toEqual([]);
	});

	/** `chains/bip32.ts` makes them, some of them memories. */
	const OF_HASHED_KEYS = [
		'addressesOf',
		'hotAddress',
		'hotKey',
		'judgeKeys',
		'ownAddresses',
		'payInAddress',
		'payInKey',
	];

	/**
	 * The caches that an isolate keeps between calls. An isolate without them is slower, never wrong, so a simulator may
	 * end and add isolates at will. A new cache must be listed here.
	 */
	const REMEMBERED: Readonly<Record<string, readonly string[]>> = {
		'api/promise-keys.ts': ['remembered'],
		'catalog/view.ts': ['texts'],
		'chains/bip32.ts': ['parents'],
		'chains/ed25519-points.ts': ['made'],
		'chains/evm/keys.ts': OF_HASHED_KEYS,
		'chains/evm/receipts.ts': ['memories'],
		'chains/monero/keys.ts': ['hotAddress', 'keysOf', 'viewKey'],
		'chains/seed.ts': ['sandboxSeed'],
		'chains/solana/keys.ts': ['coinNode', 'hotKey', 'judgeKey'],
		'chains/solana/programs.ts': ['remembered'],
		'chains/tron/keys.ts': OF_HASHED_KEYS,
		'chains/told.ts': ['known'],
		'chains/utxo/watching.ts': ['watched'],
		'crypto/key-ring.ts': ['rings'],
		'crypto/seals.ts': ['imported'],
		'http/request-id.ts': ['ids'],
		'incidents/store.ts': ['written'],
		'platform/d1/database.ts': ['made'],
		'platform/joined.ts': ['waking'],
		'platform/log.ts': ['limit', 'threshold'],
		'platform/metrics/metric.ts': ['sink', 'sums'],
		'operator/alerts/minute.ts': ['toldAt'],
		'orders/create.ts': ['writes'],
		'orders/endpoints/with-token.ts': ['reads'],
		'orders/pay-in-addresses.ts': ['stocks', 'takes'],
		'console/access.ts': ['known'],
		'pages/say.ts': ['spoken'],
		'pages/solvency/store.ts': ['kept'],
		'partners/gate/admission.ts': ['guard', 'joined', 'known', 'waits'],
		'partners/gate/anonymous.ts': ['asked', 'waits'],
		'payer/poll.ts': ['remembered'],
		'payer/read.ts': ['remembered'],
		'pricing/endpoints/rates.ts': ['prepared'],
		'pricing/feed-reader.ts': ['readFeed'],
		'pricing/market-reader.ts': ['readMarket', 'useMarket'],
		'pricing/endpoints/dialects.ts': ['rendered'],
		'pricing/pair-limits.ts': ['texts'],
		'pricing/quote.ts': ['worked'],
		'api/serve.ts': ['importedApiKeyKeys', 'toldAt'],
	};

	it('no module keeps state between calls but the caches that are named', () => {
		// Constants in capitals are tables; encoders have no state.
		const state =
			/^(?:export )?(?:let (\w+)|const ([a-z]\w*)(?:: [^=]*)? = (?:new (?!Text)|oncePerSeed\()|const \{ ([^}]*) \} = (?:new SnapshotReader|hashedKeys))/gm;
		const found = inWorkers.flatMap((file) => {
			const names = [...codeOf(file).matchAll(state)].flatMap(([, variable, constant, readers]) =>
				readers ? readers.split(', ').map((each) => each.split(': ')[1] ?? each) : [variable ?? constant ?? ''],
			);
			return names.length > 0 ? [[file, names.toSorted()] as const] : [];
		});
		expect(Object.fromEntries(found)).toEqual(REMEMBERED);
	});
});
