/** Bugs that are planted by hand when the code is bundled, to see that the simulator finds them. */
export interface Planted {
	/** Below `src`. */
	readonly file: string;
	/** Is there exactly once. */
	readonly from: string;
	readonly to: string;
}

export const PLANTED = {
	/** The signer looks into its journal alone, and asks no older volume. */
	'forgets-volumes': {
		file: 'signer/journal/moved.ts',
		from: '		if (name) volumes.set(volume, [...(volumes.get(volume) ?? []), name]);',
		to: '		if (!name) volumes.set(volume, []);',
	},
	/** The signer forgets the newest segment of the history that it has seen. */
	'forgets-history': {
		file: 'signer/journal/heads.ts',
		from: '		if (last && !heads.some(',
		to: '		if (last && heads.length > 9 && !heads.some(',
	},
	/** A status changes, and no event says so. */
	'forgets-event': {
		file: 'treasury/move-order.ts',
		from: 'statements.push(db.insert(webhookEvents).values(event));',
		to: "if (after.status !== 'EMERGENCY') statements.push(db.insert(webhookEvents).values(event));",
	},
	/** An event that arrived at one endpoint counts as delivered at all. */
	'delivers-once': {
		file: 'webhooks/store.ts',
		from: '.where(and(eq(webhookEvents.id, delivery.eventId), isDue, verdict',
		to: ".where(and(eq(webhookEvents.eventId, String(delivery.eventId.split('.')[0])), isDue, verdict",
	},
	/** The network has a payment before the database has its signature. */
	'pays-first': {
		file: 'treasury/transactions/sign.ts',
		from: '	const answered = outcomes.flatMap(',
		to: `	for (const outcome of outcomes) if ('signed' in outcome) await context.chain.broadcast(outcome.signed.raw);
	const answered = outcomes.flatMap(`,
	},
	/** Calls at the same moment do not see each other's weight. */
	'weighs-late': {
		file: 'partners/gate/gate.ts',
		from: '			window.add(now, weight);\n			this.#nonces.spend(nonce, now, weight);',
		to: '			this.#nonces.spend(nonce, now, weight);\n			void this.#nonces.stored().then(() => window.add(now, weight));',
	},
	/** No Worker holds a payout against its order's floor. */
	'forgets-floor': {
		file: 'orders/floor.ts',
		from: '	if (minToAmount === null) return false;',
		to: "	if (minToAmount !== '') return false;",
	},
	/** The signer believes what the database says of an order. */
	'skips-seal': {
		file: 'signer/payouts/judge.ts',
		from: '	if (!(await orderSealHolds(sealKeys, order, order.seal)))',
		to: '	if (sealKeys === null)',
	},
	/** The minute of what was reserved begins each time the gate of anonymous calls wakes. */
	'forgets-waking': {
		file: 'partners/gate/network-budget.ts',
		from: '		if (stored.some(({ isReserved }) => isReserved)) this.#store(this.#window.entries(now));\n',
		to: '',
	},
	/** The gate of anonymous calls does not store what it may admit before it stores again. */
	'forgets-spent': {
		file: 'partners/gate/network-budget.ts',
		from: '		this.#store([{ at: now, weight: perMinute, isReserved: true }]);\n',
		to: '		void [now, perMinute];\n',
	},
	/** Of several amounts all but the first count twice, in all Workers. */
	'counts-twice': {
		file: 'money/units.ts',
		from: 'parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n);',
		to: 'parts.reduce((sum, { amount }, i) => sum + BigInt(amount) * (i > 0 ? 2n : 1n), 0n);',
	},
	/** What is in no block yet counts as paid. */
	'counts-promises': {
		file: 'treasury/move-order.ts',
		from: "	const final = sumOf(live.filter(({ state }) => state === 'final'));",
		to: '	const final = sumOf(live);',
	},
	/** What comes to an address and is no deposit on record is in no account. */
	'forgets-arrivals': {
		file: 'treasury/agent/deposit-poll.ts',
		from: 'const found = [...ofNobody, ...(scanned.locked ?? [])];',
		to: 'const found = [...ofNobody, ...(scanned.locked ?? [])].slice(0, 0);',
	},
	/** The same where nothing lists payments: no look counts what lies beyond the deposits. */
	'forgets-overflows': {
		file: 'treasury/deposits/overflows.ts',
		from: '	const next = { counted: beyond(came), swept: beyond(swept) };',
		to: '	const next = { counted: beyond(came - came), swept: beyond(swept - swept) };',
	},
	/** Nothing goes back by itself. */
	'waits-for-ever': {
		file: 'treasury/deposits/settle.ts',
		from: '	const hours = market?.settings.decisionHours ?? null;',
		to: '	const hours = market ? null : 1;',
	},
	/** A payment that no node takes is repeated as it is, for ever. */
	'never-replaces': {
		file: 'treasury/transactions/broadcast.ts',
		from: 'return needsNew && KINDS[row.kind].hasVersions ? broadcastNew(context, row) : null;',
		to: 'return broadcastNew === undefined ? row : null;',
	},
	/** Dust is neither paid for nor told, whatever comes with it. */
	'forgets-dust': {
		file: 'orders/dust.ts',
		from: '(deposits.some(({ dust }) => !dust) ? deposits : []);',
		to: 'deposits.filter(({ dust }) => !dust);',
	},
	/** A return of a stray answers for nothing, so what came is planned to go back again. */
	'returns-stray-twice': {
		file: 'treasury/strays/plan.ts',
		from: 'taken: (BigInt(row.taken) + gross).toString(), waits: null, dueAt: null }',
		to: 'taken: row.taken, waits: gross === 0n ? null : row.waits, dueAt: now }',
	},
	/** The signer compares what the database says of a token's return with what it has signed as if it were a listed asset's. */
	'counts-tokens': {
		file: 'signer/journal/signed-terms.ts',
		from: "coalesce(p.asset, iif(m.kind = 'token', NULL, m.asset)) AS asset",
		to: 'coalesce(p.asset, m.asset) AS asset',
	},
	/** What is dust follows a fee that has risen by a factor of a hundred thousand since the order was made. */
	'dust-of-now': {
		file: 'treasury/deposits/record.ts',
		from: '	dust: deposit.amount < BigInt(dustBelow),',
		to: '	dust: deposit.amount < BigInt(dustBelow) * 100_000n,',
	},
	/** After a restore the signer sees no payment of before, so `restored show` says that it may be made. */
	'sees-nothing': {
		file: 'signer/older-orders.ts',
		from: '			return { payments: await on.paymentsTo(asset, to, since) };',
		to: '			return { payments: since < 0 ? await on.paymentsTo(asset, to, since) : [] };',
	},
	/** The signer forgets what a day's withdrawals bring to an address, so its cap never ends them. */
	'forgets-withdrawn': {
		file: 'signer/withdrawals/sign.ts',
		from: '		also: () => journal.days.countWithdrawn({ network, address: to.address }, day, cents),',
		to: '		also: () => journal.days.countWithdrawn({ network, address: to.address }, day, 0),',
	},
	/** The signer takes whatever a passkey has signed, by whom and for what it may be. */
	'takes-any-passkey': {
		file: 'signer/persons/persons.ts',
		from: '			if (fault) return refused(fault);',
		to: "			if (fault === 'malformed') return refused(fault);",
	},
	/** The signer signs a withdrawal that is in the database, whether persons have confirmed it or not. */
	'asks-nobody': {
		file: 'signer/sign.ts',
		from: '	const unconfirmed = found.move && signing.unconfirmed(found.move);',
		to: '	const unconfirmed = found.move && null;',
	},
	/** A transaction that was signed explains what a wallet lacks for ever. */
	'excuses-for-ever': {
		file: 'treasury/ledger/under-way.ts',
		from: '	return now - signedAt <= longest;',
		to: '	return longest > 0;',
	},
	/** The journal takes a second promise for an address. */
	'promises-twice': {
		file: 'signer/journal/address-orders.ts',
		from: '			WHERE network = ?1 AND address = ?2 AND coalesce(promised, ?3) = ?3 RETURNING 1`;',
		to: '			WHERE network = ?1 AND address = ?2 RETURNING 1`;',
	},
	/** The signer pays on other terms than it has promised. */
	'breaks-promises': {
		file: 'signer/journal/address-orders.ts',
		from: "		const other = 'SELECT 1 FROM addresses WHERE network = ? AND address = ? AND promised <> ?';",
		to: "		const other = 'SELECT 1 FROM addresses WHERE network = ? AND address = ? AND promised = NULL AND ? IS NULL';",
	},
	/** What was taken back is told as if it were settled once more. */
	'tells-no-reversal': {
		file: 'treasury/hedge/trade.ts',
		from: '	const [fromAmount, toAmount] = [coins(from, -BigInt(row.fromEntry)), coins(to, -BigInt(row.toEntry))];',
		to: `	const sign = cause === 'settled' ? -1n : 1n;
	const [fromAmount, toAmount] = [coins(from, sign * BigInt(row.fromEntry)), coins(to, sign * BigInt(row.toEntry))];`,
	},
	/** The mark of what the outbox has moves beyond it. */
	'skips-trades': {
		file: 'treasury/hedge/store.ts',
		from: 'set({ queuedUntil: until })',
		to: 'set({ queuedUntil: until + 1 })',
	},
	/** A row that says that it was sent lowers the books, and nobody asks who signed it. */
	'believes-rows': {
		file: 'treasury/ledger/sent-rows.ts',
		from: 'rows.filter(({ settledTxId }) => settledTxId === null);',
		to: 'rows.filter(({ settledTxId }) => settledTxId !== null);',
	},
	/** A proof of solvency leaves out one of the debts in an asset. */
	'leaves-one-out': {
		file: 'treasury/solvency/report.ts',
		from: '		const leaves = owed\n',
		to: '		const leaves = owed\n			.slice(1)\n',
	},
	/** The link's end takes a call whose nonce was taken before. */
	'forgets-nonces': {
		file: 'link/nonces.ts',
		from: '		return taken.toArray().length > 0;',
		to: '		return taken.toArray().length >= 0;',
	},
	/** An answer of the signer's house is signed, and not for its question. */
	'unbound-answers': {
		file: 'link/signature.ts',
		from: "['answer', LINK_VERSION, side, deployment, nonce, status, body]",
		to: "['answer', LINK_VERSION, side, deployment, nonce.slice(0, 0), status, body]",
	},
	/** The co-signer signs the draft that it is sent, and does not compare it with the payment that it judged. */
	'signs-any-draft': {
		file: 'chains/tron/pay.ts',
		from: `	if (made.txId !== transactionId(parts.raw)) throw new PaymentImpossible('the draft is not that payment');
	const digest = hex.decode(made.txId);`,
		to: `	if (guard.judges.role === 'signer' && made.txId !== transactionId(parts.raw)) throw new PaymentImpossible('the draft is not that payment');
	const digest = hex.decode(transactionId(parts.raw));`,
	},
	/** The signer adds its signature to whatever the co-signer answers. */
	'trusts-answers': {
		file: 'chains/tron/pay.ts',
		from: `	if (made.txId !== transactionId(parts.raw)) throw new PaymentImpossible('the draft is not that payment');
	const digest = hex.decode(made.txId);`,
		to: `	if (guard.judges.role === 'cosigner' && made.txId !== transactionId(parts.raw)) throw new PaymentImpossible('the draft is not that payment');
	const digest = hex.decode(transactionId(parts.raw));`,
	},
	/** The co-signer forgets what it has signed, and for which deposits. */
	'forgets-signed': {
		file: 'signer/cosigner/vault.ts',
		from: `		this.ctx.waitUntil(this.volumes.move());
		return this.#crossing(signed);`,
		to: `		for (const table of ['signatures', 'payments', 'versions', 'claims', 'spends', 'earnings'])
			this.ctx.storage.sql.exec(\`DELETE FROM \${table}\`);
		return this.#crossing(signed);`,
	},
} as const satisfies Readonly<Record<string, Planted>>;

export type PlantedName = keyof typeof PLANTED;
export const isPlanted = (name: string): name is PlantedName => name in PLANTED;
