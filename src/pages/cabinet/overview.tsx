/** `/cabinet`: what the last days came to, what is owed, and the newest orders. */
import { Card, Figure, Note, Time } from '../parts/parts.tsx';
import { dayName, grouped } from '../parts/plain.ts';
import { Plot } from '../parts/plot.tsx';
import { type CabinetContext, placesOf } from './env.ts';
import { cabinetPage } from './frame.tsx';
import { OrderTable } from './order-table.tsx';
import { PAYOUT_WAITS_MILLISECONDS } from './payout.tsx';
import { seen } from './people-text.ts';
import { besideOrders } from './readable.ts';
import { MOST_ORDERS, type Statistics, type Sums, statisticsOf } from './statistics.ts';
import { ordersOf, partnerOf } from './store.ts';
import { Waits } from './waits.tsx';
import { counted, percent, span, usdOfCents } from './words.ts';

const PERIODS = [7, 30] as const;
const NEWEST = 5;
const CENTS = 100;

export async function overview(c: CabinetContext): Promise<Response> {
	const { session } = c.var;
	const { db } = placesOf(c);
	const now = Date.now();
	const days = c.req.query('days') === '7' ? 7 : 30;
	const [partner, statistics, newest, waits] = await Promise.all([
		partnerOf(db, session.partnerId),
		statisticsOf(db, session.partnerId, days, now),
		ordersOf(db, session.partnerId, { oldestFirst: false }, { after: null, limit: NEWEST }),
		c.env.desk.waits(session.partnerId),
	]);
	const beside = await besideOrders(placesOf(c), newest.rows);
	const heading = (
		<div class="row ends">
			<h1>{headline(statistics, days)}</h1>
			<p class="row">
				{PERIODS.map((period) =>
					period === days ? <b>{`${period} days`}</b> : <a href={`/cabinet?days=${period}`}>{`${period} days`}</a>,
				)}
			</p>
		</div>
	);
	return cabinetPage(
		c,
		{ title: 'Overview', heading, path: '/cabinet' },
		<>
			<Waits waits={waits} />
			<PayoutNote changedAt={partner.payoutAddressChangedAt} now={now} />
			<Card title={`The last ${days} days`}>
				<div class="grid">
					<Figure value={usdOfCents(statistics.total.volumeCents)} label="volume of paid orders" />
					<Figure value={usdOfCents(statistics.total.earnedCents)} label="you earned" />
					<Figure
						value={percent(statistics.total.done, statistics.total.orders)}
						label={`paid: ${grouped(String(statistics.total.done))} of ${counted(statistics.total.orders, 'order', 'orders')}`}
					/>
					<Figure
						value={statistics.medianMilliseconds === null ? '–' : span(statistics.medianMilliseconds)}
						label="from deposit to payout (median)"
					/>
				</div>
				<p class="soft small">
					{statistics.isCut && `Of the newest ${grouped(String(MOST_ORDERS))} orders. `}
					By the day on which an order was made, in UTC. Since the beginning: {usdOfCents(partner.volumeUsdCents)}{' '}
					volume of {counted(partner.ordersDone, 'paid order', 'paid orders')}, {usdOfCents(partner.earnedUsdCents)}{' '}
					earned.
				</p>
			</Card>
			<Plots {...statistics} />
			<h2>Newest orders</h2>
			<OrderTable orders={newest.rows} {...beside} empty="No order yet. The docs show how to create the first one." />
			<p>
				<a href="/cabinet/orders">All orders</a>
			</p>
		</>,
	);
}

function headline({ total }: Statistics, days: number): string {
	if (total.orders === 0) return `No orders in ${days} days`;
	return `${usdOfCents(total.volumeCents)} swapped, ${usdOfCents(total.earnedCents)} earned`;
}

const PayoutNote = ({ changedAt, now }: { readonly changedAt: number | null; readonly now: number }) => {
	const usableAt = (changedAt ?? 0) + PAYOUT_WAITS_MILLISECONDS;
	return usableAt <= now ? null : (
		<Note tone="warn">
			<p>
				Your payout address was changed. Nothing is paid to it before <Time at={usableAt} />. If nobody of yours changed
				it, tell the operator now. <a href="/cabinet/earnings">See the address</a>
			</p>
		</Note>
	);
};

const Plots = ({ byDay, byAsset, byCode }: Statistics) => {
	const dollars = (entries: readonly (readonly [string, Sums])[], of: 'volumeCents' | 'earnedCents') =>
		entries.map(([name, sums]) => ({ name: seen(name), value: sums[of] / CENTS, text: usdOfCents(sums[of]) }));
	const days = byDay.map(([day, sums]) => [dayName(day), sums] as const);
	return (
		<div class="grid halves">
			<Card>
				<Plot title="Volume a day" unit="USD" points={dollars(days, 'volumeCents')} />
			</Card>
			<Card>
				<Plot title="Earned a day" unit="USD" points={dollars(days, 'earnedCents')} />
			</Card>
			<Card>
				<Plot title="Volume by asset paid in" unit="USD" points={dollars(byAsset, 'volumeCents')} />
			</Card>
			<Card>
				<Plot title="Volume by reference code" unit="USD" points={dollars(byCode, 'volumeCents')} />
			</Card>
		</div>
	);
};
