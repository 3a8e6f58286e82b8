/**
 * Signed movements between our own wallets: gas to pay-in addresses, sweeps of them, and consolidations of
 * the hot wallet. A sweep stays on record for ever. Where a balance proves deposits, what was swept is part of the
 * proof (`ChainSigner.finalAmount`).
 *
 * Which of them failed on chain is one short list for an address and asset, beside the tables.
 */
import { type AssetId, isAssetId, type TokenId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { SignedTransaction, SweepRef } from '../../chains/signing-port.ts';
import { sumOf } from '../../money/units.ts';
import { FAILURES_MILLISECONDS, MAX_FAILURES, MAX_RETRIES } from '../../treasury/sweeps/rules.ts';
import { Days } from './days.ts';
import { countEntry } from './entries.ts';
import { mustBeHere } from './moved.ts';
import { JournalPart } from './part.ts';
import { take } from './spends.ts';

export interface Movement {
	readonly id: string;
	/** `stray`: a stray that sweeps brought from the address goes back. `token`: one that is not listed, straight from there. */
	readonly kind: 'gas' | 'sweep' | 'consolidation' | 'stray' | 'token';
	readonly network: NetworkName;
	/** The pay-in address, and the asset or token that is taken from it; of a consolidation the hot wallet's. */
	readonly address: string;
	readonly asset: AssetId | TokenId;
	/** Base units that it moves: of the asset or token, or of the native coin for gas. */
	readonly amount: bigint;
	readonly raw: string;
	readonly txId: string;
	readonly at: number;
}

type Place = Pick<Movement, 'network' | 'address' | 'asset'>;

interface Failure {
	readonly txId: string;
	/** When it was signed. */
	readonly at: number;
}

const failuresOf = (network: NetworkName, address: string, asset: Movement['asset']): string =>
	`failures ${network} ${address} ${asset}`;

const retriesOf = (network: NetworkName, address: string, asset: AssetId): string =>
	`retries ${network} ${address} ${asset}`;

const tokensOf = (network: NetworkName): string => `tokens ${network}`;

type Row = { [key in keyof Movement]: string | number } & Record<string, string | number>;

const COLUMNS = 'id, kind, network, address, asset, amount, raw, tx_id AS txId, at';

export class SweepJournal extends JournalPart {
	/** The movement that was signed under this id. */
	movement(id: string): Movement | null {
		return this.#first(`SELECT ${COLUMNS} FROM movements WHERE id = ?`, id);
	}

	/** The newest of its kind for this asset at the address. */
	newest(network: NetworkName, address: string, asset: Movement['asset'], kind: Movement['kind']): Movement | null {
		const where = 'network = ? AND address = ? AND kind = ? AND asset = ?';
		const query = `SELECT ${COLUMNS} FROM movements WHERE ${where} ORDER BY at DESC, id LIMIT 1`;
		return this.#first(query, network, address, kind, asset);
	}

	/** Every sweep of the address, return of a token from it and gas to it that was ever signed, each version of it. */
	sweepsAt(network: NetworkName, address: string): SweepRef[] {
		const query = `SELECT kind, movements.asset AS asset, movements.amount AS amount, coalesce(versions.tx_id, movements.tx_id) AS txId
			FROM movements LEFT JOIN versions ON versions.payout_id = movements.id
			WHERE movements.network = ? AND address = ? AND kind IN ('sweep', 'gas', 'token')`;
		return this.rows<Row>(query, network, address).map((row) => {
			const { kind, txId, asset, amount } = movementOf(row);
			return { kind: kind === 'gas' ? kind : 'sweep', txId, address, asset, amount };
		});
	}

	/** The returns that were ever signed of this asset's strays at the address: base units, and how often. */
	returnedAt({ network, address, asset }: Place): { readonly amount: bigint; readonly times: number } {
		const where = "network = ? AND address = ? AND kind = 'stray' AND asset = ?";
		const rows = this.rows<{ amount: string }>(`SELECT amount FROM movements WHERE ${where}`, network, address, asset);
		return { amount: sumOf(rows), times: rows.length };
	}

	/** How often the return of this token was signed. */
	tokenReturnsSince({ network, address, asset }: Place, since: number): number {
		const where = "network = ? AND address = ? AND kind = 'token' AND asset = ? AND at > ?";
		return this.rows(`SELECT 1 FROM movements WHERE ${where}`, network, address, asset, since).length;
	}

	/** How many returns of tokens that are not listed, and gas for them, were signed on the network. `since`: within 30 days. */
	tokensSince(network: NetworkName, since: number): number {
		return this.#newer<number>(tokensOf(network), (at) => at, since).filter((at) => at > since).length;
	}

	/** All gas that was ever signed for the address, base units. */
	gasAt(network: NetworkName, address: string): bigint {
		const where = "network = ? AND address = ? AND kind = 'gas'";
		return sumOf(this.rows<{ amount: string }>(`SELECT amount FROM movements WHERE ${where}`, network, address));
	}

	/** How often gas was signed for the address. */
	gasPaymentsSince(network: NetworkName, address: string, since: number): number {
		const where = "network = ? AND address = ? AND kind = 'gas' AND at > ?";
		return this.rows(`SELECT 1 FROM movements WHERE ${where}`, network, address, since).length;
	}

	/**
	 * The chain took it, and it failed there for good. Safe to repeat. Only a movement's successor asks for it, and each
	 * movement but the newest has one, so none is missed.
	 */
	noteFailed({ network, address, asset, txId, at }: Movement): void {
		const name = failuresOf(network, address, asset);
		const known = this.storage.kv.get<Failure[]>(name) ?? [];
		if (known.some((failure) => failure.txId === txId)) return;
		const counting = known.filter((failure) => failure.at > at - FAILURES_MILLISECONDS);
		this.storage.kv.put(name, [...counting, { txId, at }]);
	}

	/** How many failures of the last 30 days are known, and may another sweep be signed all the same? */
	failures(network: NetworkName, address: string, asset: AssetId, now: number) {
		const count = this.#newer<Failure>(failuresOf(network, address, asset), ({ at }) => at, now).length;
		const retries = this.#newer<number>(retriesOf(network, address, asset), (at) => at, now).length;
		return { count, areTooMany: count >= MAX_FAILURES + retries };
	}

	/** One more failure is allowed within 30 days. False where so many were allowed already. */
	allowRetry(network: NetworkName, address: string, asset: AssetId, now: number): boolean {
		const name = retriesOf(network, address, asset);
		const allowed = this.#newer<number>(name, (at) => at, now);
		if (allowed.length >= MAX_RETRIES) return false;
		this.storage.kv.put(name, [...allowed, now]);
		return true;
	}

	/** Did the operator ask for a sweep of it within 30 days? */
	isAsked(network: NetworkName, address: string, asset: AssetId, now: number): boolean {
		return this.#newer<number>(retriesOf(network, address, asset), (at) => at, now).length > 0;
	}

	/** The entries of a list of the last 30 days; older ones are forgotten. */
	#newer<Item>(name: string, timeOf: (item: Item) => number, now: number): readonly Item[] {
		const known = this.storage.kv.get<Item[]>(name) ?? [];
		const newer = known.filter((item) => timeOf(item) > now - FAILURES_MILLISECONDS);
		if (newer.length === 0 && known.length > 0) this.storage.kv.delete(name);
		else if (newer.length < known.length) this.storage.kv.put(name, newer);
		return newer;
	}

	/** Atomic: one transaction of the storage. `fees`: counted towards the day's cap. @throws where a key is taken; then nothing is written */
	record(
		movement: Movement,
		spends: SignedTransaction['spends'],
		fees: { readonly day: string; readonly usdCents: number } | null = null,
	): void {
		const { id, network, at } = movement;
		this.storage.transactionSync(() => {
			this.note(movement);
			if (fees && fees.usdCents > 0) new Days(this.storage).count('payout', fees.day, fees.usdCents);
			countEntry(this.storage.sql);
			take(this.storage.sql, { network, payoutId: id, now: at }, spends);
		});
	}

	/** Only inside the transaction that records the payment itself. */
	note({ id, kind, network, address, asset, amount, raw, txId, at }: Movement): void {
		mustBeHere(this.storage.sql, [`payout ${id}`, `address ${network} ${address}`]);
		const row = [id, kind, network, address, asset, amount.toString(), raw, txId, at];
		this.rows('INSERT INTO movements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', ...row);
		if (isAssetId(asset)) return;
		const name = tokensOf(network);
		this.storage.kv.put(name, [...this.#newer<number>(name, (each) => each, at), at]);
	}

	#first(query: string, ...values: string[]): Movement | null {
		const row = this.first<Row>(query, ...values);
		return row ? movementOf(row) : null;
	}
}

const movementOf = (row: Row): Movement => ({ ...(row as unknown as Movement), amount: BigInt(row.amount) });
