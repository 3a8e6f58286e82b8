/** The house rules that a reader relies on, checked by reading the source: who imports whom, and what is pure. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

interface Import {
	readonly to: string;
	readonly typeOnly: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

const sourceOf = (file: string): string => readFileSync(join(SRC, file), 'utf8');

/** Imports and re-exports of our own files. */
function importsOf(file: string): Import[] {
	const statements = sourceOf(file).matchAll(/^(import|export)( type)?\s([^;]*?)from '(\.[^']+)';/gms);
	return [...statements].map(([, , typeKeyword, names = '', path = '']) => ({
		to: relative(SRC, join(SRC, dirname(file), path)),
		typeOnly: typeKeyword !== undefined || /^\s*\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(names),
	}));
}

/** The file and all that it imports, directly or through others, types left out. */
function reachableFrom(file: string, seen = new Set<string>()): string[] {
	if (seen.has(file)) return [];
	seen.add(file);
	for (const { to, typeOnly } of importsOf(file)) if (!typeOnly) reachableFrom(to, seen);
	return [...seen];
}

const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : file);

/** Values that a folder may import from other folders; types may come from anywhere that makes no sense of them. */
const MAY_IMPORT: Record<string, readonly string[]> = {
	money: [],
	crypto: ['log.ts'],
	http: ['log.ts'],
	audit: [],
	d1: [],
	catalog: ['http', 'endpoint.ts'],
	partners: ['audit', 'http', 'crypto', 'log.ts', 'endpoint.ts'],
	chains: ['catalog', 'money', 'crypto', 'log.ts'],
	pricing: ['catalog', 'chains', 'money', 'crypto', 'http', 'log.ts', 'endpoint.ts'],
	orders: ['catalog', 'pricing', 'partners', 'money', 'crypto', 'http', 'log.ts', 'endpoint.ts'],
	webhooks: ['orders', 'partners', 'crypto', 'http', 'log.ts'],
	treasury: [
		'orders',
		'chains',
		'catalog',
		'pricing',
		'webhooks',
		'partners',
		'money',
		'crypto',
		'http',
		'd1',
		'log.ts',
	],
	signer: ['chains', 'pricing', 'orders', 'treasury', 'partners', 'catalog', 'money', 'crypto', 'http', 'log.ts'],
	docs: ['orders', 'webhooks', 'money', 'http', 'log.ts'],
	operator: [
		...['audit', 'd1', 'log.ts'],
		...['partners', 'orders', 'treasury', 'webhooks', 'chains', 'pricing', 'catalog', 'money', 'crypto', 'http'],
	],
	local: ['crypto', 'catalog', 'chains', 'pricing'],
};

describe('the house', () => {
	it('lets a folder import only what the layout allows', () => {
		const wrong = files.flatMap((file) => {
			const allowed = MAY_IMPORT[folderOf(file)];
			if (!allowed) return [];
			return importsOf(file)
				.filter(({ to, typeOnly }) => !typeOnly && folderOf(to) !== folderOf(file) && !allowed.includes(folderOf(to)))
				.map(({ to }) => `${file} imports ${to}`);
		});
		expect(wrong).toEqual([]);
	});

	it('lets nobody import the entry, the signer, or but for the app the operator', () => {
		const wrong = files.flatMap((file) =>
			importsOf(file)
				.filter(({ to }) => {
					const folder = folderOf(to);
					if (folder === folderOf(file)) return false;
					return folder === 'signer' || to === 'index.ts' || to === 'app.ts' || folder === 'operator';
				})
				.filter(({ to }) => !(file === 'app.ts' && folderOf(to) === 'operator'))
				.filter(({ to }) => !(file === 'index.ts' && to === 'app.ts'))
				.map(({ to }) => `${file} imports ${to}`),
		);
		expect(wrong).toEqual([]);
	});

	// And the tool that makes one family's wallets before anything runs.
	const MAY_KNOW_FAMILIES = ['chains/registry.ts', 'chains/signing-registry.ts', 'local/monero-wallet.ts'];

	it('lets only the two registries know the chain families', () => {
		// The two folders of `chains` that are no family with keys.
		const family = (file: string) => /^chains\/(?!rpc\/|sandbox\/)(\w+)\//.exec(file)?.[1];
		const wrong = files.flatMap((file) =>
			importsOf(file)
				.filter(({ to, typeOnly }) => {
					const other = family(to);
					return !typeOnly && other && other !== family(file) && !MAY_KNOW_FAMILIES.includes(file);
				})
				.map(({ to }) => `${file} imports ${to}`),
		);
		expect(wrong).toEqual([]);
	});

	it('lets the registries import of each family only the file that is named after their purpose', () => {
		const importedBy = (file: string) => importsOf(file).flatMap(({ to }) => /^chains\/\w+\/(.+)$/.exec(to)?.[1] ?? []);
		// The sandbox's ledger is a type: the Durable Object that the environment names.
		expect(new Set(importedBy('chains/registry.ts'))).toEqual(new Set(['family.ts', 'ledger.ts']));
		expect(new Set(importedBy('chains/signing-registry.ts'))).toEqual(new Set(['signing.ts']));
	});

	it('lets only the signer and the tool for Monero wallets reach code that derives keys or signs', () => {
		const MAY_SIGN = /^signer\/|^local\/monero-wallet\.ts$/;
		const isKeyCode = (file: string) => /^chains\/(signing-registry|\w+\/(keys|signing))\.ts$/.test(file);
		const isBehindKeyCode = (file: string) => reachableFrom(file).some(isKeyCode);
		const wrong = files
			.filter((file) => !MAY_SIGN.test(file) && !file.startsWith('chains/'))
			.concat('chains/registry.ts')
			.filter(isBehindKeyCode);
		expect(wrong).toEqual([]);
		expect(isBehindKeyCode('signer/index.ts')).toBe(true);
	});

	it('has no cycles', () => {
		const graph = new Map(
			files.map((file) => [
				file,
				importsOf(file)
					.filter(({ typeOnly }) => !typeOnly)
					.map(({ to }) => to),
			]),
		);
		const done = new Set<string>();
		const walk = (file: string, path: readonly string[]): string[] => {
			if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')];
			if (done.has(file)) return [];
			const cycles = (graph.get(file) ?? []).flatMap((next) => walk(next, [...path, file]));
			done.add(file);
			return cycles;
		};
		expect(files.flatMap((file) => walk(file, []))).toEqual([]);
	});

	it('imports no file that does not exist', () => {
		const known = new Set(files);
		const missing = files.flatMap((file) =>
			importsOf(file)
				.filter(({ to }) => !known.has(to))
				.map(({ to }) => `${file}: ${to}`),
		);
		expect(missing).toEqual([]);
	});
});

