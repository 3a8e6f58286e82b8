/**
 * PartnerGate: one Durable Object per partner, the only place that admits its signed calls. One RPC decides signature,
 * nonce, timestamp, enabled, reference code and weight.
 *
 * Atomic: everything after the last `await` of `admit` is one synchronous turn that reserves nonce and weight in
 * memory; the answer waits until they are durable. Calls of the same turns are committed together in one transaction
 * (`#drain`). Should that commit fail, the object dies rather than answer from memory that the disk does not share.
 *
 * It is also where secrets are rotated (`rotation.ts`): check and replacement live in one object, so the old secret is
 * dead in the turn that decides the rotation.
 */
import { DurableObject } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { hmacKey, hmacMatches } from '../crypto/hmac.ts';
import type { Env } from '../env.ts';
import { logError } from '../http/log.ts';
import { abandonRotation, type IssuedSecrets, type Rotation, type RotationRequest, rotateSecrets } from './rotation.ts';
import { openApiSecret, secretsVersion } from './secrets.ts';
import { type GateRecord, loadGateRecord } from './store.ts';
import { invalid, judge, type Loaded, type SignedCall, signedBytes, type Verdict } from './verdict.ts';
import { SlidingWindow, WINDOW_MILLISECONDS } from './window.ts';

/** A timestamped call can be replayed from 60 s before its time to 300 s after: no nonce is forgotten sooner. */
const NONCE_MILLISECONDS = 7 * 60_000;
/** D1 stays the record: the gate is told of changes, and looks by itself this often in case it was not. */
const RELOAD_MILLISECONDS = 60_000;
/** How soon a rotation that a crash cut short is undone, though nobody calls. */
const ABANDON_MILLISECONDS = 10_000;
const ROTATION = 'rotation';
/** Forgotten nonces that one commit removes beside what it adds. */
const PRUNE_ROWS = 200;

interface Spending {
	readonly nonce: string;
	readonly at: number;
	readonly weight: number;
	readonly committed: () => void;
}

export class PartnerGate extends DurableObject<Env> {
	readonly #window = new SlidingWindow();
	readonly #uncommitted = new Map<string, Spending>();
	#loading: Promise<Loaded | null> | null = null;
	/** The last of those that wait for one another; it never rejects. */
	#queue: Promise<unknown> = Promise.resolve();
	#loaded: Loaded | null = null;
	#draining = false;

