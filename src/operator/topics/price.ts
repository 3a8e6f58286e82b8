/** `price list`: the prices that quotes are made of. */
import { declare, topicOf } from '../topic.ts';

export const price = topicOf('prices: where they come from, and how old they are', {
	list: declare({
		summary: 'every coin with its price, how old that is, and the sources that agree on it',
		reads: true,
		details:
			'The service does not trade on a price that is not fresh. Spread: between the sources that agree, in basis points.',
		columns: ['coin', 'usd', 'fresh', 'ageSeconds', 'at', 'sources', 'spreadBps'],
	}),
});
