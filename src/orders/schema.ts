/** The order as partners read it, described (book: contract, "Order"). `view.ts` renders it. */
import * as z from 'zod/mini';
import { TOKEN_PATTERN } from '../crypto/tokens.ts';
import { decimalText, decimalTextOrNull } from '../money/schema.ts';
import { ORDER_STATUSES } from './status.ts';

const moment = (description: string) => z.int().check(z.minimum(0), z.describe(`${description} Unix seconds.`));

const text = (description: string) => z.string().check(z.describe(description));

const orNull = (description: string) => z.nullable(z.string()).check(z.describe(description));

/** Printable ASCII. */
export const externalIdSchema = z.lazy(() => z.string().check(z.regex(/^[\x20-\x7e]{1,64}$/)));

const straySchema = /* @__PURE__ */ z.lazy(() =>
	z.object({
		code: orNull('Asset id of what came; null for a token that is not listed.'),
		token: orNull('Contract or mint of a token that is not listed; else null.'),
		network: text('Network that it came on.'),
		amount: decimalText('Amount that came; of a token that is not listed in its smallest units.'),
		status: z
			.enum(['FOUND', 'RETURNED', 'HELD', 'KEPT'])
			.check(
				z.describe(
					'`FOUND`: it goes back by itself. `RETURNED`: it was sent back. `HELD`: the operator decides. `KEPT`: too little to ' +
						'send back at the network’s fee now.',
				),
			),
		back: z.object({
			address: text('Where it goes back to.'),
			tx: z.object({
				id: orNull('Set once the return is broadcast.'),
				amount: decimalTextOrNull('Amount that was sent back, less the network’s fee.'),
			}),
		}),
	}),
);

export const orderSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({
			id: z.uuid().check(z.describe('Order id.')),
			type: z.literal('float').check(z.describe('The only rate mode: the rate floats until the deposit confirms.')),
			status: z.enum(ORDER_STATUSES).check(z.describe('See [States and transitions](#states-and-transitions).')),
			time: z.object({
				reg: moment('Creation time.'),
				expiration: moment('Deposit deadline.'),
				left: z.int().check(z.minimum(0), z.describe('Seconds: `max(0, expiration - now)`, computed per call.')),
				update: moment('Last change of the order.'),
				finish: z
					.nullable(z.int().check(z.minimum(0)))
					.check(z.describe('Payout-broadcast time, Unix seconds; null until DONE.')),
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
				status: z
					.array(z.enum(['LIMIT', 'EXPIRED', 'LESS', 'MORE']))
					.check(
						z.describe(
							'Empty unless status is EMERGENCY. `LIMIT`: the deposit is outside the per-pair USD bounds. `EXPIRED`: it came ' +
								'after the deposit window. `LESS` and `MORE` are reserved and not currently emitted.',
						),
					),
				choice: z.enum(['NONE', 'EXCHANGE']).check(z.describe('`NONE` until the partner submits a choice.')),
			}),
			rate: decimalText(
				'Effective rate after margin and afftax: an estimate until the deposit is final, settled after.',
			),
			networkFee: decimalText('Payout network fee in destination units.'),
			markupBps: z
				.nullable(z.int().check(z.minimum(0), z.maximum(2000)))
				.check(z.describe('Afftax applied, in basis points, stored at creation; null on public (non-partner) orders.')),
			externalId: z
				.optional(externalIdSchema)
				.check(z.describe('Your own reference from create; absent where you gave none.')),
			minToAmount: z.optional(
				decimalText('The floor under the rate: the least that `from.amount` may bring; absent where create set none.'),
			),
			links: z
				.optional(
					z.object({
						page: orNull('The page of the order, which its payer opens; null where the call does not have its token.'),
						status: text('Where anyone who has it reads the order, and no more.'),
						statusPage: text('A page that shows people the same, and has no button.'),
					}),
				)
				.check(z.describe('Where `with` asks for it.')),
			payment: z
				.optional(
					z.object({
						asset: text('CAIP-19 name of what is paid.'),
						units: text('Deposit amount in its smallest units.'),
						link: orNull('BIP 21, EIP-681, Solana Pay or the network’s own; null where wallets know none.'),
					}),
				)
				.check(z.describe('Where `with` asks for it: the deposit as wallets take it.')),
			strays: z
				.optional(z.array(straySchema))
				.check(z.describe('Where `with` asks for it: what came to the pay-in address that the order did not ask for.')),
			promise: z
				.optional(
					z.nullable(
						z.object({
							key: text('Id of the key, in `/.well-known/partner-exchange-keys.json`.'),
							statement: text('What is signed: JSON, exactly these bytes.'),
							signature: text('Ed25519, base64.'),
						}),
					),
				)
				.check(
					z.describe(
						'Where `with` asks for it: the terms and what was paid, signed by the wallets’ signer. Null where it does not sign; take an order without it for unverified.',
					),
				),
			progress: z
				.optional(
					z.nullable(
						z.object({
							confirmations: z
								.nullable(z.int().check(z.minimum(0)))
								.check(z.describe('Of the deposit that has the fewest; null where it is not known just now.')),
							needed: z.int().check(z.minimum(1), z.describe('What the network usually asks of that value.')),
							minutes: z
								.int()
								.check(
									z.minimum(1),
									z.describe('Expected until the payout is broadcast; while NEW, from the deposit on.'),
								),
						}),
					),
				)
				.check(z.describe('Where `with` asks for it. Null while DONE, EXPIRED or EMERGENCY.')),
		})
		.register(z.globalRegistry, { id: 'Order', description: 'An order, as its partner sees it.' }),
);

export const createdOrderSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.extend(orderSchema._zod.innerType, {
			token: z
				.nullable(z.string().check(z.regex(TOKEN_PATTERN)))
				.check(z.describe('Access token, returned exactly once; null on a replay with the same Idempotency-Key.')),
		})
		.register(z.globalRegistry, {
			id: 'CreatedOrder',
			description: 'An order with its access token: the answer to create alone has it.',
		}),
);

export const qrSchema = /* @__PURE__ */ z.lazy(() =>
	z.object({
		qrPng: z
			.string()
			.check(
				z.regex(/^data:image\/png;base64,/),
				z.describe(
					'`data:image/png;base64,…`: 256 by 256 pixels, level M, 2-module quiet zone, of the raw pay-in address.',
				),
			),
	}),
);
