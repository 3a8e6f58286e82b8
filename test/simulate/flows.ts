/** Every flow that moves money or credentials, as short as it can be lived. */
import { FINAL_CONFIRMATIONS } from '../../src/catalog/confirmations.ts';
import type { Plan } from './faults.ts';
import type { Crowd } from './people/crowd.ts';
import { followAdvice } from './people/followers.ts';
import type { Habit } from './people/orders.ts';
import type { SecondJudge } from './settings.ts';

export interface Flow {
	/** Ethereum has a node, with blocks and prices of gas. */
	readonly isOnNode?: boolean;
	readonly isLarge?: boolean;
	/** The signer is in a house of its own. */
	readonly isHoused?: boolean;
	/** Tron's payments have two judges. */
	readonly second?: SecondJudge;
	/** What must have happened before; nothing is struck there. */
	readonly before?: (crowd: Crowd, plan: Plan) => Promise<unknown>;
	readonly live: (crowd: Crowd) => Promise<unknown>;
	/** Its orders leave the database. */
	readonly archives?: boolean;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SOON = 2_000;
const IN_FULL: Habit = [[1, SOON]];
/** Final as soon as it is there. */
const FINAL_AT_ONCE: Habit = [[1, SOON, FINAL_CONFIRMATIONS]];
/** The node has it in no block yet. */
const UNCONFIRMED: Habit = [[1, SOON, 0]];
/** Less than any minimum, and no dust. */
const TOO_LITTLE: Habit = [[0.02, SOON]];
const ARCHIVE_DAYS = 31;
const GWEI = 1_000_000_000n;
/** A fee bump is due after ten minutes without a block. */
const PATIENCE = 11 * MINUTE;
/** Twelve blocks, and one more. */
const FINAL = 13 * 12_000;

const paid = (crowd: Crowd) => crowd.finished(crowd.liveOrder(IN_FULL));

/** The order that was begun last, by a command of the operator's. */
const decide = (crowd: Crowd, command: string) => crowd.client.operate(command, { id: crowd.stories.at(-1)?.id });

const settled = (crowd: Crowd, milliseconds: number) => crowd.world.sleep(milliseconds);

const runFor = ({ world }: Crowd, milliseconds: number) => world.run(world.now + milliseconds);

/** Until then, or for a minute at most: a fault may have prevented it. */
async function until(crowd: Crowd, holds: () => boolean): Promise<void> {
	for (let waits = 0; waits < 60 && !holds(); waits++) await crowd.world.sleep(1_000);
}

/** Before the flow: until the query finds a row. @throws where it never does */
async function runUntil(crowd: Crowd, query: string): Promise<void> {
	for (let waits = 0; crowd.service.d1.rows(query).length === 0; waits++) {
		if (waits > 300) throw new Error(`never: ${query}`);
		await runFor(crowd, 1_000);
	}
}

/** Coins of a deposit wait at their address; once they are final and paid for, they are swept. */
const SWEEP: Flow = {
	isOnNode: true,
	before: async (crowd) => {
		await runFor(crowd, 10 * MINUTE);
		void crowd.liveOrder(IN_FULL, ['ETH', 'LTC']);
		await runFor(crowd, 30_000);
	},
	live: async (crowd) => {
		crowd.world.leap(FINAL);
		await settled(crowd, 2 * MINUTE);
	},
};

const nextDay = async (crowd: Crowd) => {
	await runFor(crowd, 20_000);
	crowd.world.leap(DAY + 60 * MINUTE);
	await runFor(crowd, 20_000);
};

const earned = async (crowd: Crowd) => {
	await paid(crowd);
	await nextDay(crowd);
};

const flows = {
	'create, deposit, settle, sign, broadcast, webhook': { live: (crowd) => crowd.liveOrder(IN_FULL) },
	refund: {
		before: async (crowd) => {
			void crowd.liveOrder(TOO_LITTLE);
			await runUntil(crowd, "SELECT 1 FROM orders WHERE status = 'EMERGENCY'");
		},
		live: async (crowd) => {
			await decide(crowd, 'order/refund');
			await settled(crowd, 5_000);
		},
	},
	/** A node said that a deposit is final, and the signer's node does not. */
	'give-up': {
		before: async (crowd, plan) => {
			plan.always = 'node lies';
			void crowd.liveOrder(UNCONFIRMED);
			await runUntil(crowd, 'SELECT 1 FROM transactions WHERE waits_kind IS NOT NULL');
		},
		live: async (crowd) => {
			const [row] = crowd.service.d1.rows('SELECT id FROM transactions');
			await crowd.client.operate('payout/give-up', { id: row?.['id'], reason: 'enumerated' });
			const [deposit] = crowd.stories.at(-1)?.paid ?? [];
			await crowd.service.object('SANDBOX_LEDGER', String(deposit?.network)).call('confirm', [deposit?.address]);
			await decide(crowd, 'order/refund');
			await settled(crowd, 5_000);
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
		before: earned,
		live: async (crowd) => {
			await crowd.payEachPartner();
			await settled(crowd, 5_000);
		},
	},
	'fee bump': {
		isOnNode: true,
		before: (crowd) => runFor(crowd, 10 * MINUTE),
		live: async (crowd) => {
			const life = crowd.liveOrder(IN_FULL, ['LTC', 'ETH']);
			await until(crowd, () => crowd.service.waitsForBlock);
			if (crowd.service.node) crowd.service.node.baseFee = 10n * GWEI;
			crowd.world.leap(PATIENCE);
			await settled(crowd, MINUTE);
			await life;
		},
	},
	/** What was signed during an outage pays a hundredth of what nodes ask after it. */
	'fee jump': {
		isOnNode: true,
		before: (crowd) => runFor(crowd, 10 * MINUTE),
		live: async (crowd) => {
			const { node, d1 } = crowd.service;
			if (node) node.takesNothing = true;
			const life = crowd.liveOrder(FINAL_AT_ONCE, ['LTC', 'ETH']);
			await until(crowd, () => d1.rows("SELECT 1 FROM transactions WHERE state = 'signed'").length > 0);
			if (node) Object.assign(node, { baseFee: 100n * GWEI, takesNothing: false });
			await settled(crowd, 2 * MINUTE);
			await life;
		},
	},
	sweep: SWEEP,
	/** The same where the journal has moved the payment to a volume as soon as it was signed. */
	'sweep with volumes': { ...SWEEP, isLarge: true },
	'a payment by a signer in a house of its own': { isHoused: true, live: paid },
	'a payment of two judges': {
		isOnNode: true,
		second: 'honest',
		before: async (crowd) => {
			void crowd.liveOrder(IN_FULL, ['ETH', 'TRX']);
			await runUntil(crowd, 'SELECT 1 FROM deposits');
			await runFor(crowd, 11 * MINUTE);
		},
		live: (crowd) => settled(crowd, 4 * MINUTE),
	},
	/** The database is set back to before the payment; nothing is paid again. */
	'database set back': {
		before: async (crowd) => {
			void crowd.liveOrder(UNCONFIRMED);
			await runUntil(crowd, "SELECT 1 FROM orders WHERE status <> 'NEW'");
		},
		live: async (crowd) => {
			const earlier = crowd.service.d1.sqlite.serialize();
			const { stories, service } = crowd;
			for (const { paid } of stories)
				for (const { network, address } of paid)
					await service.object('SANDBOX_LEDGER', network).call('confirm', [address]);
			await settled(crowd, 10_000);
			crowd.setBack(earlier);
			await settled(crowd, 20_000);
		},
	},
	/** The same with the signer's journal, and the operator does what is printed. */
	'database and journal set back': {
		before: async (crowd) => {
			void crowd.liveOrder(UNCONFIRMED);
			await runUntil(crowd, "SELECT 1 FROM orders WHERE status <> 'NEW'");
		},
		live: async (crowd) => {
			const { stories, service } = crowd;
			const [database, journal] = [service.d1.sqlite.serialize(), service.object('VAULT', 'vault').disk.save()];
			for (const { paid } of stories)
				for (const { network, address } of paid)
					await service.object('SANDBOX_LEDGER', network).call('confirm', [address]);
			await settled(crowd, 10_000);
			service.setJournalBack(journal);
			crowd.setBack(database);
			await settled(crowd, 20_000);
			await followAdvice(crowd);
			await settled(crowd, 20_000);
		},
	},
	archive: {
		archives: true,
		before: async (crowd) => {
			await crowd.finished(crowd.liveOrder(IN_FULL, ['LTC', 'ETH']));
			// Of each network the newest order stays.
			void crowd.liveOrder([], ['LTC', 'ETH']);
			await nextDay(crowd);
			await crowd.payPartners();
			await crowd.asked((client) => client.operate('site/update', { archiveAfterDays: ARCHIVE_DAYS }));
		},
		live: async (crowd) => {
			crowd.world.leap((ARCHIVE_DAYS + 1) * DAY);
			await settled(crowd, 3 * MINUTE);
		},
	},
} as const satisfies Readonly<Record<string, Flow>>;

export type FlowName = keyof typeof flows;
export const FLOWS: Readonly<Record<FlowName, Flow>> = flows;
