/**
 * Which version of a payment is final, by the signer's own node. Each version spends all that the earlier ones spent,
 * and perhaps more coins for its fee. Once one is final, no other can ever confirm, and the coins that only the others
 * spent become available again.
 *
 * Atomic: the decision and the freed coins are one transaction of the journal. A version without bytes frees none. Coins are never freed by
 * time alone, nor while a reorganisation can still remove the version.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Look } from '../../chains/port.ts';
import type { ChainSigner } from '../../chains/signing-port.ts';
import { logError } from '../../platform/log.ts';
import type { Versions } from '../journal/versions.ts';
import { NO_BYTES } from '../overtaken.ts';

/** Most payments that one call asks the chain about. */
const PER_CALL = 10;

export interface Deciding {
	readonly network: NetworkName;
	/** Networks without it have no coins that a version could leave. */
	readonly takenBy: NonNullable<ChainSigner['takenBy']>;
	/** The network, by the signer's own node. */
	readonly chain: Look;
	readonly versions: Versions;
}

/** Never throws: signing goes on with other coins while these stay locked. */
export async function freeLosers({ network, takenBy, chain, versions }: Deciding): Promise<void> {
	for (const payoutId of versions.undecided(network, PER_CALL)) {
		try {
			for (const version of versions.of(payoutId)) {
				const depth = await chain.transactionDepth(version.txId);
				if (!depth || !isFinal(network, depth, null)) continue;
				const taken = version.raw === NO_BYTES ? version.spends : takenBy(version);
				versions.decide(payoutId, version.txId, taken);
				break;
			}
		} catch (error) {
			logError('version_not_decided', error, { payoutId, network });
		}
	}
}
