/** The house rules, checked by reading the source: which folder imports which, and which files are pure. */
import { describe, expect, it } from 'vitest';
import { EVENTS } from '../../src/platform/log.ts';
import { bundleOf } from '../support/bundle.ts';
import { codeOf, files, folderOf, headerOf, importsOf, packagesOf, sourceOf } from '../support/house.ts';

/** The file and all that it imports, directly or through others, without types. */
function reachableFrom(file: string, seen = new Set<string>()): string[] {
	if (seen.has(file)) return [];
	seen.add(file);
	for (const { to, typeOnly } of importsOf(file)) if (!typeOnly) reachableFrom(to, seen);
	return [...seen];
}

/**
 * The floors of the house, the lowest first. A folder imports from lower floors and never from its own or a higher one:
 * no value and no type.
 */
const FLOORS: readonly (readonly string[])[] = [
	['money', 'audit', 'sdk'],
	['platform'],
	['crypto', 'http', 'incidents'],
	['backup', 'catalog'],
	['chains', 'partners'],
	['configuration', 'decisions'],
	['console', 'pricing'],
	['archive'],
	['orders'],
	['status', 'webhooks'],
	['docs', 'link', 'treasury'],
	['agents', 'payer', 'signer'],
	['operator'],
	['local', 'pages'],
	['api'],
];

/** Interfaces. Each floor imports them, and of each they name types alone. */
const SEAMS = ['ports'];

/** Types that a folder takes from above: the rows that an archive keeps. */
const TYPES_FROM_ABOVE = ['archive > orders', 'archive > treasury', 'archive > webhooks'];

/** Lower floors that a folder leaves alone all the same, types included. */
const MUST_NOT_IMPORT: Record<string, readonly string[]> = {
	chains: ['http', 'incidents', 'audit'],
	archive: ['audit', 'chains', 'configuration', 'decisions', 'http', 'incidents', 'money', 'partners', 'pricing'],
	orders: ['audit', 'backup', 'chains', 'configuration', 'console', 'decisions'],
	webhooks: ['archive', 'audit', 'chains', 'configuration', 'decisions', 'pricing'],
	docs: ['archive', 'chains', 'crypto', 'partners', 'pricing'],
	treasury: ['audit', 'backup', 'configuration', 'console', 'decisions'],
	// It carries calls, and knows nothing of what they are about.
	link: FLOORS.flat().filter((folder) => !['chains', 'crypto', 'link', 'platform'].includes(folder)),
	payer: ['audit', 'backup', 'configuration', 'decisions', 'incidents', 'webhooks'],
	signer: ['archive', 'console', 'decisions', 'docs', 'http', 'incidents', 'status', 'webhooks'],
	operator: ['docs', 'payer', 'signer', 'status'],
	agents: ['console', 'decisions', 'docs', 'partners', 'status', 'webhooks'],
	api: ['operator', 'pages', 'signer'],
	// A page reaches no object, queue, node or key: for those it asks at its desk.
	pages: ['backup', 'chains', 'console', 'decisions', 'incidents', 'pricing', 'signer'],
	local: ['archive', 'audit', 'console', 'decisions', 'docs', 'operator', 'orders', 'partners', 'signer', 'treasury'],
	// The client library stands alone: its examples import the package by its name.
	sdk: FLOORS.flat().filter((folder) => folder !== 'sdk'),
};

/**
 * Values of these folders that a page may import: tables, lists of names, how strays read, what access is known by, random tokens,
 * whether a passkey's answer holds, and the trees of what is owed.
 */
const VALUES_FOR_PAGES =
	/^(?:[\w/-]+\/table\.ts|orders\/(?:status|strays|refund-answer)\.ts|webhooks\/events\/events\.ts|partners\/(?:languages|partner|sign-in\/access)\.ts|crypto\/(?:tokens|webauthn)\.ts|treasury\/solvency\/(?:report|tree)\.ts)$/;
const CLOSED_TO_PAGES = ['crypto', 'orders', 'partners', 'payer', 'treasury', 'webhooks'];

/** Imports from one folder to another, without those of a seam. */
const arrows = files
	.flatMap((file) =>
		importsOf(file).map((each) => ({ file, from: folderOf(file), folder: folderOf(each.to), ...each })),
	)
	.filter(({ from, folder }) => from !== folder);
const named = (wrong: readonly { file: string; to: string }[]) => wrong.map(({ file, to }) => `${file} imports ${to}`);

