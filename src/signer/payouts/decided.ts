/**
 * Which version of a payment is on the chain for good, by the signer's own node. Each version takes all that the ones
 * before it took, and perhaps more coins for its fee. Once one is final no other can ever confirm, and what only the
 * others took can be spent again.
 *
 * Atomic: the decision and what becomes free are one transaction of the journal. Nothing becomes free by time alone, nor
 * for a version that a reorganisation may still take out.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Chain, ChainSigner } from '../../chains/port.ts';
import { logError } from '../../log.ts';
import type { Versions } from '../journal/versions.ts';

/** Payments that one call asks the chain about. */
const PER_CALL = 10;

export interface Deciding {
	readonly network: NetworkName;
	readonly signer: ChainSigner;
	/** The network, by the signer's own node. */
	readonly chain: Chain;
	readonly versions: Versions;
}

/** Never throws: other coins can be signed with while these stay locked. */
export async function freeLosers({ network, signer, chain, versions }: Deciding): Promise<void> {
	if (!signer.takenBy) return;
	for (const payoutId of versions.undecided(network, PER_CALL)) {
		try {
			for (const version of versions.of(payoutId)) {
				const depth = await chain.transactionDepth(version.txId);
				if (!depth || !isFinal(network, depth, null)) continue;
				versions.decide(payoutId, version.txId, signer.takenBy(version));
				break;
			}
		} catch (error) {
			logError('version_not_decided', error, { payoutId, network });
		}
	}
}
