/** `/cabinet/orders/{id}`: one order: where it stands, what moved, and what was told to the partner. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { straysView } from '../../orders/strays.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { Address, Copyable } from '../parts/copyable.tsx';
import { Layout } from '../parts/layout.tsx';
import { Card, TimeLine } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { render } from '../render.ts';
import { Decide, Refund } from './decide.tsx';
import { type CabinetContext, placesOf } from './env.ts';
import { cabinetPage } from './frame.tsx';
import { Addresses, coins, Terms } from './order-facts.tsx';
import { OrderState } from './order-table.tsx';
import { archivedOrderOf, unsealedIn } from './readable.ts';
import { type FoundOrder, orderOf } from './store.ts';
import { withAttempts } from './webhook-store.ts';
import { WebhookTable } from './webhook-table.tsx';

type Explorers = Readonly<Record<string, string>>;

/** `problem`: why a decision was not made. */
export async function showOrder(c: CabinetContext, id: string, problem: string | null = null): Promise<Response> {
	const { session } = c.var;
	const { desk } = c.env;
	const live = await orderOf(placesOf(c).db, session.partnerId, id.toLowerCase());
	const unsealed = await unsealedIn(desk, live ? [live.order] : []);
	if (live && unsealed.size > 0) return render(<UnreadableOrder {...live.order} />, { status: 500 });
	const found = live ?? (await archivedOrderOf(desk, session.partnerId, id.toLowerCase()));
	if (!found) return render(<NoOrder />, { status: 404 });
	const { order } = found;
	const explorers = await desk.explorers();
	const title = sentence(order);
	const heading = (
		<div class="row ends">
			<h1>{title}</h1>
			<OrderState {...order} />
		</div>
	);
	return cabinetPage(
		c,
		{ title, heading, path: '/cabinet/orders', scripts: ['passkey.js'], problem },
		<>
			{!live && <p class="soft">This order is archived. It does not change any more.</p>}
			<div class="two">
				<div class="stack">
					<Decide found={found} />
					<Refund found={found} />
					<Terms {...found} />
					<Addresses {...order} />
					<Strays order={order} explorers={explorers} />
				</div>
				<Card title="History">
					<TimeLine moments={momentsOf(found, explorers)} />
				</Card>
			</div>
			<h2>Webhooks about it</h2>
			<WebhookTable
				webhooks={await withAttempts(placesOf(c).db, found.events)}
				empty="No webhook was made for this order."
				areArchived={!live}
			/>
			<p>
				<a href="/cabinet/orders">All orders</a>
			</p>
		</>,
	);
}

const NoOrder = () => (
	<Layout title="No such order" path="/cabinet/orders" width="narrow">
		<h1>You have no order with this id</h1>
		<p>
			<a href="/cabinet/orders">Your orders</a>
		</p>
	</Layout>
);

const UnreadableOrder = ({ id }: Pick<OrderRow, 'id'>) => (
	<Layout title="This order cannot be shown" path="/cabinet/orders" width="narrow">
		<h1>This order cannot be shown</h1>
		<p>
			What is stored of it does not match its seal, so its addresses may be wrong. Nobody should pay to it. Nothing is
			paid out for it until the operator has looked; coins that came in are not lost. The operator is told. Ask them,
			and quote this number:
		</p>
		<Copyable value={id} label="Order id" />
		<p>
			<a href="/cabinet/orders">Your orders</a>
		</p>
	</Layout>
);

function sentence(order: OrderRow): string {
	const { status, fromAsset, fromAmount, toAsset, toAmount, payoutAmount, refundTxId } = order;
	switch (status) {
		case 'NEW':
			return `Waiting for ${coins(fromAsset, fromAmount)}`;
		case 'PENDING':
			return `${coins(fromAsset, order.depositAmount ?? fromAmount)} arrived, waiting for confirmations`;
		case 'EXCHANGE':
			return `Sending ${coins(toAsset, toAmount)}`;
		case 'DONE':
			return `Sent ${coins(toAsset, payoutAmount ?? toAmount)}`;
		case 'EMERGENCY':
			return 'The deposit does not fit the order, and needs a decision';
		case 'EXPIRED':
			if (refundTxId !== null) return 'The deposit was returned';
			return order.depositTxId === null ? 'Expired: nothing was received' : 'Expired, with a deposit';
		default:
			return status satisfies never;
	}
}

