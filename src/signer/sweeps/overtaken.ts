/**
 * Did another transaction take the nonce of a move between our own wallets? Only the signer's own node and its journal
 * say so. It signs nothing for it, and the failure counts like one on chain.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Chain } from '../../chains/port.ts';
import type { OwnAddresses } from '../../chains/signing-port.ts';
import type { OvertakenAnswer, OvertakenMove } from '../../treasury/signer-port.ts';
import type { Journal } from '../journal/journal.ts';

interface Asked {
	readonly network: NetworkName;
	/** The network, by the signer's own node. */
	readonly chain: Chain;
	readonly signer: OwnAddresses;
	readonly journal: Journal;
}

/** A move that an earlier journal signed is judged by the caller's words: nothing here rests on it. */
export async function judgeOvertaken(
	{ network, chain, signer, journal }: Asked,
	{ payoutId, raw, from, txId }: OvertakenMove,
): Promise<OvertakenAnswer> {
	const move = journal.sweeps.movement(payoutId);
	const versions = journal.versions.of(payoutId);
	const own = move && { raw: move.raw, from: move.kind === 'sweep' ? move.address : signer.hotAddress() };
	if (move && move.network !== network) return { isOvertaken: false };
	const found = await chain.overtaker?.(own?.raw ?? raw, own?.from ?? from, txId);
	if (!found || !isFinal(network, found, null) || found.txId === move?.txId) return { isOvertaken: false };
	const version = versions.find((each) => each.txId === found.txId);
	if (version) return { isOvertaken: false, version: { raw: version.raw, txId: version.txId } };
	if (move) journal.sweeps.noteFailed(move);
	return { isOvertaken: true };
}
