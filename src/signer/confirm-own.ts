/**
 * `restored confirm` of what belongs to no order: refused while the chains may show earnings that were paid after the
 * backup (`own-payments.ts`). The journal also learns what the chains know of its wallets: where
 * payments have nonces, the next one comes after those that were signed after the backup.
 *
 * Atomic for each network: its reservations are one transaction of the storage. The mark comes last, so a failure leaves
 * everything as it was, and the command can be repeated.
 */
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { networkMode } from '../chains/configuration.ts';
import type { Said } from '../ports/copy.ts';
import type { SignerEnv } from './env.ts';
import type { Journal } from './journal/journal.ts';
import { ownPaymentsProblem } from './own-payments.ts';
import type { Restored } from './restored.ts';
import type { Wiring } from './wiring.ts';

interface Asked {
	readonly restored: Restored;
	readonly journal: Journal;
	readonly wiring: Wiring;
	readonly env: SignerEnv;
}

/** Why it cannot be confirmed now; null where it is. */
export async function confirmOwn({ restored, journal, wiring, env }: Asked, said: Said): Promise<string | null> {
	const paid = restored.state() && (await ownPaymentsProblem(wiring.looking(), said));
	if (paid) return paid;
	for (const network of NETWORK_NAMES.filter((name) => networkMode(env, name) !== null)) {
		try {
			const spent = (await wiring.keys.on(network).spentByChain?.()) ?? [];
			journal.takeFromChain(network, spent, Date.now());
		} catch (error) {
			return `${network}: ${error instanceof Error ? error.message : String(error)}`;
		}
	}
	restored.confirm(Date.now());
	return null;
}
