/** `sandbox …`: deposits on the embedded ledgers, and their price table. */
import * as z from 'zod/mini';
import { COINS } from '../../catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../catalog/confirmations.ts';
import { assetId, coinAmount, lowerCaseId, text, wholeBetween } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

/** Orders that one command takes; each is a call to a ledger. */
const MAX_ORDERS = 200;

const orders = z.array(lowerCaseId).check(
	z.minLength(1, 'name at least one order'),
	z.maxLength(MAX_ORDERS, `name at most ${MAX_ORDERS} orders`),
	z.refine((ids) => new Set(ids).size === ids.length, 'an order is named twice'),
);
const ORDERS = {
	orders: { name: 'ORDER', many: true, names: 'order', schema: orders, help: 'an order; several may be named' },
} as const;
const coin = z.pipe(
	z.string().check(z.toUpperCase()),
	z.enum(COINS, `is not a coin of this service; coins are ${COINS.join(', ')}`),
);

export const sandbox = topicOf('the embedded ledgers and prices of the sandbox', {
	deposit: declare({
		summary: 'pay orders: their full amount and final at once, unless an option says otherwise',
		button: 'Pay the orders',
		arguments: ORDERS,
		options: {
			amount: text('AMOUNT', coinAmount, 'coins to each order, as 0.5 (the order’s own amount if not named)'),
			asset: text(
				'ASSET',
				z.union([assetId, z.string().check(z.maxLength(100))]),
				'pay another asset than the orders ask for, as USDCERC20, perhaps on another network, or the contract of a token that is not listed; name its amount, of a token in its smallest units',
			),
			confirmations: {
				kind: 'integer',
				schema: z._default(wholeBetween(0, FINAL_CONFIRMATIONS), FINAL_CONFIRMATIONS),
				help: '0 leaves the deposit in the mempool (final at once if not named)',
			},
		},
		columns: ['order', 'network', 'asset', 'amount', 'confirmations', 'txId'],
	}),
	confirm: declare({
		summary: 'make all deposits to orders final',
		button: 'Make deposits final',
		arguments: ORDERS,
		columns: ['order', 'deposits'],
	}),
	drop: declare({
		summary: 'drop the unconfirmed deposits to an order from the mempool',
		button: 'Drop the deposits',
		arguments: { order: { name: 'ORDER', names: 'order', schema: lowerCaseId, help: 'the order' } },
	}),
	price: declare({
		summary: 'set the price of a coin',
		button: 'Set the price',
		arguments: {
			coin: { name: 'COIN', schema: coin, help: 'a coin, as LTC; it has one price on all its networks' },
			usd: { name: 'USD', schema: z.string().check(z.maxLength(100)), help: 'US dollars for one coin, as 95.5' },
		},
	}),
});
