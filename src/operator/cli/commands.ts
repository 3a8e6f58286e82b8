/** The commands, one row each (operator.md). Help, parsing and the request that is sent all read this table. */

import { ORDER_STATUSES } from '../../orders/status.ts';
import { SECRET_NAMES } from '../../partners/partner.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import type { Argument, Command, Flag } from './command.ts';
import { LOOKING_COMMANDS } from './looking-commands.ts';
import { SETTINGS_COMMANDS } from './settings-commands.ts';

export const TOPICS: Readonly<Record<string, string>> = {
	attention: 'everything that waits for a person or for a condition',
	partner: 'partners: issue credentials, change what they may do',
	order: 'orders: look at them, find what waits for a person, delete one',
	payout: 'payouts: close the case of one that cannot arrive, take back one that was never signed',
	pair: 'pairs: switch them on and off, bound what one order may be worth',
	asset: 'assets: switch them on and off, set the reserve that the feed shows',
	network: 'networks: check their nodes, stop payouts to one or deposits from it',
	price: 'prices: where they come from, and how old they are',
	site: 'the whole service: maintenance, daily cap, base fee, deposit window',
	webhook: 'webhooks: find what failed, send one again',
	earnings: 'what partners have earned',
	treasury: 'the payout wallets: what is there, owed and free; take out what is free',
	keys: 'the keys of the service: their numbers, and sealing again after one was replaced',
	ledger: 'the books',
	audit: 'who changed what',
	sandbox: 'the embedded ledgers and prices of the sandbox',
};

const PARTNER_ID: Argument = { name: 'ID', field: 'id', help: 'the partner, as `partner list` shows it' };
const ORDER_ID: Argument = { name: 'ID', field: 'id', help: 'the order' };
const ORDER: Argument = { name: 'ORDER', field: 'order', help: 'the id of the order' };
const ORDERS: Argument = {
	name: 'ORDER',
	field: 'orders',
	many: true,
	help: 'the id of an order; several may be named',
};

const NAME: Flag = { name: 'name', kind: 'text', value: 'NAME', help: 'what people call the partner' };
const PARTNER_FLAGS: readonly Flag[] = [
	{
		name: 'weight-per-minute',
		kind: 'integer',
		help: 'weight that the signed calls of 60 seconds may add up to (at first 2500)',
	},
	{
		name: 'afftax-bps',
		kind: 'integer',
		help: 'the partner’s margin where a call or reference code names none, 0 to 2000 basis points (at first 0)',
	},
	{ name: 'max-ref-codes', kind: 'integer', help: 'reference codes that the partner may have (at first 50)' },
	{
		name: 'require-timestamp',
		kind: 'boolean',
		help: 'refuse calls that are signed without a timestamp (at first false)',
	},
	{
		name: 'webhook-url',
		kind: 'text',
		value: 'URL|none',
		clearable: true,
		help: 'where webhooks go, https; none sends none (at first none)',
	},
	{
		name: 'events',
		kind: 'list',
		value: 'TYPE,…',
		choices: EVENT_TYPES,
		help: `webhooks to send: ${EVENT_TYPES.join(', ')} (at first all)`,
	},
];

