/** The terms that were signed under the ids of claims, whatever they move. */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { SentClaim } from '../../treasury/sent-claim.ts';
import type { TransactionKind } from '../../treasury/table.ts';

/** The kind is null where nothing was signed under the id. */
export type SignedTerms = {
	kind: TransactionKind | null;
	network: NetworkName;
	/** Null, like the amount, where `restored paid` recorded it: what it paid is not kept. */
	asset: AssetId | null;
	/** Base units, in text. */
	amount: string | null;
	/** Is the claim's transaction id one of its versions'? */
	isVersion: 0 | 1;
};

/**
 * In order. Gas and strays are payments and movements: the payment has what leaves the hot wallet. The return of a token that is
 * not listed moves nothing of any asset. One synchronous turn.
 */
export const signedTerms = ({ sql }: DurableObjectStorage, claims: readonly SentClaim[]): SignedTerms[] =>
	sql
		.exec<SignedTerms>(
			`SELECT coalesce(s.kind, m.kind) AS kind, coalesce(s.network, m.network) AS network,
				coalesce(p.asset, iif(m.kind = 'token', NULL, m.asset)) AS asset,
				coalesce(p.amount, iif(m.kind = 'token', '0', m.amount)) AS amount,
				coalesce(c.txId IN (s.tx_id, m.tx_id), 0)
					OR EXISTS (SELECT 1 FROM versions WHERE payout_id = c.id AND tx_id = c.txId) AS isVersion
			 FROM (SELECT key, value ->> 'id' AS id, value ->> 'txId' AS txId FROM json_each(?)) AS c
			 LEFT JOIN signatures AS s ON s.payout_id = c.id LEFT JOIN payments AS p ON p.payout_id = c.id
			 LEFT JOIN movements AS m ON m.id = c.id ORDER BY c.key`,
			JSON.stringify(claims),
		)
		.toArray();
