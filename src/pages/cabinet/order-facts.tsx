/** An order's terms, what moved of them, and its addresses. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { coinName } from '../asset-names.ts';
import { Address, Copyable } from '../parts/copyable.tsx';
import { Card, Facts, Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { Said } from './frame.tsx';
import type { FoundOrder } from './store.ts';
import { bps } from './words.ts';

export const coins = (asset: AssetId, amount: string): string => `${grouped(amount)} ${coinName(asset)}`;

export const Terms = ({ order, received, sent }: FoundOrder) => (
	<Card title="Order">
		<Copyable value={order.id} label="Order id" />
		<Facts
			facts={{
				Asked: `${coins(order.fromAsset, order.fromAmount)} on ${order.fromNetwork}`,
				Received: order.depositAmount && coins(order.fromAsset, order.depositAmount),
				'Still here': stillHere(order, received),
				...paidOut(order),
				'At least': order.minToAmount && coins(order.toAsset, order.minToAmount),
				Returned: returnedIn(order, sent),
				Rate: `1 ${order.fromAsset} = ${coins(order.toAsset, order.rate)}`,
				'Network fee': coins(order.toAsset, order.networkFee),
				'Your margin': bps(order.afftaxBps),
				'Reference code': order.referenceCode && <Said text={order.referenceCode} />,
				'Your reference': order.externalId && <Said text={order.externalId} />,
				Created: <Time at={order.createdAt} />,
				'Deposit until': <Time at={order.expiresAt} />,
			}}
		/>
	</Card>
);

const unitsOf = (order: OrderRow, units: bigint) =>
	units > 0n && coins(order.fromAsset, fromBaseUnits(units, assetOf(order.fromAsset).decimals));

/** An estimate says that it is one. */
function paidOut({ status, toAsset, toAmount, toNetwork, payoutAmount }: OrderRow) {
	if (payoutAmount !== null) return { Sent: `${coins(toAsset, payoutAmount)} on ${toNetwork}` };
	if (status === 'EXPIRED') return {};
	return {
		[status === 'EXCHANGE' ? 'To be sent' : 'Would bring about']: `${coins(toAsset, toAmount)} on ${toNetwork}`,
	};
}

const returnedIn = (order: OrderRow, sent: readonly TransactionRow[]) =>
	unitsOf(order, sumOf(sent.filter(({ kind, sentAt }) => kind === 'refund' && sentAt !== null)));

/** Deposits that came after the exchange had begun: no payout answers for them. */
function stillHere(order: OrderRow, received: readonly DepositRow[]) {
	if (order.status !== 'EXCHANGE' && order.status !== 'DONE') return null;
	const beyond = received.filter(({ state, payoutId }) => state !== 'gone' && payoutId === null);
	const amount = unitsOf(order, sumOf(beyond.some(({ dust }) => !dust) ? beyond : []));
	return amount && `${amount}, came after the exchange had begun. Ask the operator to return it.`;
}

export const Addresses = ({ payInAddress, toAddress, refundAddress }: OrderRow) => (
	<Card title="Addresses">
		{(
			[
				['Deposit address', payInAddress],
				['Recipient', toAddress],
				['Refund address', refundAddress],
			] as const
		).map(([label, value]) => (
			<div class="stack">
				<h3>{label}</h3>
				<Copyable value={value} label={label}>
					<Address value={value} />
				</Copyable>
			</div>
		))}
	</Card>
);
