/**
 * All orders that a filter fits, as CSV or JSON: read page by page while they are sent, so that years of orders need no
 * memory. Each row is as it was when its page was read.
 */
import { drizzle } from 'drizzle-orm/d1';
import { csvLine } from '../../http/csv.ts';
import type { OrderRow } from '../../orders/table.ts';
import type { CabinetContext } from './env.ts';
import { filterOf, type PageEnd } from './filter.ts';
import { ordersOf } from './store.ts';

const PER_PAGE = 500;
const CHUNK_LENGTH = 64 * 1024;

const isoTime = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** The fields of a row, in their order. */
const FIELDS = {
	id: (order) => order.id,
	externalId: (order) => order.externalId,
	status: (order) => order.status,
	emergencyReasons: (order) => order.emergencyReasons.join(' '),
	createdAt: (order) => isoTime(order.createdAt),
	expiresAt: (order) => isoTime(order.expiresAt),
	finishedAt: (order) => isoTime(order.finishedAt),
	referenceCode: (order) => order.referenceCode,
	afftaxBps: (order) => order.afftaxBps,
	from: (order) => order.fromAsset,
	fromNetwork: (order) => order.fromNetwork,
	fromAmount: (order) => order.fromAmount,
	depositAddress: (order) => order.payInAddress,
	depositTx: (order) => order.depositTxId,
	received: (order) => order.depositAmount,
	to: (order) => order.toAsset,
	toNetwork: (order) => order.toNetwork,
	toAmount: (order) => order.toAmount,
	recipient: (order) => order.toAddress,
	payoutTx: (order) => order.payoutTxId,
	sent: (order) => order.payoutAmount,
	refundAddress: (order) => order.refundAddress,
	refundTx: (order) => order.refundTxId,
	rate: (order) => order.rate,
	networkFee: (order) => order.networkFee,
} as const satisfies Record<string, (order: OrderRow) => string | number | null>;

const valuesOf = (order: OrderRow) => Object.entries(FIELDS).map(([name, of]) => [name, of(order)] as const);

const FORMATS = {
	csv: {
		type: 'text/csv; charset=utf-8',
		begin: csvLine(Object.keys(FIELDS)),
		row: (order: OrderRow) => csvLine(valuesOf(order).map(([, value]) => value)),
		end: '',
	},
	json: {
		type: 'application/json; charset=utf-8',
		begin: '[',
		row: (order: OrderRow, isFirst: boolean) =>
			`${isFirst ? '\n' : ',\n'}${JSON.stringify(Object.fromEntries(valuesOf(order)))}`,
		end: '\n]\n',
	},
} as const;

export function exportOrders(c: CabinetContext, name: keyof typeof FORMATS): Response {
	const { partnerId } = c.var.session;
	const filter = filterOf(c.req.query());
	const db = drizzle(c.env.DB);
	const format = FORMATS[name];
	async function* texts(): AsyncGenerator<string> {
		yield format.begin;
		let isFirst = true;
		for (let after: PageEnd | null = null; ; ) {
			const page = await ordersOf(db, partnerId, filter, { after, limit: PER_PAGE });
			for (const order of page.rows) {
				yield format.row(order, isFirst);
				isFirst = false;
			}
			after = page.next;
			if (after === null) break;
		}
		yield format.end;
	}
	const day = new Date(Date.now()).toISOString().slice(0, '2026-11-22'.length);
	return new Response(streamOf(texts()), {
		headers: {
			'content-type': format.type,
			'content-disposition': `attachment; filename="orders-${day}.${name}"`,
			'cache-control': 'no-store',
			'x-content-type-options': 'nosniff',
		},
	});
}

/** Reads on only as fast as the reader takes it, in chunks of about a page. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			let chunk = '';
			for (let next = await texts.next(); ; next = await texts.next()) {
				if (!next.done) chunk += next.value;
				if (!next.done && chunk.length < CHUNK_LENGTH) continue;
				if (chunk !== '') controller.enqueue(encoder.encode(chunk));
				if (next.done) controller.close();
				return;
			}
		},
	});
}
