/** `pair …`: which pairs are offered, and what an order of them may be worth. */
import { assetId, onOff, whole } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

/** US dollars: far above any order. */
const MOST_USD = 1_000_000_000;

export const pair = topicOf('pairs: switch them on and off, set the bounds of an order’s worth', {
	list: declare({
		summary: 'all pairs with their bounds, whether they are offered now, and why not',
		button: 'See the pairs',
		reads: true,
		columns: ['from', 'to', 'active', 'minUsd', 'maxUsd', 'offered', 'why'],
	}),
	update: declare({
		summary: 'change a pair; what is not named stays',
		button: 'Change the switch',
		details: 'Orders that exist are settled within the new bounds.',
		arguments: {
			from: { name: 'FROM', schema: assetId, help: 'the asset that is deposited, as LTC' },
			to: { name: 'TO', schema: assetId, help: 'the asset that is paid out' },
		},
		options: {
			active: onOff('off leaves the pair out of every list and refuses it (at first on)'),
			minUsd: whole([0, MOST_USD], 'the least that an order may be worth, US dollars (at first 40)'),
			maxUsd: whole([0, MOST_USD], 'the most that an order may be worth, US dollars (at first 50000)'),
		},
		together: { holds: ({ from, to }) => from !== to, rule: 'a pair is of two different assets' },
		needsOption: true,
	}),
});
