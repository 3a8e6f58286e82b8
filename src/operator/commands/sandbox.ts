/**
 * `sandbox …`: deposits on the embedded ledgers, and the price table. Their state is not in D1, so the audit entry is
 * written first: the audit log has everything that was done, and after a crash perhaps something that was not.
 */
import { sql } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { allAssets, assetOf, isAssetId, isListedToken, isNative, type TokenId } from '../../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { hasSandbox, networkMode, usesSandboxPrices } from '../../chains/configuration.ts';
import type { SandboxDeposit } from '../../chains/sandbox/ledger.ts';
import { sandboxTxId } from '../../chains/sandbox/transaction-id.ts';
import { parseAmount } from '../../money/amount.ts';
import { plain } from '../../money/decimal.ts';
import { toBaseUnits } from '../../money/units.ts';
import { type OrderRow, orders } from '../../orders/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { objectNamed } from '../../platform/region.ts';
import { isPaidByMistake } from '../../treasury/strays/store.ts';
import { wakeAgent } from '../asking.ts';
import { type Context, type Failure, fail, isFailure, type RunOf, type RunsOf } from '../command.ts';
import { keeperOf } from '../env.ts';
import type { sandbox as topic } from '../topics/sandbox.ts';

const PRICE_DECIMALS = 18;

const makeDeposits: RunOf<typeof topic, 'deposit'> = async (context, input) => {
	const found = await ordersOnSandbox(context, input.orders);
	if (isFailure(found)) return found;
	const made: Deposit[] = [];
	for (const order of found) {
		const deposit = await newDeposit(context, order, input);
		if (isFailure(deposit)) return deposit;
		made.push(deposit);
	}
	await writeAudit(context, { command: 'sandbox deposit', subject: null, changes: made });
	await sendDeposits(context, made);
	return made.map(({ coins, ...deposit }) => ({ ...deposit, amount: coins }));
};

/** Puts them into the ledgers, and wakes the agents. */
export async function sendDeposits(context: Context, made: readonly Deposit[]): Promise<void> {
	await Promise.all(
		made.map(({ order: _, coins: __, network, ...deposit }) =>
			objectNamed(context.env, context.env.SANDBOX_LEDGER, network).deposit(deposit),
		),
	);
	const networks = new Set(made.map(({ network }) => network));
	await Promise.all([...networks].map((network) => wakeAgent(context, network)));
}

type DepositInput = Omit<Parameters<typeof makeDeposits>[1], 'orders'>;

interface Deposit extends SandboxDeposit {
	readonly order: string;
	readonly network: NetworkName;
	/** Coins; the ledger's `amount` is base units. */
	readonly coins: string;
}

/** A payment in another asset than the order asks for is a stray. */
export async function newDeposit({ env }: Context, order: OrderRow, input: DepositInput): Promise<Deposit | Failure> {
	const asset = input.asset ?? order.fromAsset;
	if (!isAssetId(asset)) return newToken(env, order, { ...input, asset });
	const { decimals, network } = assetOf(asset);
	if (networkMode(env, network)?.on !== 'sandbox') return fail(404, `there is no sandbox for ${network}`);
	if (!isPaidByMistake(network, order.fromNetwork))
		return fail(400, `${asset} cannot be paid to an address on ${order.fromNetwork}`);
	if (asset !== order.fromAsset && input.amount === undefined)
		return fail(400, `name the amount of ${asset}: the order’s own is of ${order.fromAsset}`);
	const text = input.amount ?? order.fromAmount;
	const parsed = parseAmount(text, decimals);
	if (!parsed) return fail(400, `${text} is not an amount of ${asset}: at most ${decimals} decimals, above 0`);
	return {
		order: order.id,
		network,
		asset,
		address: order.payInAddress,
		confirmations: input.confirmations,
		txId: sandboxTxId(networkNamed(network).family, crypto.randomUUID()),
		coins: plain(parsed.value),
		amount: toBaseUnits(plain(parsed.value), decimals).toString(),
	};
}