/** Files that know no clock, no randomness and no I/O: rules, whose every input is an argument. */
const PURE = [
	...['money/amount.ts', 'money/decimal.ts', 'money/units.ts'],
	...['catalog/assets.ts', 'catalog/networks.ts', 'catalog/settings.ts'],
	...['catalog/networks/utxo.ts', 'catalog/networks/evm.ts', 'chains/reservations.ts', 'chains/errors.ts'],
	...['chains/evm/params.ts', 'chains/utxo/params.ts', 'chains/solana/reserved.ts'],
	...['http/client-network.ts', 'http/conditional.ts', 'partners/gate/window.ts', 'partners/partner.ts'],
	...['partners/codes.ts', 'partners/gate/verdict.ts', 'operator/partners/changes.ts'],
	...['pricing/market.ts', 'pricing/prices.ts', 'pricing/quote.ts', 'pricing/feed.ts', 'pricing/network-fee.ts'],
	...['chains/finality.ts', 'chains/ed25519-key.ts', 'chains/utxo/address.ts', 'chains/evm/address.ts'],
	...['chains/solana/address.ts', 'chains/tron/address.ts', 'chains/monero/address.ts', 'chains/monero/base58.ts'],
	...['chains/tron/credits.ts', 'chains/tron/params.ts', 'chains/tron/transaction.ts'],
	...['chains/monero/policy.ts', 'chains/monero/transaction.ts', 'chains/monero/subaddress-index.ts'],
	...['orders/lifecycle.ts', 'orders/settlement.ts', 'orders/status.ts', 'orders/view.ts', 'orders/png.ts'],
	...['chains/utxo/replace.ts', 'treasury/transactions/stuck.ts', 'treasury/transactions/blocked.ts'],
	...['treasury/sweeps/rules.ts', 'treasury/ledger/reserve-rules.ts', 'signer/sweeps/judge.ts'],
	...['d1/exact-sum.ts', 'treasury/earnings/conversion.ts', 'operator/settings/input.ts'],
	...['docs/document.ts', 'docs/operation.ts', 'docs/page/page.ts', 'docs/page/markdown.ts'],
	...[
		'treasury/ledger/entries.ts',
		'treasury/move-order.ts',
		'webhooks/retry-schedule.ts',
		'webhooks/outbox.ts',
		'webhooks/url.ts',
	],
];

describe('pure files', () => {
	it.each(PURE)('%s knows no clock, no randomness and no I/O', (file) => {
		const code = sourceOf(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
		expect(
			code.match(/Date\.now|new Date\(\)|Math\.random|randomUUID|getRandomValues|\bfetch\(|setTimeout|process\./),
		).toBeNull();
	});
});

describe('the API Worker', () => {
	it('holds no code that derives keys or signs transactions', async () => {
		const { metafile } = await build({
			entryPoints: [join(SRC, 'index.ts')],
			bundle: true,
			write: false,
			metafile: true,
			format: 'esm',
			conditions: ['workerd', 'worker', 'browser'],
			external: ['cloudflare:*'],
		});
		const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
			Object.entries(inputs)
				.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
				.map(([path]) => path),
		);
		expect(used.some((path) => path.endsWith('src/app.ts'))).toBe(true);
		expect(
			used.filter((path) =>
				/bip32|slip10|bip39|btc-signer\/transaction|viem|src\/signer\/|src\/chains\/\w+\/(keys|signing)\.ts$/.test(
					path,
				),
			),
		).toEqual([]);
	});
});
