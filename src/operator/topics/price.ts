/** `price list` and `price sources`: the prices that quotes are made of, and who says them. */
import { declare, topicOf } from '../topic.ts';

export const price = topicOf('prices: where they come from, and how old they are', {
	list: declare({
		summary: 'every coin with its price, how old that is, and the sources that agree on it',
		button: 'See the prices',
		reads: true,
		details:
			'The service does not trade on a price that is not fresh. Spread: between the sources that agree, in basis points.',
		columns: ['coin', 'usd', 'fresh', 'ageSeconds', 'at', 'sources', 'spreadBps'],
	}),
	sources: declare({
		summary: 'every price source: whether it answered at the last refresh, why not, and how many prices it agrees with',
		button: 'See the sources',
		reads: true,
		details:
			'A refresh is every ten seconds. One that answers late, when the others suffice, counts as left behind. On the sandbox prices are a table, and there is no source.',
		columns: ['source', 'answers', 'coins', 'why'],
		empty: 'There is no price source: prices are the sandbox’s own table.',
	}),
});
