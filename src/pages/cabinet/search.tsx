/**
 * `/cabinet/orders?q=`: the partner's orders that have a text: those in D1 first, page by page, then the archive, a part a
 * page. Each page says what was searched, and links to what was not.
 */
import type { OwnFound } from '../../archive/own.ts';
import type { OrderRow } from '../../orders/table.ts';
import { logError } from '../../platform/log.ts';
import { Field, Note, Send, Time } from '../parts/parts.tsx';
import { type CabinetContext, placesOf } from './env.ts';
import { addressWith, batchOf, inOneCase, pageEndOf, pageEndText, type Query } from './filter.ts';
import { cabinetPage } from './frame.tsx';
import { OrderTable } from './order-table.tsx';
import { besideOrders } from './readable.ts';
import { newestFirst, type OrdersPage, reachOfOrders, searchOrders } from './store.ts';

export const PATH = '/cabinet/orders';
export const PER_PAGE = 50;

/** `failed`: the number under which the log has why. */
type Archive = OwnFound | { readonly failed: string };

const NOTHING: OwnFound = { orders: [], end: null };
const NO_ROWS: OrdersPage = { rows: [], next: null };

async function find(c: CabinetContext, text: string) {
	const { partnerId } = c.var.session;
	const [after, below] = [pageEndOf(c.req.query()), batchOf(c.req.query())];
	const { db } = placesOf(c);
	const asked = { after, limit: PER_PAGE };
	const { rows, next } = below === null ? await searchOrders(db, partnerId, text, asked) : NO_ROWS;
	const [reach, beside, archive] = await Promise.all([
		reachOfOrders(db, partnerId),
		besideOrders(placesOf(c), rows),
		next === null ? searchArchive(c, text, below) : NOTHING,
	]);
	return { rows, next, reach, beside, archive, isLater: after !== null || below !== null };
}

export async function showFound(c: CabinetContext, text: string): Promise<Response> {
	const { rows, next, reach, beside, archive, isLater } = await find(c, text);
	const here = (changes: Query) => addressWith(PATH, c.req.query(), { after: '', back: '', ...changes });
	const hasFailed = 'failed' in archive;
	const end = hasFailed ? null : archive.end;
	return cabinetPage(
		c,
		{ title: 'Orders', path: PATH },
		<>
			<Search text={text} />
			{reach !== null && <Archived before={reach} />}
			{hasFailed && <Failed id={archive.failed} />}
			<OrderTable
				orders={hasFailed ? rows : together(rows, archive.orders)}
				{...beside}
				empty={emptyText(archive, isLater)}
			/>
			{end && (
				<p>
					Searched so far: your orders that are not archived, and those that were archived since{' '}
					<Time at={end.at} exact />. Others may have this text too.
				</p>
			)}
			{isLater && !next && !end && !hasFailed && <p>This is all: the whole archive was searched.</p>}
			<nav class="pager" aria-label="Pages of orders">
				{isLater ? <a href={here({})}>First page</a> : <a href={PATH}>All orders</a>}
				{next && <a href={here({ after: pageEndText(next) })}>Next page</a>}
				{end && <a href={here({ back: String(end.batch) })}>Search further back</a>}
			</nav>
		</>,
	);
}

async function searchArchive(c: CabinetContext, text: string, below: number | null): Promise<Archive> {
	try {
		return await c.env.desk.searchArchive(c.var.session.partnerId, { text, txId: inOneCase(text) }, below);
	} catch (error) {
		// D1's orders are shown all the same.
		const failed = crypto.randomUUID();
		logError('page_failed', error, { requestId: failed, path: c.req.path });
		return { failed };
	}
}

/** A database that was set back has some orders in both places. */
function together(rows: readonly OrderRow[], archived: readonly OrderRow[]): OrderRow[] {
	const live = new Set(rows.map(({ id }) => id));
	return [...rows, ...archived.filter(({ id }) => !live.has(id))].toSorted(newestFirst);
}

function emptyText(archive: Archive, isLater: boolean): string {
	if ('failed' in archive) return 'None of the orders that could be searched has this text.';
	if (archive.end)
		return 'None of the orders that were searched so far has this id, reference, address or transaction.';
	if (isLater) return 'None of your older orders has this id, reference, address or transaction.';
	return 'None of your orders has this id, reference, address or transaction.';
}

const Archived = ({ before }: { readonly before: number }) => (
	<p class="soft small">
		Some orders that were made before <Time at={before} /> are archived. Those are found by their whole id, your
		reference, their deposit address or a transaction of ours, and by nothing else.
	</p>
);

const Failed = ({ id }: { readonly id: string }) => (
	<Note tone="warn" alert>
		<p>
			The archive could not be searched, so older orders may be missing here. They are safe. Load the page again in a
			minute. If it fails again, tell the operator of this service this number: <code>{id}</code>
		</p>
	</Note>
);

export const Search = ({ text }: { readonly text: string }) => (
	<search>
		<form class="filters" method="get" action={PATH}>
			<Field
				name="q"
				label="Find an order: its id, your reference, an address or a transaction"
				value={text}
				type="search"
				maxlength={200}
				autocomplete="off"
			/>
			<Send text="Find" />
		</form>
	</search>
);