describe('the house', () => {
	it('gives each folder a floor, and lets it import only from lower floors', () => {
		const floorOf = (folder: string) => FLOORS.findIndex((floor) => floor.includes(folder));
		expect([...new Set(files.map(folderOf))].filter((folder) => floorOf(folder) < 0)).toEqual(SEAMS.toSorted());
		const wrong = arrows
			.filter(({ from, folder }) => !SEAMS.includes(from) && !SEAMS.includes(folder))
			.filter(({ from, folder, typeOnly }) => !(typeOnly && TYPES_FROM_ABOVE.includes(`${from} > ${folder}`)))
			.filter(({ from, folder }) => floorOf(folder) >= floorOf(from));
		expect(named(wrong)).toEqual([]);
	});

	it('lets a seam import only types, but what a refusal is', () => {
		const wrong = arrows.filter(({ from, folder, typeOnly }) => {
			if (!SEAMS.includes(from) || typeOnly) return false;
			return folder !== 'platform' && folder !== 'http';
		});
		expect(named(wrong)).toEqual([]);
	});

	it('keeps a folder from others that its floor would let it import', () => {
		const wrong = arrows.filter(({ from, folder }) => MUST_NOT_IMPORT[from]?.includes(folder));
		expect(named(wrong)).toEqual([]);
		const known = new Set(files.map(folderOf));
		expect(
			Object.entries(MUST_NOT_IMPORT).flatMap(([from, to]) => [from, ...to].filter((one) => !known.has(one))),
		).toEqual([]);
	});

	it('lets a page import only tables and lists of names from the folders that do the work', () => {
		const wrong = arrows.filter(({ from, to, folder, typeOnly }) => {
			return from === 'pages' && !typeOnly && CLOSED_TO_PAGES.includes(folder) && !VALUES_FOR_PAGES.test(to);
		});
		expect(named(wrong)).toEqual([]);
	});

	/** What a command is called and takes, who may run it, and how its answer is read: without what it does. */
	const SHARED_WORDS = /^operator\/(?:reading\/|topics\/|topic\.ts$|roles\.ts$)/;

	it('lets no file import an entry or the signer, and of the operator only the console its words, and all its port', () => {
		const wrong = files.flatMap((file) =>
			importsOf(file)
				.filter(({ to }) => {
					const folder = folderOf(to);
					if (folder === folderOf(file)) return false;
					return ['agents', 'api', 'operator', 'signer'].includes(folder);
				})
				.filter(({ to }) => to !== 'ports/operator.ts')
				.filter(({ to }) => !(file.startsWith('pages/operator/') && SHARED_WORDS.test(to)))
				.map(({ to }) => `${file} imports ${to}`),
		);
		expect(wrong).toEqual([]);
	});

	// The registries, and the tool that creates Monero wallets before the service runs.
	const MAY_KNOW_FAMILIES = [
		'chains/addresses.ts',
		'chains/looking-registry.ts',
		'chains/registry.ts',
		'chains/signing-registry.ts',
		'chains/verifying-registry.ts',
		'local/guard.ts',
		'local/monero-wallet.ts',
	];

	it('lets only the registries know the chain families', () => {
		// `rpc` and `sandbox` are the folders of `chains` that are not a family.
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

	it('lets each registry import only one file of each family', () => {
		const importedBy = (file: string) => importsOf(file).flatMap(({ to }) => /^chains\/\w+\/(.+)$/.exec(to)?.[1] ?? []);
		// The import of the sandbox's ledger is a type: the Durable Object in the environment. The proof of headers is no
		// part of the API's code, which shares the look.
		expect(new Set(importedBy('chains/registry.ts'))).toEqual(new Set(['family.ts', 'ledger.ts']));
		expect(new Set(importedBy('chains/looking-registry.ts'))).toEqual(new Set(['look.ts', 'proving.ts']));
		expect(new Set(importedBy('chains/addresses.ts'))).toEqual(new Set(['address.ts', 'params.ts']));
		expect(new Set(importedBy('chains/signing-registry.ts'))).toEqual(new Set(['signing.ts']));
		expect(new Set(importedBy('chains/verifying-registry.ts'))).toEqual(new Set(['shown.ts']));
	});

	it('lets only the signer, the tool for Monero wallets and setup reach code that derives keys or signs', () => {
		// Setup loads this one file, where it compares typed words with an address.
		const MAY_SIGN = /^signer\/|^local\/(monero-wallet|guard|judge-keys)\.ts$|^operator\/cli\/setup\/wallet\.ts$/;
		const isKeyCode = (file: string) => /^chains\/(signing-registry|\w+\/(keys|signing))\.ts$/.test(file);
		const isBehindKeyCode = (file: string) => reachableFrom(file).some(isKeyCode);
		const wrong = files
			.filter((file) => !MAY_SIGN.test(file) && !file.startsWith('chains/'))
			.concat('chains/registry.ts')
			.filter(isBehindKeyCode);
		expect(wrong).toEqual([]);
		expect(isBehindKeyCode('signer/index.ts')).toBe(true);
	});

	it('makes every stub of a Durable Object in one place, so that each is created in the region that is set', () => {
		// The gate of anonymous calls is best near their networks.
		const makes = files.filter((file) => /\.getByName\(/.test(codeOf(file)) && !file.startsWith('local/'));
		expect(makes).toEqual(['partners/gate/anonymous.ts', 'platform/region.ts']);
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

/** Files whose header says `Pure`: all their inputs are arguments. */
const pureFiles = files.filter((file) => /\bPure\b/.test(headerOf(file)));

/** Globals that read the outside world, and the packages that do so for us. */
const EFFECTS =
	/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b|\bfetch\(|\bset(?:Timeout|Interval)\b|\bAbortSignal\.timeout\b|\bconsole\s*[.[]|\bprocess\b/g;
const EFFECTFUL = ['cloudflare:workers', 'drizzle-orm/d1'];

describe('pure files', () => {
	it('are most of the rules', () => {
		expect(pureFiles.length).toBeGreaterThan(80);
	});

	it.each(pureFiles)('%s knows no clock, no randomness and no I/O', (file) => {
		expect(codeOf(file).match(EFFECTS) ?? []).toEqual([]);
		expect(packagesOf(file).filter((name) => EFFECTFUL.includes(name) || /^node:(?!util$)/.test(name))).toEqual([]);
		expect(importsOf(file).filter(({ to, typeOnly }) => to === 'log.ts' && !typeOnly)).toEqual([]);
	});
});

/** Each event in `log.ts` is written somewhere. */
describe('the log', () => {
	it('has no event that is never written', () => {
		const code = files
			.filter((file) => file !== 'platform/log.ts')
			.map(sourceOf)
			.join('\n');
		const written = (event: string) =>
			code.includes(`'${event}'`) || code.includes(`}${event.slice(event.lastIndexOf('_'))}\``);
		expect(Object.keys(EVENTS).filter((event) => !written(event))).toEqual([]);
	});
});

describe('the operator', () => {
	/** Files that `entry` imports, itself included, without type-only imports. */
	const reach = (entry: string, seen = new Set<string>()): Set<string> => {
		if (seen.has(entry)) return seen;
		seen.add(entry);
		for (const { to, typeOnly } of importsOf(entry)) if (!typeOnly) reach(to, seen);
		return seen;
	};

	it('has a command line that loads none of the Worker’s command code', () => {
		const loaded = [...reach('operator/cli/cli.ts')];
		expect(loaded).toContain('operator/topics/order.ts');
		expect(loaded.filter((file) => /^operator\/(?!cli\/|reading\/|topics\/|topic\.ts|input\.ts)/.test(file))).toEqual(
			[],
		);
		expect(loaded.filter((file) => /cloudflare:|drizzle/.test(sourceOf(file)))).toEqual([]);
	});

	it('keeps the command line out of the Worker', () => {
		const loaded = [...reach('operator/index.ts')];
		expect(loaded).toContain('operator/topics/order.ts');
		expect(loaded.filter((file) => file.startsWith('operator/cli/'))).toEqual([]);
	});

	it('keeps what the commands do out of the API Worker', () => {
		const loaded = [...reach('api/index.ts')];
		expect(loaded.filter((file) => file.startsWith('operator/'))).toEqual([]);
	});

	it('keeps the client library out of the API Worker, the signer and the operator Worker', () => {
		const loaded = ['api/index.ts', 'signer/index.ts', 'operator/index.ts'].flatMap((entry) => [...reach(entry)]);
		expect(loaded).toContain('api/app.ts');
		expect(loaded.filter((file) => file.startsWith('sdk/'))).toEqual([]);
	});
});

/** The files of which a Worker's bundle has something. */
async function usedBy(entry: string): Promise<string[]> {
	const { metafile } = await bundleOf(entry);
	return Object.values(metafile.outputs).flatMap(({ inputs }) =>
		Object.entries(inputs)
			.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
			.map(([path]) => path),
	);
}

it('the signer holds no code that looks for deposits: it looks at a chain only to judge', async () => {
	const used = await usedBy('signer/index.ts');
	expect(used.filter((path) => /src\/chains\/\w+\/look\.ts$/.test(path))).toHaveLength(5);
	expect(used.filter((path) => /src\/chains\/(?!sandbox\/)\w+\/family\.ts$|explain/.test(path))).toEqual([]);
});

it('the API Worker holds no code that asks a node: of the chains it has addresses, and where each network runs', async () => {
	const used = await usedBy('api/index.ts');
	const ofChains = used.filter((path) => /src\/chains\/\w+\//.test(path));
	expect(ofChains.some((path) => path.endsWith('utxo/address.ts'))).toBe(true);
	expect(ofChains.filter((path) => /\/rpc\/(?!bounded-text)|\/(?:family|look|watch|scan)\w*\.ts$/.test(path))).toEqual(
		[],
	);
});

describe.each([
	['the API Worker', 'api/index.ts', 'src/api/app.ts'],
	['the agents Worker', 'agents/index.ts', 'src/treasury/agent.ts'],
	['the operator Worker', 'operator/index.ts', 'src/operator/api.ts'],
])('%s', (_, entry, own) => {
	it('holds no code that derives keys or signs transactions', async () => {
		const used = await usedBy(entry);
		expect(used.some((path) => path.endsWith(own))).toBe(true);
		expect(
			used.filter((path) =>
				/bip32|slip10|bip39|btc-signer|src\/signer\/|src\/chains\/\w+\/(keys|sign|signing)\.ts$|utxo\/transaction\.ts$/.test(
					path,
				),
			),
		).toEqual([]);
	});
});
