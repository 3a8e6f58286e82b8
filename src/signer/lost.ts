/**
 * Notices that the journal was lost, or set back to an earlier state. Then the signer takes itself for restored
 * (`restored.ts`): it signs for new orders, and for older ones only after a person has looked.
 *
 * The agents of the networks remember how many entries the journal had when they asked last, and which addresses they
 * have received. Neither is in D1, and nobody sets it back together with the journal. So a signer without a journal
 * believes that it is new only where the agent remembers nothing, and D1 has no sealed order either; D1 alone is never
 * believed. Who calls with a number that is too high can make the signer wait for a person, and nothing else.
 */
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { log } from '../platform/log.ts';
import type { MarkCause } from '../ports/copy.ts';
import type { Remembered } from '../ports/signer.ts';
import type { SignerEnv } from './env.ts';
import type { Journal } from './journal/journal.ts';
import { nextIndexOfOrders } from './new-addresses.ts';
import type { Restored } from './restored.ts';

interface Noticing {
	readonly env: SignerEnv;
	readonly journal: Journal;
	readonly restored: Restored;
}

/** Call it before anything is derived or signed. @throws what D1 throws, asked only while the journal is blank */
export async function noticeLoss(noticing: Noticing, remembered: Remembered): Promise<void> {
	const { env, journal } = noticing;
	if (!journal.isBlank()) {
		if (remembered.entries > journal.entries.number()) begin(noticing, remembered, 'older');
		return;
	}
	const isKnown = remembered.entries > 0 || remembered.nextIndex > 0;
	const rows = { db: databaseOf(env), sealKeys: keyRing(env, 'SEAL_KEY') };
	const isLost = isKnown || (await nextIndexOfOrders(rows, NETWORK_NAMES)) > 0;
	// Meanwhile another network may have begun the journal.
	if (isLost && journal.isBlank()) begin(noticing, remembered, 'lost');
}

/** One synchronous turn. What the other agents remember is of earlier journals too, so the number skips all of that. */
function begin({ journal, restored }: Noticing, { entries }: Remembered, cause: MarkCause): void {
	const had = journal.entries.number();
	restored.begin({ cause, backupAt: null, restoredAt: Date.now(), floors: {} });
	journal.entries.skip(entries);
	log(cause === 'lost' ? 'journal_lost' : 'journal_older', { entries: had, remembered: entries });
}
