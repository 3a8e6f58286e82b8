/** The order as partners read it, described (book: contract, "Order"). `view.ts` renders it. */
import * as z from 'zod';
import { TOKEN_PATTERN } from '../crypto/tokens.ts';
import { decimalText, decimalTextOrNull } from '../money/schema.ts';
import { ORDER_STATUSES } from './status.ts';

const moment = (description: string) =>
	z
		.int()
		.min(0)
		.meta({ description: `${description} Unix seconds.` });

const text = (description: string) => z.string().meta({ description });

const orNull = (description: string) => z.string().nullable().meta({ description });

/** Printable ASCII. */
export const externalIdSchema = z.lazy(() => z.string().regex(/^[\x20-\x7e]{1,64}$/));

export const orderSchema = z.lazy(() =>
	z
		.object({
			id: z.uuid().meta({ description: 'Order id.' }),
			type: z.literal('float').meta({ description: 'The only rate mode: the rate floats until the deposit confirms.' }),
			status: z.enum(ORDER_STATUSES).meta({ description: 'See [States and transitions](#states-and-transitions).' }),
			time: z.object({
				reg: moment('Creation time.'),
				expiration: moment('Deposit deadline.'),
				left: z.int().min(0).meta({ description: 'Seconds: `max(0, expiration - now)`, computed per call.' }),
				update: moment('Last change of the order.'),
				finish: z
					.int()
					.min(0)
					.nullable()
					.meta({ description: 'Payout-broadcast time, Unix seconds; null until DONE.' }),
			}),
			from: z.object({
				code: text('Source asset id.'),
				network: text('Source network name.'),
				amount: decimalText('Deposit amount.'),
				address: text('Generated pay-in address.'),
				tx: z.object({
					id: orNull('Set once an on-chain pay-in is observed.'),
					amount: decimalTextOrNull('Amount actually received.'),
				}),
			}),
			to: z.object({
				code: text('Destination asset id.'),
				network: text('Destination network name.'),
				amount: decimalText(
					'Amount the recipient gets: an estimate until the deposit is final, the settled amount after.',
				),
				address: text('Recipient address.'),
				tx: z.object({
					id: orNull('Set once the payout is broadcast.'),
					amount: decimalTextOrNull('Payout amount: what was sent.'),
				}),
			}),
			back: z.object({
				address: orNull('Refund address; non-null when one was supplied at create.'),
				tx: z.object({ id: orNull('Refund transaction id, once a refund is broadcast.') }),
			}),
			emergency: z.object({
				status: z.array(z.enum(['LIMIT', 'EXPIRED', 'LESS', 'MORE'])).meta({
					description:
						'Empty unless status is EMERGENCY. `LIMIT`: the deposit is outside the per-pair USD bounds. `EXPIRED`: it came ' +
						'after the deposit window. `LESS` and `MORE` are reserved and not currently emitted.',
				}),
				choice: z.enum(['NONE', 'EXCHANGE']).meta({ description: '`NONE` until the partner submits a choice.' }),
			}),
			rate: decimalText(
				'Effective rate after margin and afftax: an estimate until the deposit is final, settled after.',
			),
			networkFee: decimalText('Payout network fee in destination units.'),
			markupBps: z.int().min(0).max(2000).nullable().meta({
				description: 'Afftax applied, in basis points, stored at creation; null on public (non-partner) orders.',
			}),
			externalId: externalIdSchema.optional().meta({
				description: 'Your own reference from create; absent where you gave none.',
			}),
			progress: z
				.object({
					confirmations: z.int().min(0).nullable().meta({
						description: 'Of the deposit that has the fewest; null where it is not known just now.',
					}),
					needed: z.int().min(1).meta({ description: 'What the network usually asks of that value.' }),
					minutes: z.int().min(1).meta({
						description: 'Expected until the payout is broadcast; while NEW, from the deposit on.',
					}),
				})
				.nullable()
				.optional()
				.meta({
					description: 'Where `with` asks for it. Null while DONE, EXPIRED or EMERGENCY.',
				}),
		})
		.meta({ id: 'Order', description: 'An order, as its partner sees it.' }),
);

export const createdOrderSchema = z.lazy(() =>
	orderSchema
		.unwrap()
		.extend({
			token: z.string().regex(TOKEN_PATTERN).nullable().meta({
				description: 'Access token, returned exactly once; null on a replay with the same Idempotency-Key.',
			}),
		})
		.meta({ id: 'CreatedOrder', description: 'An order with its access token: the answer to create alone has it.' }),
);

export const qrSchema = z.lazy(() =>
	z.object({
		qrPng: z
			.string()
			.regex(/^data:image\/png;base64,/)
			.meta({
				description:
					'`data:image/png;base64,…`: 256 by 256 pixels, level M, 2-module quiet zone, of the raw pay-in address.',
			}),
	}),
);
