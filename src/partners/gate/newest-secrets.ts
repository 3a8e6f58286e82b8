/**
 * The newest secrets of the partner that this gate has taken, sealed, in its own storage. D1 can be set back in time, by its
 * operator or by somebody who writes rows, and a secret that was replaced must not come back with it. Of what D1 has and what
 * is remembered the one that was issued later counts. A gate that is new, as after a restore into another deployment,
 * remembers nothing and takes what D1 has.
 */
import { type KeyRing, type KeyVariables, keyRing } from '../../crypto/key-ring.ts';
import { incidentIf } from '../../incidents/store.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { Stored } from '../../platform/stored.ts';
import { changePartner, type PartnerColumns } from '../changes.ts';
import { SECRET_NAMES, type SecretName } from '../partner.ts';
import { isOfFuture, issuedAt, openIssued, SEALED_COLUMNS } from '../secrets.ts';
import type { PartnerRow } from '../table.ts';

const keyOf = (name: SecretName): string => `newest ${name}`;

export class NewestSecrets extends Stored {
	/** The row's secrets, with newer ones in the place of those that were replaced since. */
	async ahead(keys: KeyRing, row: PartnerRow): Promise<PartnerColumns> {
		const columns: Record<string, string> = {};
		for (const name of SECRET_NAMES) {
			const [known, stored] = [this.storage.kv.get<string>(keyOf(name)), row[SEALED_COLUMNS[name]]];
			if (known === undefined || known === stored) continue;
			if (issuedAt(stored) > issuedAt(known) && !isOfFuture(stored)) continue;
			// The same secret under another key: it was sealed again, or what D1 has is of before that.
			if (issuedAt(stored) === issuedAt(known) && (await opens(keys, row.id, name, stored))) continue;
			columns[SEALED_COLUMNS[name]] = known;
		}
		return columns;
	}

	/** Remembers the secrets that this gate has just issued. */
	take(row: PartnerRow, names: readonly SecretName[]): void {
		for (const name of names) this.storage.kv.put(keyOf(name), row[SEALED_COLUMNS[name]]);
	}

	/** A secret that does not open is not remembered, nor one of the future: its time is made up. */
	async remember(keys: KeyRing, row: PartnerRow): Promise<void> {
		for (const name of SECRET_NAMES) {
			const stored = row[SEALED_COLUMNS[name]];
			if (this.storage.kv.get(keyOf(name)) === stored || isOfFuture(stored)) continue;
			if (!(await opens(keys, row.id, name, stored))) continue;
			this.storage.kv.put(keyOf(name), stored);
		}
	}
}

/**
 * The row with the newest secrets. Where D1 was set back they are written there again, so that commands see what counts;
 * where that fails they count all the same, and the next load tries again.
 */
export async function withNewest(
	env: KeyVariables & { readonly DB: D1Database },
	newest: NewestSecrets,
	row: PartnerRow,
): Promise<PartnerRow> {
	const ahead = await newest.ahead(keyRing(env, 'SECRETS_KEY'), row);
	const putBack = Object.keys(ahead);
	if (putBack.length === 0) return row;
	log('secret_set_back', { partnerId: row.id, secrets: putBack });
	const writer = { db: databaseOf(env), now: Date.now(), actor: 'service' };
	try {
		const incident = { kind: 'secret-set-back', subject: row.id, detail: putBack.join(', ') } as const;
		const entry = { command: 'keys put-back', changes: { putBack } };
		const written = await changePartner(writer, row, {
			columns: ahead,
			entry,
			also: (isUnchanged) => [incidentIf(writer.db, incident, writer.now, isUnchanged)],
		});
		return written ?? { ...row, ...ahead };
	} catch (error) {
		logError('secret_not_put_back', error, { partnerId: row.id });
		return { ...row, ...ahead };
	}
}

const opens = (keys: KeyRing, partnerId: string, name: SecretName, stored: string): Promise<boolean> =>
	openIssued(keys, { partnerId, name, stored }).then(
		() => true,
		() => false,
	);
