/** The receipt as a table of names and values, for the books: exact amounts, times in UTC. Pure. */
import { csvLine } from '../../http/csv.ts';
import type { PayerOrder } from '../../payer/order.ts';

/** An address that a browser saves as a file. The names are the same in every language. */
export function csvOf(shown: PayerOrder, host: string): string {
	const lines = rowsOf(shown, host).map(([name, value]) => csvLine([name, value]));
	return `data:text/csv;charset=utf-8,${encodeURIComponent(['\uFEFF', csvLine(['field', 'value']), ...lines].join(''))}`;
}

function rowsOf({ order, deposits, refund, partner }: PayerOrder, host: string): (readonly [string, string | null])[] {
	const { from, to, back, time } = order;
	const paid = deposits.filter(({ state }) => state !== 'gone');
	const [first] = paid;
	return [
		['service', 'Partner Exchange'],
		['host', host],
		['shop', partner.name],
		['order', order.id],
		['status', order.status],
		['created_at', isoSeconds(time.reg)],
		['paid_at', first ? new Date(first.at).toISOString() : null],
		['paid_amount', from.tx.amount],
		['paid_asset', from.code],
		['paid_network', from.network],
		['paid_address', from.address],
		['paid_transactions', paid.map(({ txId }) => txId).join(' ')],
		['sent_at', to.tx.id === null ? null : isoSeconds(time.finish ?? time.update)],
		['sent_amount', to.tx.amount],
		['sent_asset', to.code],
		['sent_network', to.network],
		['sent_address', to.address],
		['sent_transaction', to.tx.id],
		['rate', to.tx.id === null ? null : order.rate],
		['network_fee', to.tx.id === null ? (refund?.networkFee ?? null) : order.networkFee],
		['network_fee_asset', to.tx.id === null ? from.code : to.code],
		['returned_at', refund?.at ? new Date(refund.at).toISOString() : null],
		['returned_amount', refund?.amount ?? null],
		['returned_address', refund ? back.address : null],
		['returned_transaction', back.tx.id],
	];
}

const isoSeconds = (seconds: number): string => new Date(seconds * 1_000).toISOString();
