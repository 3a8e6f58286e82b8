/** The decision about an order that needs one: the partner's call `emergency`, which a passkey confirms here. */
import type { Hono } from 'hono';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { Card, Send } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import type { CabinetContext, CabinetEnv, Session } from './env.ts';
import { CONFIRMED, OwnForm } from './frame.tsx';
import type { FoundOrder } from './store.ts';

const PATH = '/cabinet/orders/exchange';

interface Props {
	readonly session: Session;
	readonly found: FoundOrder;
}

export function Decide({ session, found }: Props) {
	const { order, sent } = found;
	if (order.status !== 'EMERGENCY') return null;
	const isGoingBack = sent.some(({ kind, state }) => kind === 'refund' && (state === 'planned' || state === 'signed'));
	if (isGoingBack) return <Said text="The deposit is on its way back to the refund address." />;
	if (order.emergencyChoice !== null)
		return <Said text="Exchange was chosen. The rate is taken in a moment, then the payout is sent." />;
	return (
		<Card title="Your decision">
			<p>{whyText(found)}</p>
			<h3>Exchange at the current rate</h3>
			{order.toAmount === '0' ? (
				<p>What came would not pay the network fee of an exchange now.</p>
			) : (
				<Exchange session={session} found={found} />
			)}
			<h3>Or have it returned</h3>
			<p>
				Ask the operator for a refund, and quote the order id. The deposit, less the network fee, goes to the refund
				address of this order. Without a decision it goes back by itself after a time, by default 72 hours.
			</p>
		</Card>
	);
}

const Said = ({ text }: { readonly text: string }) => (
	<Card title="Your decision">
		<p>{text}</p>
	</Card>
);

function whyText({ order, received }: FoundOrder): string {
	const { fromAsset, fromAmount, emergencyReasons } = order;
	const units = sumOf(received.filter(({ state, payoutId }) => state !== 'gone' && payoutId === null));
	const came = `${grouped(fromBaseUnits(units, assetOf(fromAsset).decimals))} ${fromAsset}`;
	const late = emergencyReasons.includes('EXPIRED') ? ' It came after the order’s time.' : '';
	return `${came} came; the order asked for ${grouped(fromAmount)} ${fromAsset}.${late}`;
}

const Exchange = ({ session, found: { order } }: Props) => (
	<>
		<p>
			{`It brings about ${grouped(order.toAmount)} ${order.toAsset} now, after the network fee. The rate is fixed shortly after you decide. This cannot be undone.`}
		</p>
		<OwnForm session={session} action={PATH} ceremony={CONFIRMED}>
			<input type="hidden" name="confirms" value="exchange" />
			<input type="hidden" name="id" value={order.id} />
			<Send disabled text="Exchange with your passkey" />
		</OwnForm>
	</>
);

type Show = (c: CabinetContext, id: string, problem: string) => Promise<Response>;

const NOT_DECIDED = 'Nothing was changed: this order needs no decision any more.';

/** `show`: the page of the order, with what went wrong. */
export function mountDecision(app: Hono<CabinetEnv>, show: Show): void {
	app.post(PATH, async (c) => {
		const id = String((await c.req.parseBody())['id']).toLowerCase();
		if (!(await isConfirmed(c, 'exchange'))) return show(c, id, NOT_CONFIRMED);
		const isChosen = await c.env.desk.exchangeOwn(c.var.session.partnerId, id);
		return isChosen ? c.redirect(`/cabinet/orders/${encodeURIComponent(id)}`, 303) : show(c, id, NOT_DECIDED);
	});
}
