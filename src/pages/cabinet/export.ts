/**
 * All orders that a filter fits, as CSV or JSON: read page by page while they are sent, so that years of orders need no
 * memory. Each row is as it was when its page was read.
 */
import { csvLine } from '../../http/csv.ts';
import type { OrderRow } from '../../orders/table.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import { type FileFormat, fileOf, keptDesk } from '../file.ts';
import { type CabinetContext, placesOf } from './env.ts';
import { filterOf, type PageEnd } from './filter.ts';
import { type BesideOrders, besideOrders } from './readable.ts';

import { ordersOf } from './store.ts';

const PER_PAGE = 500;

/** The fields of a row, in their order. Amounts are those that were asked for and those that moved, never estimates. */
const FIELDS = {
	id: (order) => order.id,
	externalId: (order) => order.externalId,
	status: (order) => order.status,
	emergencyReasons: (order) => order.emergencyReasons.join(' '),
	createdAt: (order) => isoTimeOrNull(order.createdAt),
	expiresAt: (order) => isoTimeOrNull(order.expiresAt),
	finishedAt: (order) => isoTimeOrNull(order.finishedAt),
	referenceCode: (order) => order.referenceCode,
	afftaxBps: (order) => order.afftaxBps,
	from: (order) => order.fromAsset,
	fromNetwork: (order) => order.fromNetwork,
	asked: (order) => order.fromAmount,
	depositAddress: (order) => order.payInAddress,
	depositTx: (order) => order.depositTxId,
	received: (order) => order.depositAmount,
	to: (order) => order.toAsset,
	toNetwork: (order) => order.toNetwork,
	recipient: (order) => order.toAddress,
	payoutTx: (order) => order.payoutTxId,
	sent: (order) => order.payoutAmount,
	refundAddress: (order) => order.refundAddress,
	refundTx: (order) => order.refundTxId,
	returned: (order, returned) => returned.get(order.id) ?? null,
	rate: (order) => order.rate,
	networkFee: (order) => order.networkFee,
	minToAmount: (order) => order.minToAmount,
} as const satisfies Record<string, (order: OrderRow, returned: BesideOrders['returned']) => string | number | null>;

const UNREADABLE = 'cannot be shown: what is stored of it does not match its seal';

type Values = readonly (readonly [string, string | number | null])[];

/** An order that may not be shown has its id alone, and why. */
const valuesOf = (order: OrderRow, returned: BesideOrders['returned'], isSealed: boolean): Values => [
	...Object.entries(FIELDS).map(
		([name, of]) => [name, isSealed || name === 'id' ? of(order, returned) : null] as const,
	),
	['problem', isSealed ? null : UNREADABLE],
];

const LINES = {
	csv: {
		begin: csvLine([...Object.keys(FIELDS), 'problem']),
		row: (values: Values) => csvLine(values.map(([, value]) => value)),
		end: '',
	},
	json: {
		begin: '[',
		row: (values: Values, isFirst: boolean) => `${isFirst ? '\n' : ',\n'}${JSON.stringify(Object.fromEntries(values))}`,
		end: '\n]\n',
	},
} as const;

export function exportOrders(c: CabinetContext, format: FileFormat): Response {
	const { partnerId } = c.var.session;
	const filter = filterOf(c.req.query());
	const { db } = placesOf(c);
	const lines = LINES[format];
	const desk = keptDesk(c.env.desk);
	async function* texts(): AsyncGenerator<string> {
		yield lines.begin;
		let isFirst = true;
		for (let after: PageEnd | null = null; ; ) {
			const page = await ordersOf(db, partnerId, filter, { after, limit: PER_PAGE });
			const { unsealed, returned } = await besideOrders({ db, desk }, page.rows);
			for (const order of page.rows) {
				yield lines.row(valuesOf(order, returned, !unsealed.has(order.id)), isFirst);
				isFirst = false;
			}
			after = page.next;
			if (after === null) break;
		}
		yield lines.end;
	}
	return fileOf('orders', format, texts());
}
