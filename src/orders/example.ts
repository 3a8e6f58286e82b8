/** The order of the reference's examples. Pure data. */
import type * as z from 'zod/mini';
import type { orderSchema } from './schema.ts';

type Example = z.input<typeof orderSchema>;

export const EXAMPLE_TOKEN = 'q0ZpV2n4Wc1mZ9sYtL8uXeR5bKfHj7dA3gNvPyQwT6M';

export const EXAMPLE_STATUS_TOKEN = 'w3Xk9sQ1mT7bYcV5nZrJ2hLpE8uGdA0fKxNtRyW4oSg';

export const EXAMPLE_TX_ID = '9b1c4f0d6a3e58c7b2f4d1e09a8c7b6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b';

export const EXAMPLE_ORDER: Example = {
	id: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce',
	type: 'float',
	status: 'NEW',
	time: { reg: 1795176000, expiration: 1795179600, left: 3600, update: 1795176000, finish: null },
	from: {
		code: 'LTC',
		network: 'Litecoin',
		amount: '2',
		address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
		tx: { id: null, amount: null },
	},
	to: {
		code: 'ETH',
		network: 'Ethereum',
		amount: '0.05612',
		address: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
		tx: { id: null, amount: null },
	},
	back: { address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', tx: { id: null } },
	emergency: { status: [], choice: 'NONE' },
	rate: '0.02822',
	networkFee: '0.00032',
	markupBps: 50,
};

/** The order of the examples, paid out; the webhook's example shows it too. */
export const EXAMPLE_DONE_ORDER: Example = {
	...EXAMPLE_ORDER,
	status: 'DONE',
	time: { ...EXAMPLE_ORDER.time, left: 2710, update: 1795176890, finish: 1795176890 },
	from: { ...EXAMPLE_ORDER.from, tx: { id: EXAMPLE_TX_ID, amount: '2' } },
	to: {
		...EXAMPLE_ORDER.to,
		tx: { id: '0x5d1f3e7a9c2b4d6f8e0a1c3b5d7f9e2a4c6b8d0f1e3a5c7b9d2f4e6a8c0b1d3f', amount: '0.05612' },
	},
};
