/** What the chains say of the orders once nothing strikes any more: who was paid, by which transaction, and how much. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { OrderView } from '../../../src/orders/view.ts';
import { operate } from '../../cast/operator.ts';
import type { Checked } from '../checks.ts';
import type { Journal, KnownOrder } from '../journal.ts';
import { type ChaosService, pause } from '../service.ts';
import type { ChaosNode, Receipts } from './node.ts';

/** Sweeps and confirmations, at the pace at which the blocks come here. */
const LEDGER_SECONDS = 180;
const LOOK_MILLISECONDS = 2_000;

interface Books {
	readonly differences: number;
	readonly moving: number;
	readonly wallets: readonly { readonly asset: string; readonly result: string }[];
}

/** Until the books are the wallets and nothing is under way, or the time is over. The tokens are not on these nodes. */
export async function ledgerAtRest(service: ChaosService, nodes: readonly ChaosNode[]): Promise<Checked> {
	const deadline = Date.now() + LEDGER_SECONDS * 1000;
	for (;;) {
		const { data, error } = await operate<Books>(service, 'ledger/check', { full: true });
		const isOk = ({ asset }: ChaosNode) => data.wallets.some((one) => one.asset === asset && one.result === 'ok');
		const isRight = data?.differences === 0 && data.moving === 0 && nodes.every(isOk);
		if (isRight || Date.now() > deadline)
			return ['the books are what the nodes have', isRight ? [] : [error ?? JSON.stringify(data).slice(0, 500)]];
		await pause(LOOK_MILLISECONDS);
	}
}

/** Each payment that an order names is on its chain, once, with its amount; and no address of an order has another. */
export async function checkChains(
	service: ChaosService,
	nodes: readonly ChaosNode[],
	{ orders }: Journal,
): Promise<Checked> {
	const receipts = new Map<string, ReadonlyMap<string, Receipts>>();
	for (const node of nodes) receipts.set(node.asset, await node.receipts());
	const faults: string[] = [];
	for (const order of orders) {
		const { data } = await operate<{ order: OrderView }>(service, 'order/show', { id: order.created.id });
		for (const fault of faultsOf(order, data.order, receipts)) faults.push(`${order.created.id}: ${fault}`);
	}
	const paid = orders.filter(({ body }) => [...receipts.values()].some((all) => all.has(String(body['toAddress']))));
	console.log(`${paid.length} of ${orders.length} orders were paid out on their chains`);
	return ['each payment is on its chain once, with its amount, and there is no other', faults];
}

function faultsOf(
	{ body }: KnownOrder,
	{ from, to, back }: OrderView,
	receipts: ReadonlyMap<string, ReadonlyMap<string, Receipts>>,
): string[] {
	const payout = receipts.get(to.code)?.get(String(body['toAddress']));
	const refund = receipts.get(from.code)?.get(String(body['refundAddress']));
	const [named, deposited] = [unitsOf(to.code, to.tx.amount), unitsOf(from.code, from.tx.amount)];
	return [
		...unlikeNamed('payout', to.tx.id, payout),
		...unlikeNamed('refund', back.tx.id, refund),
		...(payout && payout.amount !== named ? [`${named} is the payout, and ${payout.amount} came`] : []),
		...(refund && refund.amount > deposited ? [`${deposited} was deposited, and ${refund.amount} came back`] : []),
	];
}

const unitsOf = (asset: string, amount: string | null): bigint =>
	toBaseUnits(amount ?? '0', assetOf(asset as AssetId).decimals);

function unlikeNamed(what: string, txId: string | null, received: Receipts | undefined): string[] {
	const there = received?.txIds ?? [];
	const isRight = txId === null ? there.length === 0 : there.length === 1 && there[0] === txId;
	return isRight ? [] : [`the ${what} is ${txId}, and the chain has [${there.join(', ')}]`];
}
