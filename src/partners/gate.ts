/**
 * PartnerGate: one Durable Object per partner, the only place that admits its signed calls. One RPC decides signature,
 * nonce, timestamp, enabled, reference code and weight.
 *
 * Atomic: everything after the last `await` of `admit` is one synchronous turn that reserves nonce and weight in
 * memory; the answer waits until they are durable. Calls of the same turns are committed together in one transaction
 * (`#drain`). Should that commit fail, the object dies rather than answer from memory that the disk does not share.
 */
import { DurableObject } from 'cloudflare:workers';
import { hmacKey, hmacMatches } from '../crypto/hmac.ts';
import { openSecret, sealingKey } from '../crypto/sealed.ts';
import type { Env } from '../env.ts';
import type { AdmittedPartner } from './partner.ts';
import { secretContext } from './partner.ts';
import { type GateRecord, loadGateRecord } from './store.ts';
import { SlidingWindow, WINDOW_MILLISECONDS } from './window.ts';

/** A timestamped call can be replayed from 60 s before its time to 300 s after: no nonce is forgotten sooner. */
const NONCE_MILLISECONDS = 7 * 60_000;
const TIMESTAMP_OLD_SECONDS = 300;
const TIMESTAMP_AHEAD_SECONDS = 60;
/** D1 stays the record: the gate is told of changes, and looks by itself this often in case it was not. */
const RELOAD_MILLISECONDS = 60_000;
/** Forgotten nonces that one commit removes beside what it adds. */
const PRUNE_ROWS = 200;

export interface SignedCall {
	readonly body: Uint8Array;
	/** 64 lowercase hex characters. */
	readonly signature: string;
	/** 16 to 64 characters. */
	readonly nonce: string;
	/** Decimal digits; null in body-only mode. */
	readonly timestamp: string | null;
	/** The code segment of X-API-KEY, well-formed; null when there is none. */
	readonly code: string | null;
	readonly weight: number;
}

export type Verdict =
	| { readonly admitted: true; readonly partner: AdmittedPartner }
	| { readonly admitted: false; readonly code: 3 | 4; readonly reason: string }
	| { readonly admitted: false; readonly code: 5; readonly reason: string; readonly retryAfterSeconds: number };

interface Loaded extends GateRecord {
	readonly apiKey: CryptoKey;
	readonly at: number;
}

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

	/** Reads the record again, once for all who ask meanwhile. */
	async #refresh(partnerId: string): Promise<Loaded | null> {
		this.#loading ??= this.#load(partnerId).finally(() => {
			this.#loading = null;
		});
		return this.#loading;
	}

	/** Told by whoever changed the record. A load that began before the change may miss it, so another one follows. */
	async changed(partnerId: string): Promise<void> {
		await this.#loading?.catch(() => undefined);
		await this.#refresh(partnerId);
	}

	async #load(partnerId: string): Promise<Loaded | null> {
		const at = Date.now();
		const record = await loadGateRecord(this.env.DB, partnerId);
		if (!record) return null;
		const key = await sealingKey(this.env.SECRETS_KEY);
		const secret = await openSecret(key, record.partner.apiSecretSealed, secretContext(partnerId, 'apiSecret'));
		const apiKey = await hmacKey(secret);
		if (!this.#loaded) this.#wake();
		this.#loaded = { ...record, apiKey, at };
		return this.#loaded;
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

/** The checks after authenticity of the bytes, in the order of decisions.md "Signed calls". */
function judge(record: GateRecord, call: SignedCall, window: SlidingWindow, now: number): Verdict {
	const { partner } = record;
	if (call.timestamp === null && partner.requireTimestamp) return invalid('timestamp required');
	if (call.timestamp !== null && !isRecent(Number(call.timestamp), now)) return invalid('timestamp out of range');
	const code = call.code === null ? null : record.codes.get(call.code);
	if (code === undefined || code?.enabled === false) return invalid('reference code unknown or disabled');
	if (!partner.enabled) return { admitted: false, code: 4, reason: 'partner disabled' };
	const retryAfterSeconds = window.retryAfterSeconds(now, call.weight, partner.weightPerMinute);
	if (retryAfterSeconds !== null) return { admitted: false, code: 5, reason: 'budget exhausted', retryAfterSeconds };
	return { admitted: true, partner: { id: partner.id, defaultAfftaxBps: code?.afftaxBps || partner.afftaxBps } };
}

function isRecent(timestampSeconds: number, now: number): boolean {
	const ageSeconds = Math.floor(now / 1000) - timestampSeconds;
	return ageSeconds <= TIMESTAMP_OLD_SECONDS && ageSeconds >= -TIMESTAMP_AHEAD_SECONDS;
}

const invalid = (reason: string): Verdict => ({ admitted: false, code: 3, reason });

const encoder = new TextEncoder();

/** Body-only: the body. Timestamp mode: timestamp LF nonce LF body (spec, "Signing"). */
function signedBytes({ body, timestamp, nonce }: SignedCall): Uint8Array {
	if (timestamp === null) return body;
	const head = encoder.encode(`${timestamp}\n${nonce}\n`);
	const bytes = new Uint8Array(head.length + body.length);
	bytes.set(head);
	bytes.set(body, head.length);
	return bytes;
}
