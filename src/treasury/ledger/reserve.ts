/**
 * The reserve: what the operator has put into a hot wallet. It is on record so that the ledger check can be exact.
 * Where the chain lists the payment (`Chain.reserve` is `credits`), it is booked once it has the confirmations that the
 * largest deposit would need. Elsewhere the reserve is what the wallet holds beyond its books and beyond what transactions
 * under way can explain (`BalanceReserve`).
 */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { deepestConfirmations, isDeep } from '../../chains/finality.ts';
import type { ObservedDeposit } from '../../chains/port.ts';
import { writeIncident } from '../../incidents/store.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import { type FeePayer, type Surplus, steadySurplus } from './reserve-rules.ts';
import { explainedAtHot, NOTHING_EXPLAINED, readUnderWay } from './under-way.ts';
import type { WalletRecord } from './wallet-record.ts';
import { insertReserve, knownPayments } from './wallet-store.ts';

/** A wallet that holds less than its books is logged this often. */
const MISSING_MILLISECONDS = HOUR_MILLISECONDS;

/** Books the payments to the hot wallet among what a scan saw. Safe to repeat: the payment is the key. */
export async function bookCredits(
	db: Db,
	{ network, hotAddress }: { readonly network: NetworkName; readonly hotAddress: string },
	observed: readonly ObservedDeposit[],
	now: number,
): Promise<void> {
	const final = observed.filter(
		(deposit) =>
			deposit.address === hotAddress &&
			deposit.amount > 0n &&
			deposit.confirmations >= deepestConfirmations(network) &&
			isDeep(network, deposit, null),
	);
	if (final.length === 0) return;
	const { own, booked } = await knownPayments(
		db,
		network,
		final.map(({ txId }) => txId),
	);
	const isBooked = ({ txId, position, asset }: ObservedDeposit) =>
		booked.some((entry) => entry.txId === txId && entry.position === position && entry.asset === asset);
	for (const deposit of final.filter((each) => !own.has(each.txId) && !isBooked(each))) {
		const { txId, position, asset, amount } = deposit;
		await insertReserve(db, { network, txId, position, asset, amount: amount.toString(), at: now });
		log('reserve_booked', { network, asset, amount: amount.toString(), txId });
	}
}

export interface Comparison {
	readonly db: Db;
	readonly network: NetworkName;
	readonly record: WalletRecord;
	readonly feePayer: FeePayer;
	/** The hot wallet's balances, read in this poll, after every transaction that is under way was stored. */
	readonly balances: Readonly<Partial<Record<AssetId, bigint>>>;
	/** The height of the best block that the last poll saw. */
	readonly height: number;
	readonly now: number;
}

/** Its observations are in memory only, so after a restart a surplus must be seen for all the blocks again. */
export class BalanceReserve {
	readonly #surplus = new Map<AssetId, Surplus>();
	/** Balances that agreed with the books. While they do not change, nothing is added up again. */
	readonly #agreed = new Map<AssetId, bigint>();
	readonly #missingAt = new Map<AssetId, number>();

	/**
	 * Books a steady surplus as reserve, as far as no transaction of ours that is under way explains it. What is missing
	 * beyond what they explain is an incident.
	 */
	async compare({ db, network, record, feePayer, balances, height, now }: Comparison): Promise<void> {
		const held = Object.entries(balances) as [AssetId, bigint][];
		if (held.every(([asset, balance]) => this.#agreed.get(asset) === balance)) return;
		const explained = explainedAtHot((await readUnderWay(db)).filter((row) => row.network === network));
		const books = await record.books(nativeAsset(network), feePayer, now);
		for (const [asset, balance] of held) {
			const difference = balance - (books.get(asset) ?? 0n);
			const { low, high } = explained.get(asset) ?? NOTHING_EXPLAINED;
			const { kept, booked } = steadySurplus(
				this.#surplus.get(asset),
				difference - high,
				height,
				deepestConfirmations(network),
			);
			if (kept) this.#surplus.set(asset, kept);
			else this.#surplus.delete(asset);
			if (difference === 0n) this.#agreed.set(asset, balance);
			else this.#agreed.delete(asset);
			if (booked > 0n) await book(db, { network, asset, amount: booked }, now);
			if (difference < low) await this.#noteMissing(db, { network, asset, amount: low - difference }, now);
		}
	}

	async #noteMissing(
		db: Db,
		{ network, asset, amount }: { readonly network: NetworkName; readonly asset: AssetId; readonly amount: bigint },
		now: number,
	): Promise<void> {
		if (now - (this.#missingAt.get(asset) ?? 0) < MISSING_MILLISECONDS) return;
		this.#missingAt.set(asset, now);
		log('reserve_missing', { network, asset, amount: amount.toString() });
		await writeIncident(db, { kind: 'reserve-missing', subject: asset, detail: `${amount} base units` }, now);
	}
}

/**
 * The surplus of the wallet over its books and over what transactions under way explain, by asset: it came from
 * outside, and becomes reserve once it is steady.
 */
export async function arriving({ db, network, record, feePayer, balances, now }: Omit<Comparison, 'height'>) {
	const explained = explainedAtHot((await readUnderWay(db)).filter((row) => row.network === network));
	const books = await record.books(nativeAsset(network), feePayer, now);
	const found = Object.entries(balances) as [AssetId, bigint][];
	return new Map(
		found.flatMap(([asset, balance]): [AssetId, bigint][] => {
			const beyond = balance - (books.get(asset) ?? 0n) - (explained.get(asset) ?? NOTHING_EXPLAINED).high;
			return beyond > 0n ? [[asset, beyond]] : [];
		}),
	);
}

async function book(
	db: Db,
	{ network, asset, amount }: { readonly network: NetworkName; readonly asset: AssetId; readonly amount: bigint },
	now: number,
) {
	const txId = crypto.randomUUID();
	await insertReserve(db, { network, txId, position: 'balance', asset, amount: amount.toString(), at: now });
	log('reserve_booked', { network, asset, amount: amount.toString(), txId });
}
