/**
 * The reserves of one network, signed: the coins of our addresses in one block, and the signatures of their wallets. What is not
 * proven is named, and counts as nothing.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Resting, RestingPlace } from '../../chains/resting.ts';
import type { ReserveClaim, ReserveRow, SignedReserves } from '../../ports/reserves.ts';
import type { SignerWorker } from '../../ports/signer.ts';
import type { Connection } from '../connection.ts';
import { openAddresses } from '../sweeps/swept.ts';

/** Most addresses of a network that are signed for, the hot wallet among them. */
const MOST_SHOWN = 30;

export const unproven = (network: NetworkName, why: string): SignedReserves => ({
	rows: [],
	unsigned: [{ network, why }],
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
	const signed = await signer.signReserves(network, claim, block, addresses);
	const rows: ReserveRow[] = [];
	for (const { address, message, signature } of signed) {
		// Coins may have come or gone since they were counted: such a proof says itself what is there.
		const whole = await chain.wholeProof?.(signature);
		const held = whole ? [{ asset: nativeAsset(network), amount: whole.amount }] : heldAt(places, address);
		const holdings = held.map(({ asset, amount }) => ({ asset, amount: String(amount) }));
		rows.push({ network, address, holdings, message, signature: whole?.signature ?? signature });
	}
	const left = others + addresses.length - signed.length;
	return {
		rows,
		unsigned: left === 0 ? [] : [{ network, why: `${left} more addresses hold coins, and are not signed for` }],
	};
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
	const shown = addresses.slice(0, MOST_SHOWN);
	const found = await chain.resting(shown, MOST_SHOWN);
	return { ...found, others: found.others + addresses.length - shown.length };
}