/** A payment in a token that is not listed. */
async function newToken(
	env: Context['env'],
	order: OrderRow,
	{ asset, amount, confirmations }: DepositInput & { readonly asset: string },
) {
	const { fromNetwork: network, payInAddress: address } = order;
	const token = networkNamed(network).family === 'evm' ? asset.toLowerCase() : asset;
	const hasTokens = allAssets().some((each) => each.network === network && !isNative(each));
	const isContract = (await keeperOf(env).plainAddress(network, token)) !== null;
	if (!hasTokens || !isContract || isListedToken(network, token))
		return fail(400, `${asset} is no asset, and no contract of a token on ${network} that is not listed`);
	const parsed = parseAmount(amount ?? '', 0);
	if (!parsed) return fail(400, `name the amount of ${asset} in its smallest units`);
	const units = plain(parsed.value);
	const txId = sandboxTxId(networkNamed(network).family, crypto.randomUUID());
	const paid = { network, asset: token as TokenId, address, confirmations, txId };
	return { order: order.id, ...paid, coins: units, amount: units };
}

const confirmDeposits: RunOf<typeof topic, 'confirm'> = async (context, { orders: ids }) => {
	const found = await ordersOnSandbox(context, ids);
	if (isFailure(found)) return found;
	await writeAudit(context, { command: 'sandbox confirm', subject: null, changes: { orders: ids } });
	const confirmed = await Promise.all(
		found.map(async (order) => ({ order: order.id, deposits: await confirmDeposit(context, order) })),
	);
	const empty = confirmed.filter(({ deposits }) => deposits === 0).map(({ order }) => order);
	if (empty.length === 0) return confirmed;
	return fail(409, `no deposit to confirm for ${empty.join(', ')}; other orders that were named are confirmed`);
};

/** The number of deposits that the order's address has. */
export async function confirmDeposit(context: Context, { fromNetwork, payInAddress }: OrderRow): Promise<number> {
	const deposits = await objectNamed(context.env, context.env.SANDBOX_LEDGER, fromNetwork).confirm(payInAddress);
	await wakeAgent(context, fromNetwork);
	return deposits;
}

/** The number of deposits that disappeared. */
export async function dropDeposit(context: Context, { fromNetwork, payInAddress }: OrderRow): Promise<number> {
	const dropped = await objectNamed(context.env, context.env.SANDBOX_LEDGER, fromNetwork).drop(payInAddress);
	await wakeAgent(context, fromNetwork);
	return dropped;
}

const dropDeposits: RunOf<typeof topic, 'drop'> = async (context, { order: id }) => {
	const found = await ordersOnSandbox(context, [id]);
	if (isFailure(found)) return found;
	await writeAudit(context, { command: 'sandbox drop', subject: id, changes: {} });
	let dropped = 0;
	for (const order of found) dropped += await dropDeposit(context, order);
	return dropped > 0 ? { order: id, dropped } : fail(409, `order ${id} has no unconfirmed deposit`);
};

const setPrice: RunOf<typeof topic, 'price'> = async (context, { coin, usd }) => {
	const { env } = context;
	if (!hasSandbox(env)) return noSandbox();
	if (!usesSandboxPrices(env)) return fail(404, 'prices come from public sources here, not from the sandbox');
	const price = parseAmount(usd, PRICE_DECIMALS);
	if (!price) return fail(400, `${usd} is not a price: a plain decimal above 0`);
	const text = plain(price.value);
	await writeAudit(context, { command: 'sandbox price', subject: coin, changes: { usd: text } });
	await objectNamed(env, env.SANDBOX_PRICES, 'prices').set(coin, text);
	await objectNamed(env, env.RATE_BOOK, 'book').changed();
	return { coin, usd: text };
};

export const sandboxRuns: RunsOf<typeof topic> = {
	deposit: makeDeposits,
	confirm: confirmDeposits,
	drop: dropDeposits,
	price: setPrice,
};

const noSandbox = (): Failure => fail(404, 'there is no sandbox in this deployment');

/** The orders as they were named; a failure when one is missing or its network is not on the sandbox. */
async function ordersOnSandbox({ env, db }: Context, ids: readonly string[]): Promise<OrderRow[] | Failure> {
	if (!hasSandbox(env)) return noSandbox();
	const among = inJson(ids);
	const rows = await db.select().from(orders).where(sql`${orders.id} in ${among}`);
	const byId = new Map(rows.map((row) => [row.id, row]));
	const missing = ids.find((id) => !byId.has(id));
	if (missing !== undefined) return fail(404, `there is no order ${missing}`);
	const onNodes = rows.find(({ fromNetwork }) => networkMode(env, fromNetwork)?.on !== 'sandbox');
	if (onNodes) return fail(404, `there is no sandbox for ${onNodes.fromNetwork}`);
	return ids.flatMap((id) => byId.get(id) ?? []);
}
