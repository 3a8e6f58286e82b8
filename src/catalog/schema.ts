/** The schemas of the catalog as partners read it (book: contract, "Currency", "Pair"). `view.ts` renders it. */
import * as z from 'zod/mini';

const text = (description: string) => z.string().check(z.describe(description));

const reserved = (description: string) => z.nullable(z.string()).check(z.describe(description));

export const currencySchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({
			code: text('Canonical asset id, used on every endpoint.'),
			coin: text('Trading symbol.'),
			network: text('Settlement network name.'),
			name: text('Long display name.'),
			recv: z.literal(true).check(z.describe('Always true in the list: accepted as deposit.')),
			send: z.boolean().check(z.describe('True when payouts are enabled on the asset’s network.')),
			tag: reserved('Memo or destination-tag flag; always null (no network needs one).'),
			logo: reserved('Reserved; always null.'),
			color: reserved('Reserved; always null.'),
			minAmount: reserved('Always null.'),
			maxAmount: reserved('Always null.'),
			precision: z.int().check(z.minimum(0), z.describe('Maximum decimal places accepted in amounts of this asset.')),
			chainId: z
				.optional(z.nullable(z.int().check(z.minimum(1))))
				.check(z.describe('Where `with` asks for it: chain id of EIP-155, null where the network has none.')),
			contract: z
				.optional(z.nullable(z.string()))
				.check(z.describe('Where `with` asks for it: a token’s contract or mint, null for a coin.')),
		})
		.register(z.globalRegistry, { id: 'Currency', description: 'One asset of the catalog.' }),
);

export const assetSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({
			code: text('Asset id, used on every endpoint.'),
			asset: text('CAIP-19 name: chain and contract, or coin. Every call takes it instead of `code`.'),
			coin: text('Trading symbol.'),
			network: text('Settlement network name.'),
			name: text('Long display name.'),
			recv: z.boolean().check(z.describe('Deposits are taken.')),
			send: z.boolean().check(z.describe('Payouts are made.')),
			chainId: z
				.nullable(z.int().check(z.minimum(1)))
				.check(z.describe('Chain id of EIP-155, null where the network has none.')),
			contract: z.nullable(z.string()).check(z.describe('A token’s contract or mint, null for a coin.')),
			decimals: z.int().check(z.minimum(0), z.describe('Smallest units per coin are 10 to this power.')),
			precision: z.int().check(z.minimum(0), z.describe('Maximum decimal places accepted in amounts of this asset.')),
			confirmations: z.int().check(z.minimum(1), z.describe('Blocks that a small deposit usually needs.')),
			minutes: z.int().check(z.minimum(1), z.describe('How long they usually take.')),
			explorer: text('Page of a transaction; `{tx}` stands for its id.'),
			payment: z
				.nullable(z.string())
				.check(
					z.describe(
						'Payment link with `{address}` and `{amount}` in coins, or `{units}` in smallest units; null where wallets know none.',
					),
				),
			logo: reserved('Reserved; always null.'),
		})
		.register(z.globalRegistry, { id: 'Asset', description: 'One asset, as wallets know it.' }),
);

export const pairSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({
			from: text('Source asset id.'),
			to: text('Destination asset id.'),
			fromNetwork: text('Source network.'),
			toNetwork: text('Destination network.'),
			rateTypes: z.array(z.literal('FLOAT')).check(z.length(1), z.describe('Always `["FLOAT"]`.')),
		})
		.register(z.globalRegistry, { id: 'Pair', description: 'One pair that can be quoted and ordered.' }),
);
