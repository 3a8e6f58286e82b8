/** Every flow that moves money or credentials, as short as it can be lived. */
import type { Crowd } from './people/crowd.ts';
import type { Habit } from './people/orders.ts';

export interface Flow {
	/** What must have happened before; nothing is struck there. */
	readonly before?: (crowd: Crowd) => Promise<unknown>;
	readonly live: (crowd: Crowd) => Promise<unknown>;
}

const DAY = 24 * 3_600_000;
const SOON = 2_000;
const IN_FULL: Habit = [[1, SOON]];
const TOO_LITTLE: Habit = [[0.001, SOON]];

const paid = (crowd: Crowd) => crowd.finished(crowd.liveOrder(IN_FULL));

/** The order that was begun last, by a command of the operator's. */
const decide = (crowd: Crowd, command: string) => crowd.client.operate(command, { id: crowd.stories.at(-1)?.id });

const settled = async (crowd: Crowd, milliseconds: number) => {
	await crowd.world.sleep(milliseconds);
};

const flows = {
	'create, deposit, settle, sign, broadcast, webhook': { live: (crowd) => crowd.liveOrder(IN_FULL) },
	refund: {
		before: (crowd) => crowd.finished(crowd.liveOrder(TOO_LITTLE)),
		live: async (crowd) => {
			await decide(crowd, 'order/refund');
			await settled(crowd, 5_000);
		},
	},
	'give-up': {
		live: async (crowd) => {
			const life = crowd.liveOrder(IN_FULL);
			await settled(crowd, 4_000);
			const [row] = crowd.service.d1.rows('SELECT id FROM transactions');
			if (row)
				await crowd.client.operate('payout/give-up', { id: row['id'], reason: 'enumerated' }).catch(() => undefined);
			await life;
		},
	},
	withdraw: {
		live: async (crowd) => {
			await crowd.client.operate('treasury/withdraw', { asset: 'LTC', amount: '2' });
			await settled(crowd, 5_000);
		},
	},
	rotate: { live: (crowd) => crowd.rotateSecret() },
	earnings: {
		before: async (crowd) => {
			await paid(crowd);
			crowd.world.leap(DAY + 3_600_000);
			await crowd.world.run(crowd.world.now + 20_000);
		},
		live: (crowd) => crowd.payEachPartner(),
	},
} as const satisfies Readonly<Record<string, Flow>>;

export type FlowName = keyof typeof flows;
export const FLOWS: Readonly<Record<FlowName, Flow>> = flows;
