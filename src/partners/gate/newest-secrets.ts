/**
 * The newest secrets of the partner that this gate has taken, sealed, in its own storage. D1 can be set back in time, by its
 * operator or by somebody who writes rows, and a secret that was replaced must not come back with it. Of what D1 has and what
 * is remembered the one that was issued later counts. A gate that is new, as after a restore into another deployment,
 * remembers nothing and takes what D1 has.
 */
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { PartnerColumns } from '../changes.ts';
import { SECRET_NAMES, type SecretName } from '../partner.ts';
import { isOfFuture, issuedAt, openIssued, SEALED_COLUMNS } from '../secrets.ts';
import type { PartnerRow } from '../table.ts';

const keyOf = (name: SecretName): string => `newest ${name}`;

export class NewestSecrets {
	readonly #kv: SyncKvStorage;

	constructor({ kv }: DurableObjectStorage) {
		this.#kv = kv;
	}

	/** The row's secrets, with newer ones in the place of those that were replaced since. */
	async ahead(keys: KeyRing, row: PartnerRow): Promise<PartnerColumns> {
		const columns: Record<string, string> = {};
		for (const name of SECRET_NAMES) {
			const [known, stored] = [this.#kv.get<string>(keyOf(name)), row[SEALED_COLUMNS[name]]];
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
		for (const name of names) this.#kv.put(keyOf(name), row[SEALED_COLUMNS[name]]);
	}

	/** A secret that does not open is not remembered, nor one of the future: its time is made up. */
	async remember(keys: KeyRing, row: PartnerRow): Promise<void> {
		for (const name of SECRET_NAMES) {
			const stored = row[SEALED_COLUMNS[name]];
			if (this.#kv.get(keyOf(name)) === stored || isOfFuture(stored)) continue;
			if (!(await opens(keys, row.id, name, stored))) continue;
			this.#kv.put(keyOf(name), stored);
		}
	}
}

const opens = (keys: KeyRing, partnerId: string, name: SecretName, stored: string): Promise<boolean> =>
	openIssued(keys, { partnerId, name, stored }).then(
		() => true,
		() => false,
	);
