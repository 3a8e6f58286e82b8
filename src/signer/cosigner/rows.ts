/**
 * The rows that the signer sends: plain data, each with the columns of its table and no others, of their own kinds. The judge
 * was written for rows of a database, so it sees nothing else; what they say is not believed, as that of D1 is not. Pure.
 */
import { getTableColumns } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { networkSettings } from '../../catalog/table.ts';
import type { StatedAddress } from '../../chains/address-text.ts';
import type { SweepRef } from '../../chains/signing-port.ts';
import { deposits, orders } from '../../orders/table.ts';
import { partners } from '../../partners/table.ts';
import type { Cosigning, Proofs, ShownPayouts } from '../../ports/cosigner.ts';
import { strays } from '../../treasury/strays/table.ts';
import { type TransactionKind, type TransactionRow, transactions } from '../../treasury/table.ts';
import type { Claims } from '../claims.ts';
import { type Claim, isOrderPayment } from '../payouts/judge.ts';
import { isMovementRow, type MovementRow } from '../sweeps/judge.ts';

type Fields = Readonly<Record<string, unknown>>;

const UNITS = /^-?\d{1,78}$/;
const MOST_ROWS = 10_000;

function fail(what: string): never {
	throw new TypeError(`the signer sent no ${what}`);
}

const fieldsOf = (value: unknown, what: string): Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : fail(what);

const listOf = (value: unknown, what: string): readonly unknown[] =>
	Array.isArray(value) && value.length <= MOST_ROWS ? value : fail(what);

const textOf = (value: unknown, what: string): string => (typeof value === 'string' ? value : fail(what));

/** Reads these columns of the table. What is kept as JSON decides nothing, and is left out. */
function cellsOf<Table extends SQLiteTable, Name extends keyof Table['$inferSelect'] & string>(
	table: Table,
	names: readonly Name[],
	value: unknown,
): Pick<Table['$inferSelect'], Name> {
	const columns = getTableColumns(table);
	const fields = fieldsOf(value, 'row');
	const cells = names.map((name) => {
		const column = columns[name] as (typeof columns)[string] | undefined;
		const cell = Object.hasOwn(fields, name) ? fields[name] : null;
		if (!column) return fail(name);
		if (column.dataType === 'json') return [name, null];
		const isOne = typeof cell === 'number' ? Number.isSafeInteger(cell) : true;
		const isKind = cell === null ? !column.notNull : typeof cell === column.dataType && isOne;
		return isKind ? [name, cell] : fail(`${name} of a row`);
	});
	return Object.fromEntries(cells) as Pick<Table['$inferSelect'], Name>;
}

const rowOf = <Table extends SQLiteTable>(table: Table, value: unknown): Table['$inferSelect'] =>
	cellsOf(table, Object.keys(getTableColumns(table)), value) as Table['$inferSelect'];

const transactionsIn = (value: unknown, kind: TransactionKind): TransactionRow[] =>
	listOf(value, `${kind}s`)
		.map((row) => rowOf(transactions, row))
		.filter((row) => row.kind === kind);

function payoutIn(value: unknown): Claim[] {
	const { payout, order, deposits: paidFor, afftaxEntry, raised } = fieldsOf(value, 'payout');
	const row = rowOf(transactions, payout);
	const entry = textOf(afftaxEntry, 'entry');
	if (!UNITS.test(entry)) fail('entry');
	if (!isOrderPayment(row)) return [];
	const claim = {
		payout: row,
		order: rowOf(orders, order),
		deposits: listOf(paidFor, 'deposits').map((each) => rowOf(deposits, each)),
		afftaxEntry: entry,
		raised: cellsOf(networkSettings, ['confirmations', 'aboveUsd', 'confirmationsAbove'], raised),
	};
	return [claim];
}

const PAID_TO = ['payoutAsset', 'payoutAddress', 'payoutAddressChangedAt', 'payoutSeal'] as const;

function earningsIn(value: unknown): Claims['earnings'] {
	const { payout, paidTo, orderIds } = fieldsOf(value, 'earnings');
	const of = fieldsOf(paidTo, 'partner');
	const [row] = transactionsIn([payout], 'earnings');
	if (!row) return [];
	const partner = { partnerId: textOf(of['partnerId'], 'partner'), ...cellsOf(partners, PAID_TO, of) };
	return [{ payout: row, paidTo: partner, orderIds: listOf(orderIds, 'orders').map((id) => textOf(id, 'order')) }];
}

/** @throws TypeError on anything else: an honest signer sends nothing else */
export function claimsIn(value: unknown): Claims {
	const claims = fieldsOf(value, 'claims');
	return {
		payouts: listOf(claims['payouts'], 'payouts').flatMap(payoutIn),
		earnings: listOf(claims['earnings'], 'earnings').flatMap(earningsIn),
		strays: listOf(claims['strays'], 'strays').map((each) => {
			const { row, order, stray } = fieldsOf(each, 'stray');
			return { row: rowOf(transactions, row), order: rowOf(orders, order), stray: rowOf(strays, stray) };
		}),
		// They go from a pay-in address.
		tokens: [],
		movements: transactionsIn(claims['movements'], 'gas').filter(isMovementRow),
		consolidations: transactionsIn(claims['consolidations'], 'consolidation'),
		withdrawals: transactionsIn(claims['withdrawals'], 'withdrawal'),
	};
}

/** @throws TypeError as `claimsIn` */
export const orderIdsIn = ({ orderIds }: ShownPayouts): string[] =>
	listOf(orderIds, 'orders').map((id) => textOf(id, 'order'));

/** The chain says what each of them took, so a name of one that is none counts for nothing. @throws TypeError as `claimsIn` */
export const sweepsIn = ({ sweeps }: Pick<Proofs, 'sweeps'>): SweepRef[] =>
	listOf(sweeps, 'sweeps').map((each) => {
		const { kind, txId, address, asset, amount } = fieldsOf(each, 'sweep');
		const units = textOf(amount, 'amount');
		if (!UNITS.test(units) || (kind !== 'sweep' && kind !== 'gas')) fail('sweep');
		const of = asset as SweepRef['asset'];
		return { kind, txId: textOf(txId, 'id'), address: textOf(address, 'address'), asset: of, amount: BigInt(units) };
	});

/** Each is verified when it is used. @throws TypeError as `claimsIn` */
export const statedIn = ({ stated }: Pick<Proofs, 'stated'>): StatedAddress[] =>
	listOf(stated, 'statements').map((each) => {
		const { network, index, address, signature } = fieldsOf(each, 'statement');
		if (typeof index !== 'number') fail('index');
		const texts = { address: textOf(address, 'address'), signature: textOf(signature, 'signature') };
		return { network: network as StatedAddress['network'], index, ...texts };
	});

/** The row of a sweep; undefined where another transaction is asked for. @throws TypeError as `claimsIn` */
export const sweepIn = ({ claims, payoutId }: Cosigning): MovementRow | undefined =>
	transactionsIn(fieldsOf(claims, 'claims')['movements'], 'sweep')
		.filter(isMovementRow)
		.find(({ id }) => id === payoutId);
