/**
 * The tests that rehearse what the book tells an operator to do: the file, and the title as the file writes it. A runbook
 * of the bad hour without a row, and a row whose test is gone, fails `checks/rehearsed`.
 */
export interface Rehearsal {
	readonly heading: string;
	readonly tests: readonly (readonly [file: string, title: string])[];
}

/**
 * Commands of runbooks that no test runs, for nobody but Cloudflare does what they ask for, and what stands for each. Test
 * and book have them in the same place (`test/support/follow-runbook.ts`).
 */
export const ELSEWHERE: Readonly<Record<string, string>> = {
	'wrangler d1 time-travel restore partner-exchange --timestamp TIME': 'the file of D1 is copied back',
	'wrangler secret put NODE_URL_NETWORK -c src/agents/wrangler.toml': 'the service starts again with the variable',
	'wrangler rollback -c src/pages/wrangler.toml': 'nothing: the release that tests have has no pages',
	'wrangler rollback -c src/operator/wrangler.toml': 'nothing: the release that tests have has no operator Worker',
	'wrangler rollback -c src/signer/wrangler.toml': 'the service starts again with the signer of the release',
	'wrangler rollback -c src/agents/wrangler.toml': 'the service starts again with the agents Worker of the release',
	'wrangler rollback': 'the service starts again with the API Worker of the release',
};

/** Commands that the text of a runbook only mentions, for where something else is so too, and the test that runs each. */
export const MENTIONED: Readonly<Record<string, readonly [file: string, title: string]>> = {
	'earnings pay-out': [
		'faults/restored-advice',
		'are not paid again by who confirms what belongs to no order: the refusal names the command that books them',
	],
};

