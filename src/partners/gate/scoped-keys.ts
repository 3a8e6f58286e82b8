/**
 * A partner's scoped keys, as its gate knows them: opened, with a budget for each app key, and when each was used last. The
 * gate's own storage has which were revoked (`ended-access.ts`) and the newest secret of each that was rotated: D1 can be
 * set back, and gets back what counts.
 */
import { and, eq } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { sha256Hex } from '../../crypto/tokens.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { Env } from '../../ports/env.ts';
import type { IssuedSecrets } from '../../ports/gates.ts';
import { accessOfScoped, exists, isRow } from '../scoped.ts';
import { isOfFuture, issuedAt, nameOfScoped, newSecret, openScoped } from '../secrets.ts';
import { type PartnerKeyRow, partnerKeys } from '../table.ts';
import type { EndedAccess } from './ended-access.ts';
import type { Signer } from './verdict.ts';
import { SlidingWindow } from './window.ts';

const newestOf = (id: string): string => `newest key ${id}`;

export class ScopedKeys {
	readonly #ctx: DurableObjectState;
	readonly #env: Env;
	readonly #ended: EndedAccess;
	/** By the id of an app key. */
	readonly #windows = new Map<string, SlidingWindow>();
	/** When the use of a key was stored last. */
	readonly #storedAt = new Map<string, number>();

	constructor(ctx: DurableObjectState, env: Env, ended: EndedAccess) {
		this.#ctx = ctx;
		this.#env = env;
		this.#ended = ended;
	}

	/** Those that can sign. One that does not open was changed in D1, or its key is gone: it holds up no other. */
	async open(rows: readonly PartnerKeyRow[]): Promise<ReadonlyMap<string, Signer>> {
		const signers = await Promise.all(rows.map((row) => this.#open(row)));
		return new Map(signers.flatMap((signer) => (signer?.row ? [[signer.row.id, signer] as const] : [])));
	}

	async #open(stored: PartnerKeyRow): Promise<Signer | null> {
		if (this.hasEnded(stored)) {
			log('key_set_back', { partnerId: stored.partnerId, keyId: stored.id, was: 'revoked' });
			this.#store(databaseOf(this.#env).delete(partnerKeys).where(isRow(stored)));
			return null;
		}
		const row = this.#withNewest(stored);
		try {
			const secret = await openScoped(keyRing(this.#env, 'SECRETS_KEY'), row);
			if (!isOfFuture(row.secretSealed)) this.#remember(row);
			return { ...secret, row, version: await sha256Hex(row.secretSealed) };
		} catch (error) {
			logError('key_not_opened', error, { partnerId: row.partnerId, keyId: row.id });
			return null;
		}
	}

	#withNewest(row: PartnerKeyRow): PartnerKeyRow {
		const known = this.#ctx.storage.kv.get<string>(newestOf(row.id));
		if (known === undefined || known === row.secretSealed) return row;
		// The same secret may have been sealed again.
		if (issuedAt(row.secretSealed) >= issuedAt(known) && !isOfFuture(row.secretSealed)) return row;
		log('key_set_back', { partnerId: row.partnerId, keyId: row.id, was: 'rotated' });
		const isSetBack = and(isRow(row), eq(partnerKeys.secretSealed, row.secretSealed));
		this.#store(databaseOf(this.#env).update(partnerKeys).set({ secretSealed: known }).where(isSetBack));
		return { ...row, secretSealed: known };
	}

	/** Was it revoked? Asked of each call, so that it binds at once. */
	hasEnded(row: PartnerKeyRow): boolean {
		return this.#ended.has(accessOfScoped(row));
	}

	/** An app key has a budget of its own, so that anyone who took it out of an app spends no other. */
	windowOf({ row }: Signer, partners: SlidingWindow): SlidingWindow {
		if (row?.kind !== 'app') return partners;
		const window = this.#windows.get(row.id) ?? new SlidingWindow();
		this.#windows.set(row.id, window);
		return window;
	}

	/** Stores that the key was used, once an hour. */
	used({ row }: Signer, now: number): void {
		if (!row || now - (this.#storedAt.get(row.id) ?? row.lastUsedAt ?? 0) < HOUR_MILLISECONDS) return;
		this.#storedAt.set(row.id, now);
		this.#store(databaseOf(this.#env).update(partnerKeys).set({ lastUsedAt: now }).where(isRow(row)));
	}

	/**
	 * A new secret for the key that signed; null where it was replaced meanwhile. Atomic: the secret and its audit line are
	 * one batch. Then the gate remembers it, and what was before does not come back. Where the answer is lost the partner
	 * makes another key. @throws when D1 cannot be written
	 */
	async rotate(
		before: PartnerKeyRow,
		clientNetworkHash: string,
	): Promise<{ readonly signer: Signer; readonly secrets: IssuedSecrets } | null> {
		const keys = keyRing(this.#env, 'SECRETS_KEY');
		const { secret, sealed } = await newSecret(keys, before.partnerId, nameOfScoped(before), before.secretSealed);
		const db = databaseOf(this.#env);
		const isUnchanged = and(isRow(before), eq(partnerKeys.secretSealed, before.secretSealed));
		const changes = { rotated: ['apiSecret'], key: before.id, clientNetworkHash };
		const entry = { command: 'keys/rotate', subject: before.partnerId, changes };
		const [, [row]] = await db.batch([
			writeAuditIf({ db, now: Date.now(), actor: 'partner' }, entry, exists(isUnchanged)),
			db.update(partnerKeys).set({ secretSealed: sealed }).where(isUnchanged).returning(),
		]);
		if (!row) return null;
		const signer = { ...(await openScoped(keys, row)), row, version: await sha256Hex(sealed) };
		this.#remember(row);
		return { signer, secrets: { apiSecret: secret } };
	}

	#remember({ id, secretSealed }: PartnerKeyRow): void {
		const { kv } = this.#ctx.storage;
		if (kv.get(newestOf(id)) !== secretSealed) kv.put(newestOf(id), secretSealed);
	}

	/** In the background: where D1 takes no write, what the gate knows counts all the same. */
	#store(written: PromiseLike<unknown>): void {
		this.#ctx.waitUntil(Promise.resolve(written).catch((error) => logError('key_not_stored', error)));
	}
}
