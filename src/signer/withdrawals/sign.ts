/**
 * Judges and signs withdrawals: coins of the payout wallet that the operator takes out. Nothing proves that he may, so the
 * signer lets them go to one address alone, which stands in its own configuration and nowhere else: whoever writes D1 can
 * make the operator have his coins sooner. Atomic: the signature, what it spends and its share of the day's cap are one
 * transaction of the journal, written before the signature leaves.
 */
import { and, eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, assetOf, isAssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { ChainSigner, SigningState } from '../../chains/signing-port.ts';
import { type Decimal, usdCents } from '../../money/decimal.ts';
import type { Signed, WithdrawalAddress } from '../../treasury/signer-port.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import type { SignerEnv } from '../env.ts';
import type { Journal } from '../journal/journal.ts';
import type { Verdict } from '../sweeps/judge.ts';

export interface Withdrawing {
	readonly network: NetworkName;
	readonly signer: ChainSigner;
	readonly journal: Journal;
	readonly state: SigningState;
	readonly address: WithdrawalAddress;
	/** UTC. */
	readonly day: string;
	/**
	 * Why the day does not bear so many cents more. Its counter is one of its own: what the operator takes out must not use
	 * up what customers are paid from, nor the other way round.
	 */
	readonly capRefusal: (usdCents: number) => Verdict | null;
	/** The signer's own prices. @throws where one is too old */
	readonly usdPrices: (asset: AssetId, native: AssetId) => Promise<readonly [Decimal, Decimal]>;
	readonly now: number;
}

export interface WithdrawalClaim {
	readonly withdrawal: true;
	readonly payout: TransactionRow;
}

/** By payout id; what is no withdrawal is absent. */
export async function loadWithdrawals(
	db: DrizzleD1Database,
	payoutIds: readonly string[],
): Promise<Map<string, WithdrawalClaim>> {
	const among = sql`${transactions.id} in (select value from json_each(${JSON.stringify(payoutIds)}))`;
	const rows = await db
		.select()
		.from(transactions)
		.where(and(among, eq(transactions.kind, 'withdrawal')));
	return new Map(rows.map((payout) => [payout.id, { withdrawal: true, payout }]));
}

/** `isAddress`: of the network. `isOurs`: of this service; what goes there is not withdrawn. */
export function configuredAddress(
	env: SignerEnv,
	network: NetworkName,
	{ isAddress, isOurs }: Readonly<Record<'isAddress' | 'isOurs', (text: string) => boolean>>,
): WithdrawalAddress {
	const name = `WITHDRAW_TO_${network.toUpperCase() as Uppercase<NetworkName>}` as const;
	const address = env[name]?.trim();
	if (!address) return { refused: `the signer has no address to withdraw to: set its variable ${name}` };
	if (!isAddress(address)) return { refused: `the signer's ${name} is no address of ${network}` };
	if (isOurs(address)) return { refused: `the signer's ${name} is an address of the service itself` };
	return { address };
}

/** Asked by the vault in the turn of the network. @throws InsufficientReserve, PaymentImpossible */
export async function signWithdrawal(withdrawing: Withdrawing, row: TransactionRow): Promise<Signed | Verdict> {
	const { network, signer, journal, now } = withdrawing;
	const refusal = withdrawalRefusal(row, network, withdrawing.address);
	if (refusal) return refusal;
	const { id, kind, asset, toAddress: to } = row;
	const native = nativeAsset(network);
	const [usd, nativeUsd] = await withdrawing.usdPrices(asset, native);
	const amount = BigInt(row.amount);
	const cents = usdCents(usdValue(amount, asset, usd));
	const above = withdrawing.capRefusal(cents);
	if (above) return above;
	const payment = { id, asset, to, amount };
	const transaction = await signer.sign(payment, withdrawing.state);
	// Again, and in one turn with the record: other networks may have signed meanwhile.
	const spentCents = cents + usdCents(usdValue(transaction.fee, native, nativeUsd));
	const overtaken = withdrawing.capRefusal(spentCents);
	if (overtaken) return overtaken;
	journal.record({
		...{ payoutId: id, orderId: '', kind, network, transaction, payment, fromNetwork: network, deposits: [] },
		...{ day: withdrawing.day, usdCents: spentCents, now },
	});
	return { raw: transaction.raw, txId: transaction.txId };
}

/** Base units, more than none. */
const AMOUNT = /^[1-9]\d{0,77}$/;

/** What can be decided from the row and the configuration alone; null where there is nothing against it. */
export function withdrawalRefusal(
	{ asset, network: said, toAddress, amount }: Pick<TransactionRow, 'asset' | 'network' | 'toAddress' | 'amount'>,
	network: NetworkName,
	configured: WithdrawalAddress,
): Verdict | null {
	const never = (refused: string): Verdict => ({ refused, again: false });
	if (!isAssetId(asset) || said !== network || assetOf(asset).network !== network) return never('another network');
	if ('refused' in configured) return never(configured.refused);
	if (toAddress !== configured.address)
		return never('another recipient than the one that the signer is configured with');
	return AMOUNT.test(amount) ? null : never('an amount that is none');
}
