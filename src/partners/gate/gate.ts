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
import { databaseOf } from '../../platform/d1/database.ts';
import { logError } from '../../platform/log.ts';
import type { Env } from '../../ports/env.ts';
import type {
	Access,
	Ending,
	IssuedSecrets,
	PartnerGateRpc,
	RotationRefusal,
	RotationRequest,
	SignedCall,
	SwitchedCode,
} from '../../ports/gates.ts';
import { openApiSecret, secretsVersion } from '../secrets.ts';
import { loadGateRecord } from '../store.ts';
import type { PartnerKeyRow, PartnerRow } from '../table.ts';
import { withDisabled } from './disabled-codes.ts';
import { EndedAccess } from './ended-access.ts';
import { NewestSecrets, withNewest } from './newest-secrets.ts';
import { abandonRotation, type Rotation, rotateSecrets } from './rotation.ts';
import { ScopedKeys } from './scoped-keys.ts';
import { keyIdIn, SpentNonces, spentName } from './spent-nonces.ts';
import { judge, type Loaded, refuse, type Signer, signedBytes, signerOf } from './verdict.ts';
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
	readonly #keys = new ScopedKeys(this.ctx, this.env, this.#ended);
	#loading: Promise<Loaded | null> | null = null;
	/** The last work that was queued; it never rejects. */
	#queue: Promise<unknown> = Promise.resolve();
	#loaded: Loaded | null = null;
	/** When the record was last read, also where that failed. */
	#readAt = 0;

	async admitAll(partnerId: string, calls: readonly SignedCall[]) {
		const loaded = this.#loaded ?? (await this.#refresh(partnerId));
		if (!loaded) return calls.map(() => refuse({ kind: 'partner-unknown' }));
		const signers = calls.map((call) => signerOf(loaded, call));
		const authentic = await Promise.all(
			calls.map((call, i) => signers[i] && hmacMatches(signers[i].key, call.signature, signedBytes(call))),
		);
		const now = Date.now();
		// One turn from here: no await until the nonces and weights are reserved.
		const current = this.#loaded ?? loaded;
		let isSpent = false;
		const verdicts = calls.map((call, i) => {
			const signer = signerOf(current, call);
			if (!signer || !signers[i]) return refuse({ kind: 'key-refused' });
			if (!authentic[i]) return refuse({ kind: 'signature-wrong' });
			// While the calls were being verified.
			if (signer.sealed !== signers[i].sealed) return refuse({ kind: 'secret-replaced' });
			if (signer.row && this.#keys.hasEnded(signer.row)) return refuse({ kind: 'key-refused' });
			const nonce = spentName(call);
			if (this.#nonces.has(nonce, now)) return refuse({ kind: 'nonce-replayed' });
			const window = this.#keys.windowOf(signer, this.#window);
			const verdict = judge(current, signer, call, { window, now });
			const weight = verdict.admitted ? call.weight : 0;
			window.add(now, weight);
			this.#nonces.spend(nonce, now, weight);
			if (verdict.admitted) this.#keys.used(signer, now);
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
			const signer = loaded && (request.keyId === undefined ? loaded.first : loaded.keys.get(request.keyId));
			if (!loaded || signer?.version !== request.verifiedBy) return { kind: 'rotation-conflict' };
			if (carriedOut !== null && kv.get(carriedOut)) return { kind: 'rotation-replayed' };
			if (signer.row) return this.#rotateScoped(loaded, signer.row, request);
			const rotated = await rotateSecrets(this.#rotationContext(), loaded.partner, request);
			if (!rotated) return { kind: 'rotation-conflict' };
			const opened = { ...loaded, partner: rotated.partner, first: await this.#openFirst(rotated.partner) };
			// One turn decides: the old secret is dead, nothing can undo it, and the answer waits until that is durable.
			this.#journal.clear();
			this.#newest.take(rotated.partner, request.names);
			if (carriedOut !== null) kv.put(carriedOut, true);
			this.#loaded = opened;
			return rotated.secrets;
		});
	}

	async #rotateScoped(
		loaded: Loaded,
		row: PartnerKeyRow,
		{ clientNetworkHash }: RotationRequest,
	): Promise<IssuedSecrets | RotationRefusal> {
		const rotated = await this.#keys.rotate(row, clientNetworkHash);
		if (!rotated) return { kind: 'rotation-conflict' };
		this.#loaded = { ...loaded, keys: new Map([...loaded.keys, [row.id, rotated.signer]]) };
		return rotated.secrets;
	}

	async secrets(partnerId: string) {
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
		const partner = await withNewest(this.env, this.#newest, record.partner);
		const codes = await withDisabled(this.env, this.#ended, record);
		const keys = await this.#keys.open(record.keys);
		const opened = { partner, codes, keys, first: await this.#openFirst(partner) };
		await this.#newest.remember(keyRing(this.env, 'SECRETS_KEY'), partner);
		if (!this.#loaded) this.#wake(opened);
		this.#loaded = opened;
		return opened;
	}

	/** The windows are rebuilt from the nonces' own rows. */
	#wake({ first, keys }: Loaded): void {
		this.#nonces.open(Date.now());
		const since = Date.now() - WINDOW_MILLISECONDS;
		for (const { name, at, weight } of this.#nonces.weightsSince(since)) {
			const keyId = keyIdIn(name);
			const signer = keyId === null ? first : keys.get(keyId);
			if (signer) this.#keys.windowOf(signer, this.#window).add(at, weight);
		}
	}

	async #openFirst(partner: PartnerRow): Promise<Signer> {
		const key = await hmacKey(await openApiSecret(keyRing(this.env, 'SECRETS_KEY'), partner));
		return { sealed: partner.apiSecretSealed, key, version: await secretsVersion(partner), row: null };
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
