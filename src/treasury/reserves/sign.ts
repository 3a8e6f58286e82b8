/**
 * The reserves of one network, signed: the coins of our addresses in one block, and the signatures of their wallets. What is not
 * proven is named, and counts as nothing.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { offeredNetworks } from '../../chains/configuration.ts';
import type { Resting, RestingPlace } from '../../chains/resting.ts';
import { objectNamed } from '../../platform/region.ts';
import type { AgentsEnv } from '../../ports/env.ts';
import {
	MOST_SIGNED,
	type ReserveClaim,
	type ReserveRow,
	type SignedReserve,
	type SignedReserves,
} from '../../ports/reserves.ts';
import type { SignerWorker } from '../../ports/signer.ts';
import type { Connection } from '../connection.ts';
import { openAddresses } from '../sweeps/swept.ts';

/**
 * Most addresses of a network that are shown, the hot wallet among them. Where deposits are swept few hold anything, and each
 * asks the node for each of its assets; where they rest until they pay somebody, the book of coins knows them all. Each is 600
 * bytes in each hour's row of D1, for 31 days.
 */
const MOST_SHOWN = { swept: 30, resting: 200 } as const;

export const unproven = (network: NetworkName, why: string): SignedReserves => ({
	rows: [],
	unsigned: [{ network, addresses: null, why }],
});

/** @throws ChainUnavailable, and what the signer throws */
export async function signReserves(
	connection: Connection,
	signer: Pick<SignerWorker, 'signReserves'>,
	claim: ReserveClaim,
): Promise<SignedReserves> {
	const { network, chain } = connection;
	const resting = await restingOf(connection);
	if (!resting) return unproven(network, 'it runs on the sandbox, whose coins nobody else can see');
	const { block, places, others } = resting;
	const addresses = places.map(({ address }) => address);
	const signed: SignedReserve[] = [];
	for (let first = 0; first < addresses.length; first += MOST_SIGNED)
		signed.push(...(await signer.signReserves(network, claim, block, addresses.slice(first, first + MOST_SIGNED))));
	const rows: ReserveRow[] = [];
	for (const { address, message, signature } of signed) {
		// Coins may have come or gone since they were counted: such a proof says itself what is there.
		const whole = await chain.wholeProof?.(signature);
		const held = whole ? [{ asset: nativeAsset(network), amount: whole.amount }] : heldAt(places, address);
		const holdings = held.map(({ asset, amount }) => ({ asset, amount: String(amount) }));
		rows.push({ network, address, holdings, message, signature: whole?.signature ?? signature });
	}
	const left = others + addresses.length - signed.length;
	const why = `${left} more addresses hold coins, and are not signed for`;
	return { rows, unsigned: left === 0 ? [] : [{ network, addresses: left, why }] };
}

const heldAt = (places: readonly RestingPlace[], at: string): RestingPlace['holdings'] =>
	places.find(({ address }) => address === at)?.holdings ?? [];

/** The coins at the hot wallet and at those pay-in addresses that have most of each asset by the books. Null on the sandbox. */
async function restingOf({ db, network, chain, hotAddress }: Connection): Promise<Resting | null> {
	if (!chain.resting) return null;
	const places = await openAddresses(db, network, chain.sweeping?.feePayer ?? null, Date.now());
	const ranked = [...places.values()].flatMap(({ open }) =>
		open.toSorted((one, other) => (one.booked < other.booked ? 1 : -1)).map(({ address }, rank) => ({ address, rank })),
	);
	const largest = ranked.toSorted((one, other) => one.rank - other.rank).map(({ address }) => address);
	const addresses = [...new Set([hotAddress, ...largest])];
	const most = chain.sweeping ? MOST_SHOWN.swept : MOST_SHOWN.resting;
	const shown = addresses.slice(0, most);
	const found = await chain.resting(shown, most);
	return { ...found, others: found.others + addresses.length - shown.length };
}

/**
 * Fails for no network: one that fails is not proven. `showsMonero`: a proof of Monero shows every coin that was paid to us
 * and is not spent, and later where each goes.
 */
export async function signedReserves(
	env: AgentsEnv,
	claim: ReserveClaim,
	{ showsMonero }: { readonly showsMonero: boolean },
): Promise<SignedReserves> {
	const each = await Promise.all(
		offeredNetworks(env).map(async (network): Promise<SignedReserves> => {
			if (network === 'Monero' && !showsMonero)
				return unproven(network, 'its proof would show which payments were to us, so none is published');
			try {
				return structuredClone(await objectNamed(env, env.CHAIN_AGENT, network).signReserves(network, claim));
			} catch (error) {
				return unproven(network, error instanceof Error ? error.message : String(error));
			}
		}),
	);
	return { rows: each.flatMap(({ rows }) => rows), unsigned: each.flatMap(({ unsigned }) => unsigned) };
}
