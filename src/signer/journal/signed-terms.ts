/** What was signed under an id, whatever it moves: read for many ids at once. */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { TransactionKind } from '../../treasury/table.ts';

export interface SignedTerms {
	readonly kind: TransactionKind;
	readonly network: NetworkName;
	/** Null, like the amount, where `restored paid` recorded it: what it paid is not kept. */
	readonly asset: AssetId | null;
	/** Base units, in text. */
	readonly amount: string | null;
	/** Of each version. */
	readonly txIds: ReadonlySet<string>;
}

type Row = { id: string; kind: TransactionKind; network: NetworkName; txId: string } & Pick<
	SignedTerms,
	'asset' | 'amount'
>;

const AMONG = 'IN (SELECT value FROM json_each(?))';
/** Gas and strays are payments and movements: the payment has what leaves the hot wallet. */
const QUERIES = [
	`SELECT id, kind, network, asset, amount, tx_id AS txId FROM movements WHERE id ${AMONG}`,
	`SELECT payout_id AS id, signatures.kind, signatures.network, coalesce(payments.asset, movements.asset) AS asset,
		coalesce(payments.amount, movements.amount) AS amount, signatures.tx_id AS txId
	 FROM signatures LEFT JOIN payments USING (payout_id) LEFT JOIN movements ON movements.id = payout_id
	 WHERE payout_id ${AMONG}`,
];

/** By id; one that was not signed is absent. One synchronous turn. */
export function signedTerms({ sql }: DurableObjectStorage, ids: readonly string[]): Map<string, SignedTerms> {
	const among = JSON.stringify(ids);
	const versions = Map.groupBy(
		sql.exec<{ id: string; txId: string }>(
			`SELECT payout_id AS id, tx_id AS txId FROM versions WHERE payout_id ${AMONG}`,
			among,
		),
		({ id }) => id,
	);
	const rows = QUERIES.flatMap((query) => [...sql.exec<Row>(query, among)]);
	return new Map(
		rows.map(({ id, txId, ...terms }) => [
			id,
			{ ...terms, txIds: new Set([txId, ...(versions.get(id) ?? []).map((version) => version.txId)]) },
		]),
	);
}
