/** `/cabinet/orders`: the partner's orders, filtered, and as files. */
import { ORDER_STATUSES } from '../../orders/status.ts';
import { ASSET_NAMES } from '../asset-names.ts';
import { Field, Send, Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { mountDecision } from './decide.tsx';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { exportOrders } from './export.ts';
import { addressWith, filterOf, pageEndOf, pageEndText, type Query, searchText } from './filter.ts';
import { cabinetPage } from './frame.tsx';
import { showOrder } from './order.tsx';
import { OrderTable } from './order-table.tsx';
import { besideOrders } from './readable.ts';
import { PATH, PER_PAGE, Search, showFound } from './search.tsx';
import { EXAMINED, ordersOf, reachOfOrders } from './store.ts';
import { STATUS_WORDS } from './words.ts';

const STATUSES = {
	'': 'Any',
	...Object.fromEntries(ORDER_STATUSES.map((status) => [status, STATUS_WORDS[status][1]])),
};
const ASSETS = { '': 'Any', ...ASSET_NAMES };

async function listOrders(c: CabinetContext): Promise<Response> {
	const { session } = c.var;
	const query = c.req.query();
	const searched = searchText(query);
	if (searched) return showFound(c, searched);
	const { db } = placesOf(c);
	const filter = filterOf(query);
	const asked = { after: pageEndOf(query), limit: PER_PAGE };
	const { rows, next } = await ordersOf(db, session.partnerId, filter, asked);
	const [reach, beside] = await Promise.all([reachOfOrders(db, session.partnerId), besideOrders(placesOf(c), rows)]);
	const here = (changes: Query) => addressWith(PATH, query, { after: '', ...changes });
	const sorted = filter.oldestFirst
		? ({ at: here({ sort: '' }), is: 'ascending' } as const)
		: ({ at: here({ sort: 'oldest' }), is: 'descending' } as const);
	return cabinetPage(
		c,
		{ title: 'Orders', path: PATH },
		<>
			<Search text="" />
			<Filters query={query} />
			<div class="row ends">
				<p class="soft small">
					Times in the files are in UTC.
					{reach !== null && <Reach at={reach} />}
				</p>
				<p class="row">
					<a href={addressWith(`${PATH}.csv`, query, { after: '', q: '' })}>All of these as CSV</a>
					<a href={addressWith(`${PATH}.json`, query, { after: '', q: '' })}>as JSON</a>
				</p>
			</div>
			<OrderTable orders={rows} {...beside} sorted={sorted} empty={emptyText(next !== null)} />
			<nav class="pager" aria-label="Pages of orders">
				{query['after'] ? <a href={here({})}>First page</a> : <span />}
				{next && <a href={here({ after: pageEndText(next) })}>Next page</a>}
			</nav>
		</>,
	);
}

const Reach = ({ at }: { readonly at: number }) => (
	<>
		{' '}
		Orders that were made since <Time at={at} /> are all here and in the files. Of older ones some are archived: find
		one by its whole id, your reference, its deposit address or a transaction of ours.
	</>
);

function emptyText(goesOn: boolean): string {
	if (goesOn) return `None of the ${grouped(String(EXAMINED))} orders here fits. The next page looks through more.`;
	return 'No order fits. Take more days, or fewer filters.';
}

const Filters = ({ query }: { readonly query: Query }) => (
	<form class="filters" method="get" action={PATH}>
		<Field name="status" label="State" choices={STATUSES} value={query['status'] ?? ''} />
		<Field name="asset" label="Asset, in or out" choices={ASSETS} value={query['asset'] ?? ''} />
		<Field name="code" label="Reference code" value={query['code'] ?? ''} maxlength={32} autocomplete="off" />
		<Field name="from" label="Created from (UTC)" type="date" value={query['from'] ?? ''} />
		<Field name="to" label="Until" type="date" value={query['to'] ?? ''} />
		<Send class="plain" text="Filter" />
	</form>
);

export function mountOrders(app: CabinetApp): void {
	app.get(PATH, listOrders);
	app.get(`${PATH}.csv`, (c) => exportOrders(c, 'csv'));
	app.get(`${PATH}.json`, (c) => exportOrders(c, 'json'));
	app.get(`${PATH}/:id`, (c) => showOrder(c, c.req.param('id')));
	mountDecision(app, showOrder);
}
