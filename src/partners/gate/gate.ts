/**
 * PartnerGate: one Durable Object per partner, the only place that admits its signed calls. One RPC decides signature,
 * nonce, timestamp, enabled, reference code and weight, of one call or of several.
 *
 * Atomic: everything after the last `await` of `admitAll` before the nonces are stored is one synchronous turn that reserves
 * nonces and weights in memory; the answer waits until they are durable (`spent-nonces.ts`).
 *
 * It also remembers what of the partner was replaced or ended, because D1 can be set back (`newest-secrets.ts`,
 * `ended-access.ts`).
 *
 * It is also where secrets are rotated (`rotation.ts`): check and replacement live in one object, so the old secret is
 * dead in the turn that decides the rotation.
 */
import { DurableObject } from 'cloudflare:workers';
import { hmacKey, hmacMatches } from '../../crypto/hmac.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { sha256Hex } from '../../crypto/tokens.ts';
import { incidentIf } from '../../incidents/store.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import type { Env } from '../../ports/env.ts';
import type {
	Access,
	Ending,
	IssuedSecrets,
	PartnerGateRpc,
	RotationRefusal,
	RotationRequest,
	SealedSecrets,
	SignedCall,
	SwitchedCode,
	Verdict,
} from '../../ports/gates.ts';
import { changePartner } from '../changes.ts';
import { openApiSecret, secretsVersion } from '../secrets.ts';
import { type GateRecord, loadGateRecord } from '../store.ts';
import type { PartnerRow } from '../table.ts';
import { withDisabled } from './disabled-codes.ts';
import { EndedAccess } from './ended-access.ts';
import { NewestSecrets } from './newest-secrets.ts';
import { abandonRotation, type Rotation, rotateSecrets } from './rotation.ts';
import { SpentNonces } from './spent-nonces.ts';
import { judge, type Loaded, refuse, signedBytes } from './verdict.ts';
import { SlidingWindow, WINDOW_MILLISECONDS } from './window.ts';

/** D1 has the record. The gate is told of changes, and reads the record by itself this often in case it was not told. */
const RELOAD_MILLISECONDS = 60_000;
/**
 * Concurrent calls arrive some milliseconds apart. If the first rotation were decided before the others are verified, they
 * would get 3 where the contract says 14.
 */
const GATHER_MILLISECONDS = 50;
/** How soon a rotation that a crash interrupted is undone if no call comes. */
const ABANDON_MILLISECONDS = 10_000;
const ROTATION = 'rotation';

export class PartnerGate extends DurableObject<Env> implements PartnerGateRpc {
	readonly #window = new SlidingWindow();
	readonly #nonces = new SpentNonces(this.ctx);
	readonly #newest = new NewestSecrets(this.ctx.storage);
	readonly #ended = new EndedAccess(this.ctx.storage);
	#loading: Promise<Loaded | null> | null = null;
	/** The last work that was queued; it never rejects. */
	#queue: Promise<unknown> = Promise.resolve();
	#loaded: Loaded | null = null;
	/** Unix milliseconds when the record was last read, also where that failed. */
	#readAt = 0;

