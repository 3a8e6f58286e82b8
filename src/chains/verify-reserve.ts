/**
 * Verifies one row of the published reserves with nothing of ours: the text says what it should, the address has signed it, and a
 * public chain shows the balance in the block that the text names. The signer writes the time by its own clock, and
 * nobody knows a block's hash ahead: so a row can be made neither before its time nor after it for a block of another.
 */
import { assetOf } from '../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../catalog/networks.ts';
import type { ReserveClaim, ReserveFact, ReserveRow, ReserveVerdict } from '../ports/reserves.ts';
import type { NodeChain } from './configuration.ts';
import { ChainUnavailable } from './errors.ts';
import { type ReserveFacts, readReserveText } from './reserve-text.ts';
import type { Shown, SignedBy } from './verifying-port.ts';
import { shownOn, signedBy } from './verifying-registry.ts';

/** The text of every row has to say it, by the root of the debts that was published beside it. */
export interface ExpectedClaim extends ReserveClaim {
	/** `-` where the deployment has no name. */
	readonly deployment: string;
}

/** A block may be so many times the usual time between blocks older than the text, and at least these seconds. */
const BLOCKS_OLD = 24;
const LEAST_SECONDS_OLD = 900;
/** Clocks of miners may be two hours ahead (Bitcoin's rule). */
const SECONDS_AHEAD = 7_200;

export interface ReserveNodes {
	/**
	 * By network, one or more URLs with blanks between, as `NODE_URL_*`. Of Monero: the verifier's own monero-wallet-rpc, with any
	 * wallet, and a monerod.
	 */
	readonly nodes: Readonly<Record<string, string>>;
	readonly chain: NodeChain;
}

export type VerifyReserve = (row: ReserveRow, expected: ExpectedClaim) => Promise<ReserveVerdict>;

/** Verifies each of these rows, and asks the nodes for those of a network together where they tell it so. */
export function reserveVerifier({ nodes, chain }: ReserveNodes, rows: readonly ReserveRow[]): VerifyReserve {
	const known = new Map<NetworkName, Shown>();
	const shownFor = (network: NetworkName, urls: readonly string[]): Shown => {
		const addresses = rows.filter((row) => row.network === network).map(({ address }) => address);
		const shown = known.get(network) ?? shownOn(network, { urls, chain }, addresses);
		known.set(network, shown);
		return shown;
	};
	return (row, expected) => {
		const urls = (nodes[row.network] ?? '').split(/\s+/).filter(Boolean);
		return verified(row, expected, chain, urls.length > 0 ? () => shownFor(row.network, urls) : null);
	};
}

/** One row alone. */
export const verifyReserve = (
	row: ReserveRow,
	expected: ExpectedClaim,
	nodes: ReserveNodes['nodes'],
	chain: NodeChain = 'main',
): Promise<ReserveVerdict> => reserveVerifier({ nodes, chain }, [row])(row, expected);

/** `shown`: null where no node was given. */
async function verified(
	row: ReserveRow,
	expected: ExpectedClaim,
	chain: NodeChain,
	shown: (() => Shown) | null,
): Promise<ReserveVerdict> {
	const facts = readReserveText(row.message);
	if (!facts) return { is: 'says-other', what: 'form', said: row.message, expected: 'the text of a reserve' };
	const other = otherFact(facts, row, expected);
	if (other) return other;
	const signed = signedBy(row.network, chain, row);
	if (signed === 'some' || signed === 'none') return unsigned(signed);
	if (!shown) {
		const why = `no node of ${row.network} was given`;
		return signed
			? { is: 'signed', why }
			: { is: 'unchecked', why: `${why}, and only a wallet can tell who signed it` };
	}
	try {
		return await shownVerdict(shown(), row, facts);
	} catch (error) {
		if (!(error instanceof ChainUnavailable)) throw error;
		return { is: 'unchecked', why: error.message };
	}
}

const unsigned = (signed: SignedBy): ReserveVerdict => ({
	is: signed === 'some' ? 'signed-in-part' : 'signature-wrong',
});

/** The first fact of the text that is not what it should be; null where all are. */
function otherFact(facts: ReserveFacts, row: ReserveRow, expected: ExpectedClaim): ReserveVerdict | null {
	const pairs: readonly (readonly [ReserveFact, unknown, unknown])[] = [
		['deployment', facts.deployment, expected.deployment],
		['debts', `${facts.number} ${facts.debts}`, `${expected.number} ${expected.debts}`],
		['at', facts.at, expected.at],
		['network', facts.network, row.network],
		['address', facts.address, row.address],
		...row.holdings.map(({ asset }) => ['network', assetOf(asset).network, row.network] as const),
	];
	const different = pairs.find(([, said, should]) => said !== should);
	if (!different) return null;
	const [what, said, should] = different;
	return { is: 'says-other', what, said: String(said), expected: String(should) };
}

async function shownVerdict(shown: Shown, row: ReserveRow, { block, at }: ReserveFacts): Promise<ReserveVerdict> {
	const time = await shown.timeOf(block);
	if (time === null) return { is: 'other-block', why: `${row.network} has no block ${block.hash} at ${block.height}` };
	const age = Date.parse(at) / 1000 - time;
	const oldest = Math.max(LEAST_SECONDS_OLD, BLOCKS_OLD * networkNamed(row.network).blockSeconds);
	if (age > oldest || age < -SECONDS_AHEAD)
		return { is: 'other-block', why: `block ${block.height} is ${age} seconds older than the text` };
	return shortIn(shown, row, block);
}

async function shortIn(shown: Shown, row: ReserveRow, block: ReserveFacts['block']): Promise<ReserveVerdict> {
	for (const { asset, amount } of row.holdings) {
		const claimed = BigInt(amount);
		const found = await shown.held(asset, row, block, claimed);
		if (typeof found !== 'bigint') return unsigned(found);
		if (found < claimed) return { is: 'short', asset, claimed, found };
	}
	return { is: 'holds' };
}

/** An address that two rows have, and would count twice; null where there is none. */
export function repeatedReserve(rows: readonly Pick<ReserveRow, 'network' | 'address'>[]): string | null {
	const names = rows.map(({ network, address }) => `${network} ${address}`);
	return names.find((name, at) => names.indexOf(name) !== at) ?? null;
}