export const COMMANDS: readonly Command[] = [
	...LOOKING_COMMANDS,
	{
		topic: 'partner',
		verb: 'create',
		summary: 'make a partner and issue its credentials',
		details: 'apiKey, apiSecret and webhookSecret are shown this once: the service keeps the secrets sealed.',
		arguments: [],
		flags: [{ ...NAME, required: true }, ...PARTNER_FLAGS],
		afterwards: 'Store apiSecret and webhookSecret now: they are not shown again.',
	},
	{
		topic: 'partner',
		verb: 'list',
		summary: 'all partners, newest first, without secrets',
		arguments: [],
		flags: [],
		columns: ['id', 'name', 'enabled', 'weightPerMinute', 'afftaxBps', 'webhookUrl', 'createdAt'],
	},
	{
		topic: 'partner',
		verb: 'show',
		summary: 'one partner, with its counters of orders, volume and earnings',
		arguments: [PARTNER_ID],
		flags: [],
	},
	{
		topic: 'partner',
		verb: 'update',
		summary: 'change a partner; what is not named stays',
		arguments: [PARTNER_ID],
		flags: [
			NAME,
			{ name: 'enabled', kind: 'boolean', help: 'false refuses every signed call of the partner' },
			...PARTNER_FLAGS,
			{ name: 'payout-asset', kind: 'text', value: 'ASSET', help: 'the asset that earnings are paid in' },
			{
				name: 'payout-address',
				kind: 'text',
				value: 'ADDRESS',
				help: 'where earnings are paid to, on the asset’s network; a change waits 24 hours before it is used',
			},
		],
		needsFlag: true,
	},
	{
		topic: 'partner',
		verb: 'replace-secret',
		summary: 'issue a new secret; the old one is dead at once',
		details: 'The new secret is shown this once.',
		arguments: [
			PARTNER_ID,
			{ name: SECRET_NAMES.join('|'), field: 'secret', choices: SECRET_NAMES, help: 'which of the two' },
		],
		flags: [],
		afterwards: 'Store the secret now: it is not shown again.',
	},
	{
		topic: 'order',
		verb: 'list',
		summary: 'orders, newest first',
		arguments: [],
		flags: [
			{
				name: 'status',
				kind: 'text',
				value: 'STATUS',
				choices: ORDER_STATUSES,
				help: `one of ${ORDER_STATUSES.join(', ')}`,
			},
			{ name: 'partner', kind: 'text', value: 'ID', help: 'orders of this partner' },
			{ name: 'attention', kind: 'present', help: 'what waits for a person, and why' },
			{ name: 'limit', kind: 'integer', help: 'at most this many, up to 500 (50 if not named)' },
		],
		columns: ['id', 'status', 'from', 'fromAmount', 'to', 'toAmount', 'usd', 'createdAt', 'deletedAt', 'attention'],
	},
	{
		topic: 'order',
		verb: 'show',
		summary: 'everything on one order',
		details:
			'The partner’s view, internal state, history, deposits, payouts and sweeps with their stored transactions, ledger, webhooks.',
		arguments: [ORDER_ID],
		flags: [],
	},
	{
		topic: 'order',
		verb: 'finalise',
		summary: 'end an EMERGENCY order: it becomes EXPIRED',
		details: 'Its deposit stays with the service until `order refund` sends it back.',
		arguments: [ORDER_ID],
		flags: [{ name: 'reason', kind: 'text', value: 'T', help: 'why, for the history', required: true }],
	},
	{
		topic: 'order',
		verb: 'refund',
		summary: 'send back what was received, less its network fee, to the refund address',
		details: 'Also for deposits that came after the payout. An order that waits becomes EXPIRED with the refund.',
		arguments: [ORDER_ID],
		flags: [],
	},
	{
		topic: 'order',
		verb: 'delete',
		summary: 'soft-delete an order: its partner sees it no more',
		details: 'What is owed is still paid, and later deposits show up in `order list --attention`.',
		arguments: [ORDER_ID],
		flags: [],
	},
	...SETTINGS_COMMANDS,
	{
		topic: 'sandbox',
		verb: 'deposit',
		summary: 'pay orders: their full amount and final at once, unless told otherwise',
		arguments: [ORDERS],
		flags: [
			{
				name: 'amount',
				kind: 'text',
				value: 'AMOUNT',
				help: 'coins to each order, as 0.5 (the order’s own amount if not named)',
			},
			{
				name: 'confirmations',
				kind: 'integer',
				help: '0 leaves the deposit in the mempool (final at once if not named)',
			},
		],
		columns: ['order', 'network', 'asset', 'amount', 'confirmations', 'txId'],
	},
	{
		topic: 'sandbox',
		verb: 'confirm',
		summary: 'make all deposits to orders final',
		arguments: [ORDERS],
		flags: [],
		columns: ['order', 'deposits'],
	},
	{
		topic: 'sandbox',
		verb: 'drop',
		summary: 'make the unconfirmed deposits to an order vanish',
		arguments: [ORDER],
		flags: [],
	},
	{
		topic: 'sandbox',
		verb: 'price',
		summary: 'set the price of a coin',
		arguments: [
			{ name: 'COIN', field: 'coin', help: 'a coin, as LTC; it has one price on all its networks' },
			{ name: 'USD', field: 'usd', help: 'US dollars for one coin, as 95.5' },
		],
		flags: [],
	},
];