	async admitAll(partnerId: string, calls: readonly SignedCall[]): Promise<Verdict[]> {
		const loaded = this.#loaded ?? (await this.#refresh(partnerId));
		if (!loaded) return calls.map(() => refuse({ kind: 'partner-unknown' }));
		const authentic = await Promise.all(
			calls.map((call) => hmacMatches(loaded.secretKey, call.signature, signedBytes(call))),
		);
		const now = Date.now();
		// One turn from here: no await until the nonces and weights are reserved.
		const current = this.#loaded ?? loaded;
		// The secret was replaced while the calls were being verified.
		const isReplaced = current.partner.apiSecretSealed !== loaded.partner.apiSecretSealed;
		let isSpent = false;
		const verdicts = calls.map((call, i) => {
			if (!authentic[i]) return refuse({ kind: 'signature-wrong' });
			if (isReplaced) return refuse({ kind: 'secret-replaced' });
			if (this.#nonces.has(call.nonce, now)) return refuse({ kind: 'nonce-replayed' });
			const verdict = judge(current, call, this.#window, now);
			const weight = verdict.admitted ? call.weight : 0;
			this.#window.add(now, weight);
			this.#nonces.spend(call.nonce, now, weight);
			isSpent = true;
			return verdict;
		});
		// Also where all calls were forged: a gate that missed a change of the secret takes the partner's own for forged.
		if (now - this.#readAt > RELOAD_MILLISECONDS) this.ctx.waitUntil(this.#refresh(partnerId).catch(() => undefined));
		if (isSpent) await this.#nonces.stored();
		return verdicts;
	}

	/**
	 * The first of concurrent calls wins. The others find that the secrets which they were verified by are no more: code
	 * 14. A signature is good for one rotation, ever: the body-only one of a rotation of the webhookSecret stays valid,
	 * and anyone who saw it could have a fresh secret told to them. @throws when D1 cannot be written; the old secrets
	 * then stay in force.
	 */
	async rotate(partnerId: string, request: RotationRequest): Promise<IssuedSecrets | RotationRefusal> {
		await new Promise((gathered) => setTimeout(gathered, GATHER_MILLISECONDS));
		const carriedOut = request.signature === null ? null : `rotated by ${await sha256Hex(request.signature)}`;
		return this.#alone(async () => {
			const { kv } = this.ctx.storage;
			const loaded = await this.#load(partnerId);
			if (loaded?.secretsVersion !== request.verifiedBy) return { kind: 'rotation-conflict' };
			if (carriedOut !== null && kv.get(carriedOut)) return { kind: 'rotation-replayed' };
			const rotated = await rotateSecrets(this.#rotationContext(), loaded.partner, request);
			if (!rotated) return { kind: 'rotation-conflict' };
			const opened = await this.#open({ ...loaded, partner: rotated.partner });
			// One turn decides: the old secret is dead, nothing can undo it, and the answer waits until that is durable.
			this.#journal.clear();
			this.#newest.take(rotated.partner, request.names);
			if (carriedOut !== null) kv.put(carriedOut, true);
			this.#loaded = opened;
			return rotated.secrets;
		});
	}

	async secrets(partnerId: string): Promise<SealedSecrets | null> {
		const isRecent = Date.now() - this.#readAt <= RELOAD_MILLISECONDS;
		const loaded = (isRecent ? this.#loaded : null) ?? (await this.#refresh(partnerId));
		if (!loaded) return null;
		const { apiSecretSealed, webhookSecretSealed } = loaded.partner;
		return { apiSecretSealed, webhookSecretSealed };
	}

	async endAccess(ending: Ending): Promise<boolean> {
		return this.#ended.end(ending, Date.now());
	}

	async hasEnded(asked: readonly Access[]): Promise<boolean[]> {
		return asked.map((access) => this.#ended.has(access));
	}

	/** The window is there once the record was loaded. */
	async weightUsed(partnerId: string): Promise<number> {
		const loaded = this.#loaded ?? (await this.#refresh(partnerId));
		return loaded ? this.#window.used(Date.now()) : 0;
	}

	/** The record was changed. A load that began before the change may miss it, so another one follows. */
	async changed(partnerId: string, code?: SwitchedCode): Promise<void> {
		await this.#loading?.catch(() => undefined);
		if (code) this.#ended.switchCode(code);
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
		this.#readAt = Date.now();
		await abandonRotation(this.#rotationContext());
		const record = await loadGateRecord(this.env.DB, partnerId);
		if (!record) return null;
		const partner = await this.#withNewest(record.partner);
		const opened = await this.#open({ partner, codes: await withDisabled(this.env, this.#ended, record) });
		await this.#newest.remember(keyRing(this.env, 'SECRETS_KEY'), partner);
		if (!this.#loaded) this.#wake();
		this.#loaded = opened;
		return opened;
	}

	/**
	 * The row with the newest secrets. Where D1 was set back they are written there again, so that commands see what counts;
	 * where that fails they count all the same, and the next load tries again.
	 */
	async #withNewest(row: PartnerRow): Promise<PartnerRow> {
		const ahead = await this.#newest.ahead(keyRing(this.env, 'SECRETS_KEY'), row);
		const putBack = Object.keys(ahead);
		if (putBack.length === 0) return row;
		log('secret_set_back', { partnerId: row.id, secrets: putBack });
		const writer = { db: databaseOf(this.env), now: Date.now(), actor: 'service' };
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

	/** The window is rebuilt from the nonces' own rows. */
	#wake(): void {
		this.#nonces.open(Date.now());
		const since = Date.now() - WINDOW_MILLISECONDS;
		for (const { at, weight } of this.#nonces.weightsSince(since)) this.#window.add(at, weight);
	}

	async #open({ partner, codes }: GateRecord): Promise<Loaded> {
		const secretKey = await hmacKey(await openApiSecret(keyRing(this.env, 'SECRETS_KEY'), partner));
		return { partner, codes, secretKey, secretsVersion: await secretsVersion(partner) };
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
		const secretsKeys = keyRing(this.env, 'SECRETS_KEY');
		return { db: databaseOf(this.env), secretsKeys, journal: this.#journal, now: Date.now() };
	}
}