	async admit(partnerId: string, call: SignedCall): Promise<Verdict> {
		const loaded = this.#loaded ?? (await this.#refresh(partnerId));
		if (!loaded) return invalid('no such partner');
		const authentic = await hmacMatches(loaded.apiKey, call.signature, signedBytes(call));
		if (!authentic) return invalid('signature');
		// A secret replaced while this one was being verified is dead already.
		if (this.#loaded !== loaded && this.#loaded?.partner.apiSecretSealed !== loaded.partner.apiSecretSealed) {
			return invalid('secret replaced');
		}
		const now = Date.now();
		if (now - loaded.at > RELOAD_MILLISECONDS) this.ctx.waitUntil(this.#refresh(partnerId).catch(() => undefined));

		// One turn from here: no await until nonce and weight are reserved.
		if (this.#isSpent(call.nonce, now)) return invalid('nonce replayed');
		const verdict = judge(this.#loaded ?? loaded, call, this.#window, now);
		const weight = verdict.admitted ? call.weight : 0;
		this.#window.add(now, weight);
		await this.#spend(call.nonce, now, weight);
		return verdict;
	}

	/**
	 * Of concurrent calls the first wins. The others find that the secrets which they were verified by are no more: null,
	 * code 14. @throws when D1 cannot be written; the old secrets then stay in force.
	 */
	async rotate(partnerId: string, request: RotationRequest): Promise<IssuedSecrets | null> {
		return this.#alone(async () => {
			const loaded = await this.#load(partnerId);
			if (loaded?.secretsVersion !== request.verifiedBy) return null;
			const rotated = await rotateSecrets(this.#rotationContext(), loaded.partner, request);
			if (!rotated) return null;
			const opened = await this.#open({ ...loaded, partner: rotated.partner }, Date.now());
			// One turn decides: the old secret is dead, nothing can undo it, and the answer waits until that is durable.
			this.#loaded = opened;
			this.#journal.clear();
			return rotated.secrets;
		});
	}

	/** Told by whoever changed the record. A load that began before the change may miss it, so another one follows. */
	async changed(partnerId: string): Promise<void> {
		await this.#loading?.catch(() => undefined);
		await this.#refresh(partnerId);
	}

	override async alarm(): Promise<void> {
		const rotation = this.#journal.read();
		if (!rotation) return;
		try {
			await this.#refresh(rotation.partnerId);
		} catch (error) {
			logError('rotation_not_abandoned', error, { partnerId: rotation.partnerId });
			await this.ctx.storage.setAlarm(Date.now() + ABANDON_MILLISECONDS);
		}
	}

	/** Loads and rotations follow one another: none may see, or undo, the half of another. */
	#alone<T>(work: () => Promise<T>): Promise<T> {
		const done = this.#queue.then(work);
		this.#queue = done.catch(() => undefined);
		return done;
	}

	/** Reads the record again, once for all who ask meanwhile. */
	async #refresh(partnerId: string): Promise<Loaded | null> {
		this.#loading ??= this.#alone(() => this.#load(partnerId)).finally(() => {
			this.#loading = null;
		});
		return this.#loading;
	}

	async #load(partnerId: string): Promise<Loaded | null> {
		const at = Date.now();
		await abandonRotation(this.#rotationContext());
		const record = await loadGateRecord(this.env.DB, partnerId);
		if (!record) return null;
		const opened = await this.#open(record, at);
		if (!this.#loaded) this.#wake();
		this.#loaded = opened;
		return opened;
	}

	async #open({ partner, codes }: GateRecord, at: number): Promise<Loaded> {
		const apiKey = await hmacKey(await openApiSecret(this.env.SECRETS_KEY, partner));
		return { partner, codes, apiKey, secretsVersion: await secretsVersion(partner), at };
	}

	readonly #journal = {
		read: () => this.ctx.storage.kv.get<Rotation>(ROTATION) ?? null,
		write: async (rotation: Rotation) => {
			this.ctx.storage.kv.put(ROTATION, rotation);
			await this.ctx.storage.setAlarm(Date.now() + ABANDON_MILLISECONDS);
			await this.ctx.storage.sync();
		},
		clear: () => {
			this.ctx.storage.kv.delete(ROTATION);
			void this.ctx.storage.deleteAlarm();
		},
	};

	#rotationContext() {
		const { DB, SECRETS_KEY } = this.env;
		return { db: drizzle(DB), secretsKey: SECRETS_KEY, journal: this.#journal, now: Date.now() };
	}

	/** Only a partner that exists gets a table; the window is rebuilt from the nonces' own rows. */
	#wake(): void {
		const { sql } = this.ctx.storage;
		sql.exec(`
			CREATE TABLE IF NOT EXISTS spent (nonce TEXT PRIMARY KEY, at INTEGER NOT NULL, weight INTEGER NOT NULL) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS spent_at ON spent (at);
		`);
		const since = Date.now() - WINDOW_MILLISECONDS;
		const rows = sql.exec<{ at: number; weight: number }>(
			'SELECT at, sum(weight) AS weight FROM spent WHERE at > ? GROUP BY at ORDER BY at',
			since,
		);
		for (const { at, weight } of rows) this.#window.add(at, weight);
	}

	#isSpent(nonce: string, now: number): boolean {
		if (this.#uncommitted.has(nonce)) return true;
		const { sql } = this.ctx.storage;
		return (
			sql.exec('SELECT 1 FROM spent WHERE nonce = ? AND at > ?', nonce, now - NONCE_MILLISECONDS).next().done !== true
		);
	}

	#spend(nonce: string, at: number, weight: number): Promise<void> {
		return new Promise((committed) => {
			this.#uncommitted.set(nonce, { nonce, at, weight, committed });
			if (this.#draining) return;
			this.#draining = true;
			setTimeout(() => this.#drain(), 0);
		});
	}

	#drain(): void {
		const spendings = [...this.#uncommitted.values()];
		try {
			this.ctx.storage.transactionSync(() => {
				const { sql } = this.ctx.storage;
				for (const { nonce, at, weight } of spendings) {
					sql.exec('INSERT OR REPLACE INTO spent (nonce, at, weight) VALUES (?, ?, ?)', nonce, at, weight);
				}
				sql.exec(
					'DELETE FROM spent WHERE nonce IN (SELECT nonce FROM spent WHERE at <= ? ORDER BY at LIMIT ?)',
					Date.now() - NONCE_MILLISECONDS,
					spendings.length + PRUNE_ROWS,
				);
			});
		} catch (error) {
			this.ctx.abort(`admission could not be stored: ${String(error)}`);
			throw error;
		}
		this.#draining = false;
		for (const { nonce, committed } of spendings) {
			this.#uncommitted.delete(nonce);
			committed();
		}
	}
}
