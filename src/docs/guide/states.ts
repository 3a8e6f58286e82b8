/** The text on each status: its meaning, and where it leads (book: contract, "States and transitions", "Orders"). */
import type { OrderStatus } from '../../orders/status.ts';

const MEANING: Readonly<Record<OrderStatus, string>> = {
	NEW: 'Created, awaiting the deposit',
	PENDING: 'Deposit observed on-chain, awaiting confirmations',
	EXCHANGE: 'Payout being executed; the end user has not yet received funds',
	DONE: 'Payout broadcast; terminal success, no further updates; `time.finish` holds the moment',
	EXPIRED: 'No longer actionable: deposit window closed, order removed, or refunded',
	EMERGENCY: 'A choice is required; `emergency.status` gives the reason',
};

const TRANSITIONS: readonly (readonly [
	from: OrderStatus | '(none)',
	to: OrderStatus,
	trigger: string,
	also: string,
])[] = [
	['(none)', 'NEW', 'create succeeds', 'pay-in address reserved; `time.left` is the whole deposit window'],
	['NEW', 'PENDING', 'deposit observed on-chain', '`from.tx.id` set'],
	['NEW', 'EXPIRED', 'deposit window closes', '`time.left` is 0'],
	['PENDING', 'EXCHANGE', 'confirmations complete, amount in bounds', 'the live rate is taken, once'],
	['PENDING', 'EMERGENCY', 'confirmations complete, amount out of bounds', '`emergency.status` contains `LIMIT`'],
	['PENDING', 'EMERGENCY', 'deposit first seen after the window', '`emergency.status` contains `EXPIRED`'],
	['PENDING', 'EXPIRED', 'deposit dropped for 24 hours', ''],
	['EXCHANGE', 'DONE', 'payout broadcast', '`to.tx.id` and `time.finish` set'],
	['EMERGENCY', 'EXCHANGE', 'choice `EXCHANGE`', '`emergency.choice` becomes `EXCHANGE`; live rate'],
	['EMERGENCY', 'EXCHANGE', 'further deposits bring the total into bounds in time', 'no choice needed'],
	['EMERGENCY', 'EXPIRED', 'operator refunds or finalises', '`back.tx.id` set on a refund'],
	['EXPIRED', 'EMERGENCY', 'late deposit, within 30 days', '`emergency.status` contains `EXPIRED`'],
];

export const STATES = [
	'## States and transitions',
	'',
	'| Status | Meaning |',
	'|---|---|',
	...Object.entries(MEANING).map(([status, meaning]) => `| \`${status}\` | ${meaning} |`),
	'',
	'| From | To | Trigger | Also |',
	'|---|---|---|---|',
	...TRANSITIONS.map(([from, to, trigger, also]) => `| ${from} | → ${to} | ${trigger} | ${also} |`),
	'',
	'- No status is skipped, and each change has its [webhook](#webhooks).',
	'- All deposits to an order’s address that are final before the payout starts are added up. A deposit between the',
	'  order’s own amount and 1 % above it is in bounds whatever the price has done since; any other is judged by its USD',
	'  value at the live price, with 2 % tolerance at both ends.',
	'- A deposit worth less than its own network fee is recorded and changes no status.',
	'- A dropped deposit is no longer in `from.tx`.',
	'- An order that the operator has finalised stays so: only deposits that come later are judged, and without the earlier',
	'  ones.',
	'- A refund sends what was received, less its network fee, to `refundAddress`.',
	'- The deposit window is 60 minutes by default.',
];
