/**
 * Quotes, creates an order and reads it: BASE_URL, API_KEY and API_SECRET in the environment. `swap.ts webhook < body`
 * checks a webhook instead: WEBHOOK_SECRET, SIGN and TIMESTAMP (its two headers).
 */
import { readFileSync } from 'node:fs';
import { createClient, LimitError, verifyWebhook } from 'partner-exchange/sdk';

const { BASE_URL = '', API_KEY = '', API_SECRET = '', WEBHOOK_SECRET = '', SIGN, TIMESTAMP } = process.env;

async function swap(): Promise<void> {
	const exchange = createClient({ url: BASE_URL, apiKey: API_KEY, apiSecret: API_SECRET });
	const terms = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' } as const;

	const quote = await exchange.price(terms);
	console.log(`${quote.from.amount} LTC gives ${quote.to.amount} ETH`);

	const order = await exchange
		.create({
			...terms,
			toAddress: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
			refundAddress: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
		})
		.catch((error: unknown) => {
			if (error instanceof LimitError) console.error(`from ${quote.from.min} to ${quote.from.max} LTC`);
			throw error;
		});
	console.log(`pay ${order.from.amount} LTC to ${order.from.address}`);

	// `until: 'NEW'` returns at the first read. Leave it out to wait until the order is done.
	const { id, status } = await exchange.waitFor(order, { until: 'NEW' });
	console.log(`${id} is ${status}`);
}

async function webhook(): Promise<void> {
	const headers = { 'x-partner-webhook-sign': SIGN, 'x-partner-webhook-timestamp': TIMESTAMP };
	try {
		const event = await verifyWebhook(readFileSync(0), headers, WEBHOOK_SECRET);
		if (event.type === 'order.status_changed') console.log(`authentic: ${event.data.order.status}`);
	} catch (error) {
		console.error('not authentic', error);
		process.exitCode = 1;
	}
}

await (process.argv[2] === 'webhook' ? webhook() : swap());
