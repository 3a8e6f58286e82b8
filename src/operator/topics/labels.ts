/**
 * The labels of fields, on forms and over answers of the console. Each field that a command takes has one here: a field
 * without does not compile. Of the fields that answers have alone, those are here whose name says too little. Pure.
 */
import type * as z from 'zod/mini';
import type { Named } from '../topic.ts';
import type { TOPICS } from './table.ts';

type Topics = typeof TOPICS;
/** Every name is a field of the type of a command that takes nothing: those are left out. */
type Known<Field> = string extends Field ? never : Field;
type InputsOf<Commands> = {
	[Verb in keyof Commands]: Commands[Verb] extends { readonly input: infer Input extends z.ZodMiniType }
		? Known<keyof z.output<Input>>
		: never;
}[keyof Commands];
/** Each field of each command. */
type InputField = { [Name in keyof Topics]: InputsOf<Topics[Name]['commands']> }[keyof Topics] & string;

const TAKEN: Readonly<Record<InputField, string>> = {
	aboveUsd: 'Large deposits begin above, US dollars',
	active: 'Offered',
	addresses: 'Network addresses that may use it',
	afftaxBps: 'Partner’s margin, basis points',
	after: 'Below this one',
	amount: 'Amount',
	archiveAfterDays: 'Finished orders are archived after, days',
	askedRefundUsd: 'Refunds go back by themselves up to, US dollars',
	asset: 'Asset',
	attention: 'Only what waits for a person',
	autoPayout: 'Earnings are paid by themselves',
	autoPayoutMinUsd: 'Smallest automatic payout, US dollars',
	baseFeeBps: 'Base fee, basis points',
	before: 'Batches below number',
	bestchangeCode: 'Code at BestChange',
	beyondReserve: 'Orders beyond the reserve',
	by: 'A line for each',
	code: 'Asset',
	coin: 'Coin',
	confirmations: 'Confirmations',
	confirmationsAbove: 'Confirmations of large deposits',
	cursor: 'Goes on from',
	dailyCapUsd: 'Orders of a day at most, US dollars',
	days: 'Valid for, days',
	decisionHours: 'Undecided deposits go back after, hours',
	depositWindowSeconds: 'Time to pay an order, seconds',
	digests: 'Digests of the lists',
	discountBps: 'Largest discount, basis points',
	enabled: 'Signed calls',
	events: 'Events that are sent',
	failed: 'Only what was not delivered',
	file: 'File',
	fixedfloatCode: 'Code at FixedFloat',
	from: 'From',
	full: 'All entries',
	hours: 'Link works for, hours',
	id: 'Beginning of its id',
	key: 'Key',
	kind: 'Kind',
	label: 'Label',
	leaked: 'Somebody else has the key',
	limit: 'Lines at most',
	looked: 'I have looked where the network cannot tell',
	maintenance: 'Maintenance',
	maxRefCodes: 'Reference codes at most',
	maxUsd: 'Largest order, US dollars',
	minUsd: 'Smallest order, US dollars',
	name: 'Name',
	network: 'Network',
	not: 'Transactions that paid something else',
	number: 'Batch',
	offline: 'Without the service',
	open: 'Only what is not final',
	order: 'Order',
	orderPageAccent: 'Colour of buttons and links',
	orderPageFrames: 'Sites that may frame pages of orders',
	orderPageLanguage: 'Language of pages of orders',
	orderPageLogo: 'Logo',
	orderPageName: 'Name that payers see',
	orderPageReturn: 'Address for another swap',
	orderPageSupport: 'Whom payers ask',
	orderPageTerms: 'Address of the terms',
	orders: 'Orders',
	own: 'Also what belongs to no order',
	ownMarginBps: 'Highest margin that partners may set, basis points',
	ownPayoutMinUsd: 'Lowest payout minimum that partners may set, US dollars',
	ownPayouts: 'Most frequent payouts that partners may set',
	partner: 'Partner',
	payerDecides: 'Payers may take the current rate',
	payoutAddress: 'Earnings go to',
	payoutAsset: 'Earnings are paid in',
	provesMonero: 'Publish Monero’s coins with it',
	provesSolvency: 'Publish what is owed and held, each hour',
	r2: 'In the bucket',
	reason: 'Why',
	receive: 'New deposits',
	recover: 'For passkeys that are lost',
	requireTimestamp: 'Calls need a timestamp',
	reserve: 'Reserve that is shown, coins',
	reserveHours: 'Warn where free coins last fewer, hours',
	secret: 'Secret',
	send: 'Payouts',
	showsSecrets: 'Partners may view their secrets',
	since: 'Since',
	status: 'Status',
	subject: 'About',
	surchargeBps: 'Largest surcharge, basis points',
	sweepShareBps: 'Sweeps may cost of a minimum, basis points',
	target: 'Free coins that are wanted',
	text: 'Id, address or transaction',
	to: 'To',
	token: 'Contract or mint of the token',
	tx: 'Transaction that the payer names',
	txId: 'Transaction',
	unpaidShareBps: 'One partner’s unpaid share of the daily cap, basis points',
	until: 'Until',
	usd: 'Price, US dollars',
	verdict: 'Decision',
	webhookBodyDays: 'Bodies of webhooks are kept for, days',
	webhookUrl: 'Address of webhooks',
	weightPerMinute: 'Weight of calls in a minute',
	widgetBps: 'Margin of the widget, basis points',
	widgetUsd: 'Unpaid orders of the widget at most, US dollars',
};

