/** `proof verify`: the file of an hour, what its reader is owed in it, and what the wallets hold. It asks no service of ours. */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { isNetworkName } from '../../catalog/networks.ts';
import type { NodeChain } from '../../chains/configuration.ts';
import { splitDialect } from '../../chains/node-urls.ts';
import { repeatedReserve, type reserveVerifier as reserveVerifierOf } from '../../chains/verify-reserve.ts';
import { amountsByAsset, toBaseUnits } from '../../money/units.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { SignedStatement } from '../../ports/promises.ts';
import type { ReserveRow } from '../../ports/reserves.ts';
import type { OwnFile, SolvencyFile, SolvencyStatement } from '../../ports/solvency.ts';
import type { PromiseStatement } from '../../sdk/verify-promise.ts';
import { digestOf, isAmount } from '../../treasury/solvency/tree.ts';
import { type TrustedKeys, verifyFile, verifyOwn } from '../../treasury/solvency/verify.ts';
import type { ProofOptions } from './proof-options.ts';
import { coinsText, faultText, hourText, type OwedFault, verdictText } from './proof-words.ts';
import { readJson, ServiceError } from './service.ts';
import { promiseIn } from './verify-promise.ts';

/** As the signer writes a name that is not set. */
const NAMELESS = '-';

type ReserveVerifier = typeof reserveVerifierOf;
/** Base units by asset. */
type Sums = ReadonlyMap<string, bigint>;

export interface ProofVerdict {
	readonly lines: readonly string[];
	/** Faults, and addresses that could not be looked up. */
	readonly wrong: readonly string[];
	readonly unchecked: readonly string[];
}

/** @throws ServiceError where a file or an option cannot be read */
export async function verifiedProof(
	options: ProofOptions,
	reserveVerifier: ReserveVerifier,
	now: number,
): Promise<ProofVerdict> {
	const keys: TrustedKeys = {
		trusted: options.keys,
		published: options.published === undefined ? null : (readJson(options.published) as TrustedKeys['published']),
	};
	const file = withHeads(readJson(options.file) as SolvencyFile, options.heads);
	const since = options.since === undefined ? null : lastHeadIn(options.since);
	const { statement, faults } = await verifyFile(file, keys, since);
	if (!statement) return { lines: [], wrong: faults.map(faultText), unchecked: [] };
	const own = options.own.map((name) => verifyOwn(readJson(name) as OwnFile, statement));
	const owed = amountsByAsset(own.flatMap((each) => [...each.owed].map(([asset, amount]) => ({ asset, amount }))));
	const promise = options.promise === undefined ? null : await promiseIn(options.promise, keys);
	const reserves = await judgedReserves(file.reserves, statement, {
		nodes: nodesIn(options.nodes),
		chain: options.chain,
		reserveVerifier,
	});
	return {
		lines: [
			`What was owed at ${statement.at}, in ${hourText(statement.number)}, ${deploymentText(statement)}.`,
			...statement.debts.map(({ asset, sum }) => coverText(asset, BigInt(sum), reserves)),
			...unshownText(statement),
			...[...owed].map(([asset, amount]) => `${coinsText(asset, amount)} of it is yours.`),
		],
		wrong: [
			...faults.map(faultText),
			...ageFaults(statement, options.hours, now),
			...own.flatMap((each) => each.faults.map(faultText)),
			...owedFaults(options, owed, promise).map(faultText),
			...reserves.wrong,
			...statement.debts
				.filter(({ asset, sum }) => (reserves.told.get(asset) ?? 0n) < BigInt(sum))
				.map(({ asset, sum }) => `not covered: ${coverText(asset, BigInt(sum), reserves)}`),
		],
		unchecked: reserves.unchecked,
	};
}

const deploymentText = ({ deployment }: SolvencyStatement): string =>
	deployment === NAMELESS ? 'by a deployment without a name' : `by the deployment ${deployment}`;

/** The percentage is rounded down. No wallet signs an amount: what no node showed is told, and not shown. */
function coverText(
	asset: string,
	owed: bigint,
	{ shown, told }: { readonly shown: Sums; readonly told: Sums },
): string {
	const [has, said] = [shown.get(asset) ?? 0n, told.get(asset) ?? 0n];
	const percent = owed === 0n ? '' : `, ${(has * 100n) / owed} %`;
	const more = said > has ? `; the file says ${coinsText(asset, said)}` : '';
	return `${coinsText(asset, owed)} is owed, and the wallets show ${coinsText(asset, has)}${percent}${more}.`;
}

function unshownText({ unshown }: SolvencyStatement): string[] {
	if (unshown.length === 0) return [];
	const each = unshown.map(({ network, addresses }) =>
		addresses === null ? `${network}` : `${addresses} more addresses on ${network}`,
	);
	return [`Not in it, and counted as nothing: ${each.join(', ')}.`];
}

function ageFaults({ at }: SolvencyStatement, hours: number, now: number): string[] {
	const age = now - Date.parse(at);
	return age >= -HOUR_MILLISECONDS && age <= hours * HOUR_MILLISECONDS
		? []
		: [`old: it is of ${at}, and may be ${hours} hours old (--hours)`];
}

