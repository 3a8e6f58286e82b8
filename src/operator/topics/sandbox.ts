/** `sandbox …`: deposits on the embedded ledgers, and their price table. */
import * as z from 'zod/mini';
import { COINS } from '../../catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../catalog/confirmations.ts';
import { assetId, coinAmount, lowerCaseId, wholeBetween } from '../input.ts';
import { type Argument, declare, type Topic } from '../topic.ts';

/** Orders that one command takes; each is a call to a ledger. */
const MAX_ORDERS = 200;

const orders = z.array(lowerCaseId).check(
	z.minLength(1, 'name at least one order'),
	z.maxLength(MAX_ORDERS, `name at most ${MAX_ORDERS} orders`),
	z.refine((ids) => new Set(ids).size === ids.length, 'an order is named twice'),
);

const ORDERS: Argument = { name: 'ORDER', many: true, names: 'order', help: 'an order; several may be named' };

export const sandbox = {
	about: 'the embedded ledgers and prices of the sandbox',
	commands: {
		deposit: declare({
			summary: 'pay orders: their full amount and final at once, unless an option says otherwise',
			input: z.strictObject({
				orders,
				amount: z.optional(coinAmount),
				asset: z.optional(assetId),
				confirmations: z._default(wholeBetween(0, FINAL_CONFIRMATIONS), FINAL_CONFIRMATIONS),
			}),
			arguments: { orders: ORDERS },
			options: {
				amount: {
					kind: 'text',
					value: 'AMOUNT',
					help: 'coins to each order, as 0.5 (the order’s own amount if not named)',
				},
				asset: {
					kind: 'text',
					value: 'ASSET',
					help: 'pay another asset than the orders ask for, as USDCERC20, perhaps on another network; name its amount',
				},
				confirmations: { kind: 'integer', help: '0 leaves the deposit in the mempool (final at once if not named)' },
			},
			columns: ['order', 'network', 'asset', 'amount', 'confirmations', 'txId'],
		}),
		confirm: declare({
			summary: 'make all deposits to orders final',
			input: z.strictObject({ orders }),
			arguments: { orders: ORDERS },
			options: {},
			columns: ['order', 'deposits'],
		}),
		drop: declare({
			summary: 'drop the unconfirmed deposits to an order from the mempool',
			input: z.strictObject({ order: lowerCaseId }),
			arguments: { order: { name: 'ORDER', names: 'order', help: 'the order' } },
			options: {},
		}),
		price: declare({
			summary: 'set the price of a coin',
			input: z.strictObject({
				coin: z.pipe(
					z.string().check(z.toUpperCase()),
					z.enum(COINS, `is not a coin of this service; coins are ${COINS.join(', ')}`),
				),
				usd: z.string().check(z.maxLength(100)),
			}),
			arguments: {
				coin: { name: 'COIN', help: 'a coin, as LTC; it has one price on all its networks' },
				usd: { name: 'USD', help: 'US dollars for one coin, as 95.5' },
			},
			options: {},
		}),
	},
} satisfies Topic;
