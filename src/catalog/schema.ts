/** The schemas of the catalog as partners read it (book: contract, "Currency", "Pair"). `view.ts` renders it. */
import * as z from 'zod';

const text = (description: string) => z.string().meta({ description });

const reserved = (description: string) => z.string().nullable().meta({ description });

export const currencySchema = z.lazy(() =>
	z
		.object({
			code: text('Canonical asset id, used on every endpoint.'),
			coin: text('Trading symbol.'),
			network: text('Settlement network name.'),
			name: text('Long display name.'),
			recv: z.literal(true).meta({ description: 'Always true in the list: accepted as deposit.' }),
			send: z.boolean().meta({ description: 'True when payouts are enabled on the asset’s network.' }),
			tag: reserved('Memo or destination-tag flag; always null (no network needs one).'),
			logo: reserved('Reserved; always null.'),
			color: reserved('Reserved; always null.'),
			minAmount: reserved('Always null.'),
			maxAmount: reserved('Always null.'),
			precision: z.int().min(0).meta({ description: 'Maximum decimal places accepted in amounts of this asset.' }),
			chainId: z.int().min(1).nullable().optional().meta({
				description: 'Where `with` asks for it: chain id of EIP-155, null where the network has none.',
			}),
			contract: z.string().nullable().optional().meta({
				description: 'Where `with` asks for it: a token’s contract or mint, null for a coin.',
			}),
		})
		.meta({ id: 'Currency', description: 'One asset of the catalog.' }),
);

export const pairSchema = z.lazy(() =>
	z
		.object({
			from: text('Source asset id.'),
			to: text('Destination asset id.'),
			fromNetwork: text('Source network.'),
			toNetwork: text('Destination network.'),
			rateTypes: z.array(z.literal('FLOAT')).length(1).meta({ description: 'Always `["FLOAT"]`.' }),
		})
		.meta({ id: 'Pair', description: 'One pair that can be quoted and ordered.' }),
);