/** The kind of thing that an id names. */
const NAMED: Readonly<Record<Named, string>> = {
	order: 'Order',
	transaction: 'Transaction',
	payment: 'Order or transaction',
	webhook: 'Webhook',
	partner: 'Partner',
	subject: 'About',
};

/** Over a column a label is short. */
const ANSWERED: Readonly<Record<string, string>> = {
	account: 'Account',
	afftaxBps: 'Margin, basis points',
	amount: 'Amount',
	apiKey: 'API key',
	at: 'When',
	atAddress: 'At the address',
	atStake: 'At stake',
	attention: 'Waits for you',
	autoPayoutNext: 'Next automatic payout',
	autoPayoutWaits: 'Why the automatic payout waits',
	by: 'Who',
	capUsd: 'Cap, US dollars',
	changes: 'What changed',
	code: 'Asset',
	externalId: 'Partner’s reference',
	externalIdUnique: 'Partner’s reference, once only',
	foundBy: 'Found by',
	frameOrigins: 'Sites that may frame it',
	from: 'From',
	goneAt: 'Over since',
	head: 'Newest block',
	held: 'Held',
	holdsCap: 'Counts for the cap',
	hotAddress: 'Hot wallet',
	id: 'Id',
	label: 'Label',
	lagSeconds: 'Time since a poll, seconds',
	lastAt: 'Last order',
	firstAt: 'First order',
	lastErrorAt: 'Time of the last error',
	lastScannedAt: 'Last poll',
	leanInBps: 'Lean of deposits, basis points',
	leanOutBps: 'Lean of payouts, basis points',
	leftBehind: 'Left behind',
	maxRefCodes: 'Reference codes',
	more: 'Command',
	name: 'Name',
	ofNoOrder: 'Of no order',
	ok: 'In order',
	onChain: 'On the chain',
	orders: 'Orders',
	payInIndex: 'Number of the deposit address',
	paidInOn: 'Paid in on',
	reg: 'Created',
	'received usd': 'Received, US dollars',
	recv: 'Taken',
	reserve: 'Reserve',
	says: 'How it is',
	settledTxId: 'Settled by',
	spreadBps: 'Spread, basis points',
	target: 'Target',
	to: 'To',
	todo: 'What to do',
	token: 'Token',
	txId: 'Transaction',
	unpaidShareBps: 'Unpaid share, basis points',
	usd: 'US dollars',
	userAgent: 'Browser',
	what: 'What',
	why: 'Why not',
};

const UNITS: readonly (readonly [RegExp, string])[] = [
	[/Usd$/, ', US dollars'],
	[/Bps$/, ', basis points'],
	[/Seconds$/, ', seconds'],
	[/Minutes$/, ', minutes'],
	[/Hours$/, ', hours'],
	[/Days$/, ', days'],
	// A moment is its participle, and an id what it is of: `createdAt`, `partnerId`.
	[/(?:At|Id)$/, ''],
];

/** Over an answer's field. `priceUsd`: Price, US dollars. */
export function labelOf(field: string): string {
	const known = ANSWERED[field] ?? labelsTaken[field];
	if (known) return known;
	const [unit, text] = UNITS.find(([end]) => end.test(field)) ?? [/$^/, ''];
	const words = field
		.replace(unit, '')
		.replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
	const said = words
		.replaceAll(/\busd\b/gi, 'US dollars')
		.replaceAll(/\b(?:id|url|api)\b/gi, (word) => word.toUpperCase());
	return said.charAt(0).toUpperCase() + said.slice(1) + text;
}

const labelsTaken: Readonly<Record<string, string>> = TAKEN;

/** Beside a form's field. */
export const labelOfInput = (field: string, names?: Named): string =>
	(names && field !== 'partner' ? NAMED[names] : undefined) ?? labelsTaken[field] ?? labelOf(field);

/** A text with labels instead of the options that it names: `--max-usd` is “Largest order, US dollars”. */
export const withLabels = (text: string): string =>
	text.replaceAll(/--([a-z][a-z-]*)/g, (option, name: string) => {
		const label = labelsTaken[name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
		return label ? `“${label}”` : option;
	});
