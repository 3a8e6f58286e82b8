/** Coins of another asset or network at orders' addresses whose way back a person decides. */
import { asc, sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import type { StrayWait, TokenWait } from '../../orders/strays.ts';
import { type StrayRow, strays, type UnlistedRow } from '../../treasury/strays/table.ts';
import { undecidedTokens } from '../../treasury/strays/unlisted.ts';
import { coinsText, type Facts, MOST_ROWS, type Waiting, worth } from './waiting.ts';

/** Null where time alone decides: prices come back, fees fall, and more may come; and where the stopped move has a row of its own. */
const CAUSES: Readonly<Record<StrayWait, string | null>> = {
	contract: 'the refund address is a contract on the order’s own network, and may be nobody’s on this one',
	screening: 'screening is asked about deposits alone, or holds the order',
	'too-small': null,
	'no-price': null,
	stopped: null,
};

export async function waitingStrays(facts: Facts): Promise<Waiting[]> {
	const { db } = facts.context;
	const [rows, unlisted] = await db.batch([
		db
			.select()
			.from(strays)
			// Literal, for the partial index.
			.where(sql`${strays.waits} is not null and ${strays.waits} in ('contract', 'screening')`)
			.orderBy(asc(strays.foundAt))
			.limit(MOST_ROWS),
		undecidedTokens(db, MOST_ROWS),
	]);
	return [...rows.map((row) => waitingStray(facts, row)), ...unlisted.map(waitingToken)];
}

function waitingStray(
	facts: Facts,
	{ orderId, network, asset: id, counted, taken, waits, foundAt }: StrayRow,
): Waiting {
	const asset = assetOf(id);
	const amount = BigInt(counted) - BigInt(taken);
	return {
		area: 'order',
		subject: orderId,
		sort: `stray ${id}`,
		cause: `${asset.code} on ${network} came to its address, which it did not ask for: ${waits && CAUSES[waits]}`,
		since: foundAt,
		amount: coinsText(asset, amount),
		usd: worth(facts, asset, amount),
		todo: todoOf(waits, orderId, id),
	};
}

const NOT_RETURNED: Readonly<Record<TokenWait, string>> = {
	refused: 'the signer refused to send it back; its log (`signing_refused`) says why',
	failed: 'its return failed on chain',
	immovable:
		'its contract refuses the transfer or takes too much gas, the recipient can use no token, or it may be another name of a listed asset',
	'too-long': 'its return could not be made within a day',
};

const waitingToken = ({ orderId, network, token, amount, foundAt, waits }: UnlistedRow): Waiting => ({
	area: 'order',
	subject: orderId,
	sort: `token ${token}`,
	cause: `a token that this service does not know came to its address on ${network}: ${token}, ${amount} of its smallest units${waits === null ? '' : `: ${NOT_RETURNED[waits]}`}`,
	since: foundAt,
	todo: `if it is worth the gas, which is yours, \`order return-stray ${orderId} ${token} --reason T\` sends it back; if not, \`order keep-stray ${orderId} ${token} --reason T\``,
});

const todoOf = (waits: StrayWait | null, id: string, asset: string): string =>
	waits === 'contract'
		? `ask the payer for an address of theirs there, then \`order return-stray ${id} ${asset} --to ADDRESS --reason R\``
		: `once you may send it back, \`order return-stray ${id} ${asset} --reason R\` returns it to the refund address`;
