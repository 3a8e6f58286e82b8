/** The commands on settings, webhooks, earnings and books, one row each; a part of the table in `commands.ts`. */
import type { Argument, Command } from './command.ts';

const FROM: Argument = { name: 'FROM', field: 'from', help: 'the asset that is deposited, as LTC' };
const TO: Argument = { name: 'TO', field: 'to', help: 'the asset that is paid out' };
const EARNER: Argument = { name: 'PARTNER', field: 'partner', help: 'the partner, as `partner list` shows it' };
const PAYOUT: Argument = { name: 'ID', field: 'id', help: 'the payout, as `order show` and `ledger check` show it' };

export const SETTINGS_COMMANDS: readonly Command[] = [
	{
		topic: 'pair',
		verb: 'list',
		summary: 'all pairs with their bounds, whether they are offered now, and why not',
		arguments: [],
		flags: [],
		columns: ['from', 'to', 'active', 'minUsd', 'maxUsd', 'offered', 'why'],
	},
	{
		topic: 'pair',
		verb: 'update',
		summary: 'change a pair; what is not named stays',
		details: 'Orders that exist are settled within the new bounds.',
		arguments: [FROM, TO],
		flags: [
			{
				name: 'active',
				kind: 'boolean',
				help: 'false leaves the pair out of every list and refuses it (at first true)',
			},
			{ name: 'min-usd', kind: 'integer', help: 'the least that an order may be worth, US dollars (at first 40)' },
			{ name: 'max-usd', kind: 'integer', help: 'the most that an order may be worth, US dollars (at first 50000)' },
		],
		needsFlag: true,
	},
	{
		topic: 'asset',
		verb: 'list',
		summary: 'all assets with price, network fee, reserve and the payout wallet’s balance',
		arguments: [],
		flags: [],
		columns: [
			'code',
			'network',
			'active',
			'recv',
			'send',
			'priceUsd',
			'networkFee',
			'balance',
			'reserve',
			'beyondReserve',
		],
	},
	{
		topic: 'asset',
		verb: 'update',
		summary: 'change an asset; what is not named stays',
		arguments: [{ name: 'CODE', field: 'code', help: 'the asset, as `asset list` shows it' }],
		flags: [
			{
				name: 'active',
				kind: 'boolean',
				help: 'false takes no new orders and makes no payouts; what is owed waits (at first true)',
			},
			{
				name: 'reserve',
				kind: 'text',
				value: 'AMOUNT|none',
				clearable: true,
				help: 'coins that the feed shows as reserve at most; none shows what is free of the wallet’s balance (at first none)',
			},
			{
				name: 'beyond-reserve',
				kind: 'boolean',
				help: 'true takes orders that the payout wallet cannot pay yet; they wait until it is filled (at first false)',
			},
		],
		needsFlag: true,
	},
	{
		topic: 'network',
		verb: 'list',
		summary: 'all networks: what they run on, whether they answer, the payout wallet’s address, the last error',
		arguments: [],
		flags: [],
		columns: [
			...['name', 'mode', 'send', 'receive', 'answers', 'lastScannedAt', 'freeAddresses'],
			...['hotAddress', 'lastError', 'lastErrorAt'],
		],
	},
	{
		topic: 'network',
		verb: 'check',
		summary: 'ask the nodes of both Workers what must be true before coins move there',
		details: 'Exit status 1 if anything is wrong. What is said of a node names it by its host.',
		arguments: [{ name: 'NAME', field: 'name', optional: true, help: 'one network, as Litecoin (all if not named)' }],
		flags: [],
		failsOn: [{ field: 'problems', message: 'something is wrong; the answer says what' }],
		sections: { checks: ['network', 'who', 'what', 'ok', 'detail'] },
	},
	{
		topic: 'network',
		verb: 'update',
		summary: 'stop deposits or payouts of a network; what is not named stays',
		details: 'Deposits to orders that exist are still taken.',
		arguments: [{ name: 'NAME', field: 'name', help: 'the network, as Litecoin' }],
		flags: [
			{
				name: 'send',
				kind: 'boolean',
				help: 'false takes no new orders that pay out there and makes no payouts; what is owed waits (at first true)',
			},
			{ name: 'receive', kind: 'boolean', help: 'false takes no new orders that are paid there (at first true)' },
		],
		needsFlag: true,
	},
	{
		topic: 'site',
		verb: 'show',
		summary: 'the settings of the whole service, and what today has used of its cap and of the signer’s',
		arguments: [],
		flags: [],
	},
	{
		topic: 'site',
		verb: 'update',
		summary: 'change them; what is not named stays',
		arguments: [],
		flags: [
			{ name: 'maintenance', kind: 'switch', help: 'on refuses new orders; those that exist go on (at first off)' },
			{
				name: 'daily-cap-usd',
				kind: 'integer',
				help: 'what a UTC day’s orders may be worth together (at first 1000000)',
			},
			{ name: 'base-fee-bps', kind: 'integer', help: 'the house’s margin, 0 to 2000 basis points (at first 50)' },
			{
				name: 'deposit-window-seconds',
				kind: 'integer',
				help: 'how long a new order waits for its deposit, 60 to 86400 (at first 3600)',
			},
			{
				name: 'unpaid-share-bps',
				kind: 'integer',
				help: 'of the daily cap, what one partner’s unpaid orders may hold, basis points (at first 2500)',
			},
		],
		needsFlag: true,
	},
	{
		topic: 'webhook',
		verb: 'list',
		summary: 'webhooks, newest first, with what became of them',
		arguments: [],
		flags: [
			{ name: 'partner', kind: 'text', value: 'ID', help: 'webhooks to this partner' },
			{ name: 'order', kind: 'text', value: 'ID', help: 'webhooks about this order' },
			{ name: 'failed', kind: 'present', help: 'tried and not delivered' },
			{ name: 'limit', kind: 'integer', help: 'at most this many, up to 500 (50 if not named)' },
		],
		columns: ['id', 'orderId', 'type', 'sequence', 'state', 'attempts', 'lastStatus', 'lastError', 'createdAt'],
	},
	{
		topic: 'webhook',
		verb: 'redeliver',
		summary: 'send a webhook again now, also one that was delivered',
		details: 'Its id and body stay the same; signature and timestamp are new.',
		arguments: [{ name: 'ID', field: 'id', help: 'the webhook, as `webhook list` shows it' }],
		flags: [],
	},
	{
		topic: 'earnings',
		verb: 'show',
		summary: 'what is owed to a partner, per asset, from the ledger, and his payouts with their states',
		arguments: [EARNER],
		flags: [],
	},
	{
		topic: 'earnings',
		verb: 'pay-out',
		summary: 'pay a partner what is owed to him, and announce it to him',
		details:
			'The service pays it from its payout wallet and bears the network fee; the answer says what is planned, `earnings show` how far it is and why it waits. Run again, it pays nothing twice; what the signer refused is planned anew. With --tx-id it books what you have paid yourself, from a wallet of your own.',
		arguments: [EARNER],
		flags: [{ name: 'tx-id', kind: 'text', value: 'T', help: 'the transaction by which you have paid yourself' }],
	},
	{
		topic: 'payout',
		verb: 'settle',
		summary: 'close the case of a payout that cannot arrive, which you have paid yourself, from a wallet of your own',
		details:
			'Look in an explorer first that nothing of it arrived: `order list --attention` says why it cannot. Its order is DONE with your transaction, the books balance, and its partner is told. Nothing is sent, and nothing is done while the chain holds a version of it.',
		arguments: [PAYOUT],
		flags: [
			{
				name: 'tx-id',
				kind: 'text',
				value: 'T',
				help: 'the transaction by which you have paid the recipient',
				required: true,
			},
			{ name: 'reason', kind: 'text', value: 'T', help: 'why, for the audit log', required: true },
		],
	},
	{
		topic: 'payout',
		verb: 'give-up',
		summary: 'take back a payout, refund, earnings or withdrawal that the signer never signed',
		details:
			'For what waits and cannot be made: the recipient does not take it, the signer refuses it. The signer writes down that it never signs it, and says no if it has; then the deposits are free for `order refund`, which ends the order. Run again after a failure, it does the rest.',
		arguments: [PAYOUT],
		flags: [{ name: 'reason', kind: 'text', value: 'T', help: 'why, for the audit log', required: true }],
	},
	{
		topic: 'keys',
		verb: 'show',
		summary: 'the number of each key, what older keys have sealed, and what to do next',
		arguments: [],
		flags: [],
	},
	{
		topic: 'keys',
		verb: 'reseal',
		summary: 'seal with the current keys what the previous ones have sealed',
		details:
			'Run it after a key was replaced, until nothing is left; then the previous key can be removed. A row whose seal does not hold is named and left as it is: somebody has changed it.',
		arguments: [],
		flags: [],
	},
	{
		topic: 'treasury',
		verb: 'show',
		summary: 'what the payout wallets hold, what of it is owed, and what may be taken out',
		details:
			'free = held - owed - earnings, negative where coins are missing. reserve is what was ever put in, withdrawn what was taken out.',
		arguments: [],
		flags: [],
	},
	{
		topic: 'treasury',
		verb: 'withdraw',
		summary: 'take free coins out of the payout wallet',
		details:
			'They go to the one address of the network that the signer has in its own configuration, WITHDRAW_TO_<NETWORK>. Each call that is answered plans one more withdrawal; of an asset, one at a time.',
		arguments: [{ name: 'ASSET', field: 'asset', help: 'the asset, as `asset list` shows it' }],
		flags: [{ name: 'amount', kind: 'text', value: 'AMOUNT', required: true, help: 'coins; the network fee is added' }],
	},
	{
		topic: 'ledger',
		verb: 'check',
		summary: 'recompute every balance from the entries and compare with what the wallets hold',
		details:
			'Exit status 1 if anything differs, else 3 if a chain could not be asked. What cannot be compared is listed as unchecked, and what differs while transactions of our own are on their way as moving. ATTENTION names every transaction of our own that waits, and why, those that belong to no order too.',
		arguments: [],
		flags: [],
		failsOn: [
			{ field: 'differences', message: 'the books differ; the answer says where' },
			{ field: 'unchecked', status: 3, message: 'not every wallet could be compared; the answer says which not' },
		],
		sections: {
			unbalanced: ['order', 'asset', 'sum'],
			wallets: ['asset', 'books', 'held', 'difference', 'leftBehind', 'result', 'reason'],
			attention: ['id', 'orderId', 'kind', 'state', 'network', 'asset', 'amount', 'since', 'cause'],
		},
	},
];