/** A payout is owed in the other asset than the deposit was: where the promise names it, that is enough. */
function owedFaults(
	{ own, owed, promise: name }: ProofOptions,
	found: ReadonlyMap<string, bigint>,
	promise: PromiseStatement | null,
): OwedFault[] {
	const files = own.map((each): OwnFile => Object(readJson(each)));
	const isNamed = !promise || files.some(({ creditor, id }) => creditor === 'order' && id === promise.id);
	return [
		...(isNamed ? [] : [{ is: 'not-in', what: `the order ${promise?.id} of ${name}` } as const]),
		...owed.flatMap((text): OwedFault[] => {
			const { asset, amount } = amountIn(text);
			const has = found.get(asset) ?? 0n;
			const isPaidOut = promise?.from.code === asset && (found.get(promise.to.code) ?? 0n) > 0n;
			if (has >= amount || isPaidOut) return [];
			return has === 0n ? [{ is: 'not-in', what: text }] : [{ is: 'shrunk', asset, expected: amount, found: has }];
		}),
	];
}

function amountIn(text: string) {
	const [amount = '', code = ''] = text.trim().split(/\s+/);
	if (!isAssetId(code)) throw new ServiceError(`--owed ${text}: name an amount and an asset, as "0.5 BTC"`);
	try {
		return { asset: code, amount: toBaseUnits(amount, assetOf(code).decimals) };
	} catch (error) {
		throw new ServiceError(`--owed ${text}: ${(error as Error).message}`);
	}
}

function nodesIn(pairs: readonly string[]): Record<string, string> {
	return Object.fromEntries(
		pairs.map((pair) => {
			const at = pair.indexOf('=');
			const [network, urls] = [pair.slice(0, at), pair.slice(at + 1)];
			const isRight = urls.split(' ').every((url) => URL.canParse(splitDialect(url).url));
			if (!isNetworkName(network) || !isRight)
				throw new ServiceError(`--node ${pair}: name the network and its node, as Bitcoin=URL`);
			return [network, urls];
		}),
	);
}

interface Amount {
	readonly asset: string;
	readonly amount: bigint;
}

interface Looking {
	readonly nodes: Readonly<Record<string, string>>;
	readonly chain: NodeChain;
	readonly reserveVerifier: ReserveVerifier;
}

/** A row that is wrong does not count. */
async function judgedReserves(
	rows: readonly ReserveRow[],
	{ number, at, debts, deployment }: SolvencyStatement,
	{ reserveVerifier, ...looked }: Looking,
) {
	const expected = { number, at, debts: digestOf(JSON.stringify(debts)), deployment };
	const [shown, told]: [Amount[], Amount[]] = [[], []];
	const [wrong, unchecked]: [string[], string[]] = [[], []];
	const readable = rows.map((row): ReserveRow => Object(row)).filter(isReserve);
	if (readable.length < rows.length) wrong.push('a row of the reserves is none');
	const twice = repeatedReserve(readable);
	if (twice !== null) wrong.push(`${twice} is there twice`);
	const once = new Map(readable.map((row) => [`${row.network} ${row.address}`, row]));
	const verify = reserveVerifier(looked, readable);
	for (const row of once.values()) {
		const verdict = await verify(row, expected);
		const text = verdictText(row, verdict);
		const isOpen = verdict.is === 'signed' || verdict.is === 'unchecked';
		if (text !== null) (isOpen ? unchecked : wrong).push(text);
		if (text !== null && !isOpen) continue;
		const amounts = row.holdings.map(({ asset, amount }): Amount => ({ asset, amount: BigInt(amount) }));
		told.push(...amounts);
		if (!isOpen) shown.push(...amounts);
	}
	return { shown: amountsByAsset(shown), told: amountsByAsset(told), wrong, unchecked };
}

/** Each asset once: two holdings of one balance would count it twice. */
function isReserve({ network, address, message, signature, holdings }: ReserveRow): boolean {
	const areTexts = [address, message, signature].every((text) => typeof text === 'string');
	if (!areTexts || !isNetworkName(network) || !Array.isArray(holdings)) return false;
	const assets = holdings.map((holding): ReserveRow['holdings'][number] => Object(holding));
	return (
		assets.every(({ asset, amount }) => isAssetId(asset) && isAmount(amount)) &&
		new Set(assets.map(({ asset }) => asset)).size === assets.length
	);
}

/** The heads before those of the file, where the list has them. */
function withHeads(file: SolvencyFile, name: string | undefined): SolvencyFile {
	if (name === undefined) return file;
	const all = headsIn(readJson(name), name);
	const own = headsIn(Object(file).heads, 'the file');
	const first = all.findIndex(({ statement }) => statement === own[0]?.statement);
	return { ...file, heads: [...all.slice(0, Math.max(first, 0)), ...own] };
}

function lastHeadIn(name: string): SignedStatement {
	const last = headsIn(Object(readJson(name)).heads, name).at(-1);
	if (!last) throw new ServiceError(`${name} has no signed head`);
	return last;
}

function headsIn(heads: unknown, name: string): SignedStatement[] {
	if (!Array.isArray(heads)) throw new ServiceError(`${name} has no list of signed heads`);
	return heads.map((head) => Object(head));
}
