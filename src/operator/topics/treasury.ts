/** `treasury …`: what the hot wallets hold, and withdrawals from them. */
import * as z from 'zod/mini';
import { assetId, coinAmount, needed, text, txId, why } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

const positional = { asset: { name: 'ASSET', schema: assetId, help: 'the asset, as `asset list` shows it' } } as const;

export const treasury = topicOf('the hot wallets: what they hold, owe and have free; withdraw what is free', {
	show: declare({
		summary: 'what the hot wallets hold, what of it is owed, and what may be withdrawn',
		button: 'See the treasury',
		reads: true,
		details:
			'free = held - owed - earnings, negative where coins are missing. reserve is what was ever put in, withdrawn what was taken out. moved is what each name was sent and what came back from it, arrivals what came to the hot wallets last. usedUsd is what withdrawals that were signed today bring to an address, in UTC and without fees, and capUsd the most of a day.',
	}),
	plan: declare({
		summary: 'which hot wallets have less free than they should, which more, and what to move where',
		button: 'See what to move',
		reads: true,
		details:
			'The target of an asset is that of `asset update --target`; without one it is what the last two days paid. An asset without either is left out. usd is the worth of what is short or long, fee what the network takes for moving it, coins of the network; leanOutBps and leanInBps are what the reserve adds to the base fee of orders that pay it out and of those that fill it. Exit status 1 if a wallet is short.',
		columns: ['asset', 'free', 'target', 'todo'],
		wide: ['hours', 'short', 'long', 'usd', 'fee', 'to', 'leanOutBps', 'leanInBps'],
		empty: 'No asset has a target, and nothing was paid in two days.',
		exitRules: [{ field: 'short', message: 'a hot wallet has less free than its target' }],
	}),
	withdraw: declare({
		summary: 'withdraw free coins from the hot wallet',
		button: 'Withdraw',
		irreversible: true,
		details:
			'They go to an address that the signer has in its own configuration, WITHDRAW_TO_<NETWORK>, and in a day no more than its cap. Each call that is answered plans one more withdrawal; each asset has one at a time. After a restore or a lost journal `--tx-id` books one that was made and that nobody here knows, if the signer’s node shows it.',
		arguments: positional,
		options: {
			amount: needed('AMOUNT', coinAmount, 'coins; the network fee is added'),
			to: text('NAME', z.string().check(z.maxLength(40)), 'the address of that name; the first one if not named'),
			txId: text('T', txId, 'books this transaction, which paid it, instead of paying'),
		},
	}),
	returned: declare({
		summary: 'note that coins which came to a hot wallet came back from where withdrawals go',
		button: 'Note what came back',
		details:
			'They are reserve like what you put in, and stay it: `treasury show` adds up what each name was sent and what came back from it. On networks that list no payments to the hot wallet, the transaction is the id that treasury show gives what came. `--from none` takes the note back.',
		arguments: positional,
		options: {
			txId: needed('T', txId, 'the transaction that brought them, as `treasury show` lists it'),
			from: {
				...needed('NAME|none', z.nullable(z.string().check(z.maxLength(40))), 'the name in WITHDRAW_TO_<NETWORK>'),
				clearable: true,
			},
		},
	}),
	'book-unattributed': declare({
		summary: 'book coins that belong to no order as reserve',
		button: 'Book the coins',
		details:
			'What came to addresses of ours and is no deposit of an order on record: to an order that is archived, or dust beyond what is recorded of one order. attention shows the sum. Booked, it is free like any other reserve, and treasury withdraw can take it out to pay it back by hand.',
		arguments: positional,
		options: { amount: needed('AMOUNT', coinAmount, 'coins, at most what attention shows'), reason: why('T') },
	}),
});