export const REHEARSALS: readonly Rehearsal[] = [
	{
		heading: 'A node is down or lies',
		tests: [
			['nodes/unanswered', 'a network whose node is down goes on once another URL is put first, as its runbook says'],
			['faults/outages', 'gives 11 for quotes and orders that need its network'],
			['nodes/unanswered', 'a network takes no orders while a node is down, and recovers by itself'],
			['faults/lying-nodes', 'about an absurd deposit settle nothing by themselves, and delay no other order'],
		],
	},
	{
		heading: 'A reorganisation',
		tests: [
			[
				'nodes/utxo-service',
				'whose block is reorganised away stays PENDING, and is credited once when it is mined again',
			],
			[
				'nodes/utxo-service',
				'that a longer branch double-spends after confirmations is not credited, and the order does not go back',
			],
		],
	},
	{
		heading: 'A transaction is stuck',
		tests: [
			['faults/runbooks', 'a transaction that can no longer arrive is paid by hand, and its order ends'],
			['nodes/payout-versions', 'gets two fee bumps, and the partner reads the newest version; no webhook follows'],
			[
				'nodes/refused-fees',
				'payments that were signed during an outage arrive at a higher fee, each once, and none waits for another',
			],
			[
				'nodes/refused-fees',
				'a payment that was dropped is sent again from the same coins, at what the node asks, and arrives once',
			],
			['nodes/solana-swap', 'that expires before the network takes it is signed again by itself, and arrives once'],
			[
				'nodes/payout-versions',
				'whose coins another transaction took is shown to the operator with what to do, and never paid again',
			],
		],
	},
	{
		heading: 'A hot wallet is empty',
		tests: [
			[
				'faults/runbooks',
				'a hot wallet that somebody has emptied is named and filled, what waits is paid, and the books show what is missing',
			],
			['operator/attention', 'names a hot wallet that cannot pay what it owes'],
			['nodes/treasury', 'reports when somebody with the key empties the hot wallet'],
		],
	},
	{
		heading: 'Prices are gone',
		tests: [
			[
				'operator/attention',
				'one row of attention says so of all coins, price list and pair list too, and asset list keeps its price column',
			],
			['operator/attention', 'the runbook shows which sources do not answer, and which coins have no price'],
			['faults/outages', 'move with the sources, while one of them is absurd, one absent and one answers nonsense'],
		],
	},
	{
		heading: 'D1 is unavailable',
		tests: [
			[
				'faults/runbooks',
				'D1 that is unavailable: a create fails with an error and makes no order, and afterwards the books agree',
			],
			['faults/lost-answers', 'every time: an error, and no order'],
			[
				'faults/restart',
				'killed with -9 at any moment loses nothing: orders, spent nonces and payouts under way continue',
			],
		],
	},
	{
		heading: 'D1 is set back to an earlier minute',
		tests: [
			['faults/bad-hour', 'lists the orders that it has forgotten, with their addresses'],
			[
				'faults/walks-set-back',
				'an order whose payout is planned again ends with the payout that it got, in the amount of then',
			],
			['faults/adjust', 'a wallet that has less, or more, than the books say agrees again, and the audit log says why'],
			[
				'faults/set-back',
				'maintenance, switches, bounds, caps and disabled partners hold, and what owes a payout pays nothing',
			],
			['faults/set-back', 'a person decides again with the same commands, and ends each incident'],
			[
				'faults/bad-hour',
				'pays nothing twice by its runbook, shows no address again, and the books say what it has forgotten',
			],
			['faults/shared-addresses', 'shows no address twice, and pays no order with the deposit of a forgotten one'],
			[
				'faults/revoked',
				'%s stays dead when the row is put back, and the newest goes on, also after the gate starts again',
			],
			[
				'faults/revoked',
				'all that end-access ended stays ended, also what had no row at that moment, and a new link lets in',
			],
		],
	},
	{
		heading: "The signer's journal is older than D1",
		tests: [
			[
				'faults/bad-hour',
				'is noticed by what the agents remember: nothing is paid twice, what may have been paid waits, and new orders go on',
			],
			['faults/index-counter', 'that is restored to an older state continues after the agent’s highest index'],
		],
	},
	{
		heading: "The signer's journal is lost",
		tests: [
			['faults/bad-hour', 'is noticed: new orders are paid, and what was owed waits until a person has looked'],
			[
				'faults/lost-journal',
				'it does not take itself for new: the old payout is planned again, and waits for a person',
			],
		],
	},
	{
		heading: 'Everything is lost',
		tests: [
			['faults/restore', 'that is broken off serves nothing, and goes on with the same file'],
			['faults/restore', 'knows every order as it was, and shows no address again'],
			['faults/restore', 'pays new orders at once, and older ones only after a person has looked'],
			['faults/followed-advice', 'who follows every printed line to the letter pays nothing twice, and no order stays'],
			['faults/restored-advice', 'is not given up, refunded or confirmed: each refusal names that command'],
			['faults/restore', 'has the secrets and passkeys of the backup until its partners get new ones'],
		],
	},
	{
		heading: 'A secret has leaked',
		tests: [
			['faults/leaked-key', 'the other secrets have the plans that their runbook names'],
			['faults/leaked-key', 'a leaked OPERATOR_TOKEN is replaced without a time in which both are valid'],
			['faults/leaked-key', 'after a leak of SECRETS_KEY no secret of it opens, and each partner gets new ones'],
			['faults/keys', 'every key can be replaced while orders are open: no call fails, and older orders are paid'],
			['operator/command', 'a wrong token is refused, and each change is in the audit log'],
			['faults/flood', 'leaves a replaced secret working at once, and the old one dead'],
		],
	},
	{
		heading: 'SEAL_KEY has leaked',
		tests: [
			[
				'faults/leaked-key',
				'what the leaked key has sealed counts for nothing from the first step on, and new orders are made and paid',
			],
			[
				'faults/leaked-key',
				'passkeys, invitations and free addresses are dropped, the planted ones too; payout addresses need a person’s word',
			],
			['faults/leaked-key', 'a list that was changed after it was read is not sealed: its digest is another one'],
		],
	},
	{
		heading: 'A partner is compromised',
		tests: [
			[
				'faults/runbooks',
				'a partner who is compromised is shut out with their cabinet, and let in again with a new secret',
			],
			['faults/finalised', 'is not revived by dust, and its deposit is never paid out'],
			['faults/signer-earnings', 'pays to an address that was set an hour ago: the signer waits 24 h'],
		],
	},
	{
		heading: 'A bad deployment is rolled back',
		tests: [
			[
				'faults/upgrade',
				'a bad deployment is rolled back in the order of its runbook: swaps go on, and the books agree',
			],
			['faults/signer', 'signs nothing, says why, and pays once the newer signer is back'],
			['faults/upgrade', 'the older API Worker and agents Worker swap and refund with the new signer'],
		],
	},
	{
		heading: 'Secrets',
		tests: [
			['faults/secrets', 'no call failed: apiKeys and apiSecrets of before go on working'],
			['faults/secrets', 'SEAL_KEY: each order that was paid meanwhile is DONE, and nothing has the older seal'],
			['faults/secrets', 'SECRETS_KEY: the partner’s secrets are under the new key alone'],
			['faults/secrets', 'API_KEY_KEY: a plan for it says that both keys stay'],
			['faults/secrets', 'OPERATOR_TOKEN: both were valid for a while, and now the older one is refused'],
			[
				'faults/secrets',
				'SCREENING_SECRET and ALERT_WEBHOOK_SECRET: an endpoint that takes both for a while refuses nothing',
			],
			['faults/secrets', 'a node’s password: none of its calls was refused, and the older one is no longer used'],
			['faults/flood', 'leaves a replaced secret working at once, and the old one dead'],
		],
	},
	{
		heading: 'Upgrading',
		tests: [
			[
				'faults/upgrade',
				'a new API Worker whose objects still run the older code swaps and refunds with the older agents Worker and signer',
			],
			[
				'faults/upgrade',
				'new ones before the older signer, of which the agents’ objects still run the older code, go on with what the older ones left',
			],
			[
				'faults/upgrade',
				'the older agents Worker loses no order that the new signer refuses in words that it does not know',
			],
			['faults/upgrade', 'when all are new, all that waits is paid once, and the books agree with the chains'],
		],
	},
	{
		heading: 'Rolling back',
		tests: [
			['faults/upgrade', 'the older API Worker and agents Worker swap and refund with the new signer'],
			['faults/signer', 'signs nothing, says why, and pays once the newer signer is back'],
		],
	},
];
