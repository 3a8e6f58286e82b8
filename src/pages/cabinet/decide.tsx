/** The decision about an order that needs one: the partner's call `emergency`, which a passkey confirms here. */
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { type RefundAnswer, refundAnswer } from '../../orders/refund-answer.ts';
import { coinName } from '../asset-names.ts';
import { Card, Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import type { Confirmed } from './challenges.ts';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import type { CabinetApp, CabinetContext } from './env.ts';
import { OwnButton } from './frame.tsx';
import type { FoundOrder } from './store.ts';

const PATH = '/cabinet/orders/exchange';
const REFUND_PATH = '/cabinet/orders/refund';

interface Props {
	readonly found: FoundOrder;
}

export function Decide({ found }: Props) {
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
				<Exchange found={found} />
			)}
			<p class="small soft">Without a decision it goes back by itself after a time, by default 72 hours.</p>
		</Card>
	);
}

/** Coins that can still go back, whatever the state of the order. */
export function Refund({ found: { order, received: deposits, sent: transactions } }: Props) {
	if (refundAnswer({ deposits, transactions }) !== 'asked') return null;
	if (order.refundAskedAt !== null)
		return (
			<Card title="A refund is asked for">
				<p>
					{order.refundAskedBy === 'payer' ? 'Your customer asked for it ' : 'You asked for it '}
					<Time at={order.refundAskedAt} />. The operator sends it. An exchange that you choose takes its place.
				</p>
			</Card>
		);
	// A payout that was planned just now is about to be signed.
	if (order.status === 'PENDING') return null;
	return (
		<Card title="Have it returned">
			<p>
				The operator is asked to send it back. It goes to the refund address of this order, less the network fee, and to
				no other address.
			</p>
			<OwnButton
				action={REFUND_PATH}
				confirms="refund"
				fields={{ id: order.id }}
				text="Ask for the refund with your passkey"
			/>
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
	const came = `${grouped(fromBaseUnits(units, assetOf(fromAsset).decimals))} ${coinName(fromAsset)}`;
	const late = emergencyReasons.includes('EXPIRED') ? ' It came after the order’s time.' : '';
	return `${came} came; the order asked for ${grouped(fromAmount)} ${fromAsset}.${late}`;
}

const Exchange = ({ found: { order } }: Props) => (
	<>
		<p>
			{`It brings about ${grouped(order.toAmount)} ${order.toAsset} now, after the network fee. The rate is fixed shortly after you decide. This cannot be undone.`}
		</p>
		<OwnButton action={PATH} confirms="exchange" fields={{ id: order.id }} text="Exchange with your passkey" main />
	</>
);

type Show = (c: CabinetContext, id: string, problem: string) => Promise<Response>;

const NOT_DECIDED = 'Nothing was changed: this order needs no decision any more.';

const NOT_ASKED: Readonly<Record<Exclude<RefundAnswer, 'asked'>, string>> = {
	'under way': 'Nothing was changed: the refund is under way already.',
	paid: 'Nothing was changed: the payout is signed or sent, and cannot be taken back.',
	nothing: 'Nothing was changed: no deposit of this order is here.',
	moved: 'Nothing was changed: the order went on at this moment. See where it stands now.',
};

/** `show`: the page of the order, with what went wrong. */
export function mountDecision(app: CabinetApp, show: Show): void {
	/** `decide`: what went wrong, null where nothing did. */
	const mount = (path: string, what: Confirmed, decide: (c: CabinetContext, id: string) => Promise<string | null>) =>
		app.post(path, async (c) => {
			const id = String((await c.req.parseBody())['id']).toLowerCase();
			const problem = (await isConfirmed(c, what)) ? await decide(c, id) : NOT_CONFIRMED;
			return problem === null ? c.redirect(`/cabinet/orders/${encodeURIComponent(id)}`, 303) : show(c, id, problem);
		});
	mount(PATH, 'exchange', async ({ env, var: { session } }, id) =>
		(await env.desk.exchangeOwn(session.partnerId, id)) ? null : NOT_DECIDED,
	);
	mount(REFUND_PATH, 'refund', async ({ env, var: { session } }, id) => {
		const answer = await env.desk.askRefundOwn(session.partnerId, id);
		return answer === 'asked' ? null : NOT_ASKED[answer];
	});
}