const STRAY = {
	FOUND: 'It goes back by itself, less the network’s fee',
	RETURNED: 'It was sent back, less the network’s fee',
	HELD: 'The operator decides how it goes back',
	KEPT: 'Too little to send back at the network’s fee now',
} as const;

/** Arrivals of another asset or network than the order asked for. */
function Strays({ order, explorers }: { readonly order: OrderRow; readonly explorers: Explorers }) {
	if (!order.strays) return null;
	return (
		<Card title="Not asked for">
			{straysView(order).map(({ code, token, network, amount, status, back }) => (
				<div class="stack">
					{code === null ? (
						<>
							<p>{`A token that this service does not know came to its deposit address on ${network}: ${amount} of its smallest units. ${status === 'FOUND' || status === 'RETURNED' ? 'The operator has it sent back' : `Nothing sends it back by itself; ${status === 'KEPT' ? 'the operator has decided about it' : 'the operator decides'}`}.`}</p>
							<Address value={shownPlain(token ?? '')} />
						</>
					) : (
						<>
							<p>{`${coins(code as AssetId, amount)} on ${network} came to its deposit address. ${STRAY[status]}.`}</p>
							<Address value={back.address} />
						</>
					)}
					{back.tx.id && <Transaction network={network} txId={back.tx.id} explorers={explorers} />}
				</div>
			))}
		</Card>
	);
}

function momentsOf({ order, changes, received, sent }: FoundOrder, explorers: Explorers) {
	const statuses = changes.flatMap(({ status, at }) => {
		const text = HAPPENED[status];
		return text === undefined
			? []
			: [{ at, text, tone: status === 'EMERGENCY' ? ('warn' as const) : ('good' as const) }];
	});
	const happened = [
		...statuses,
		...received.map((deposit) => depositMoment(deposit, explorers)),
		...sent.flatMap((transaction) => sentMoment(transaction, explorers)),
		// A block may have a time from before the order: what happened to it did not.
	].toSorted((one, other) => Math.max(one.at, order.createdAt) - Math.max(other.at, order.createdAt));
	const next = NEXT[order.status];
	return next === undefined ? happened : [...happened, { text: next, at: null }];
}

type ByStatus = Readonly<Partial<Record<OrderRow['status'], string>>>;

/** In the other states the deposit or the payout has a line of its own. */
const HAPPENED: ByStatus = {
	NEW: 'Order created',
	EXCHANGE: 'Deposit final, rate settled',
	EMERGENCY: 'Needs a decision',
	EXPIRED: 'Expired',
};

const NEXT: ByStatus = {
	NEW: 'Deposit',
	PENDING: 'Enough confirmations',
	EXCHANGE: 'Payout sent',
	EMERGENCY: 'Your decision, or a refund',
};

function depositMoment({ network, txId, asset, amount, state, firstSeenAt }: DepositRow, explorers: Explorers) {
	const gone = state === 'gone' ? ', dropped by the network since' : '';
	const text = `Deposit of ${coins(asset, fromBaseUnits(BigInt(amount), assetOf(asset).decimals))} seen${gone}`;
	const tone = state === 'gone' ? ('warn' as const) : ('good' as const);
	return { at: firstSeenAt, text, tone, detail: <Transaction network={network} txId={txId} explorers={explorers} /> };
}

function sentMoment({ kind, network, txId, settledTxId, asset, amount, sentAt }: TransactionRow, explorers: Explorers) {
	const id = settledTxId ?? txId;
	if (sentAt === null || id === null) return [];
	const what = kind === 'refund' ? 'Refund' : 'Payout';
	const text = `${what} of ${coins(asset, fromBaseUnits(BigInt(amount), assetOf(asset).decimals))} sent`;
	const detail = <Transaction network={network} txId={id} explorers={explorers} />;
	return [{ at: sentAt, text, tone: 'good' as const, detail }];
}

type TransactionProps = { readonly network: string; readonly txId: string; readonly explorers: Explorers };

const ENDS = 10;

/** A link to the explorer, where the network has one that is public. */
const Transaction = ({ network, txId, explorers }: TransactionProps) => {
	const short = txId.length > 2 * ENDS ? `${txId.slice(0, ENDS)}…${txId.slice(-ENDS)}` : txId;
	const page = explorers[network];
	if (page === undefined) return <code title={txId}>{short}</code>;
	return (
		<a href={page.replace('{}', encodeURIComponent(txId))} rel="noreferrer" title={txId}>
			{`${short} on ${network}`}
		</a>
	);
};
