/** What must hold where two judges sign: a payment that left is in the journal of each judge that nobody owns, and was owed there. */
import type { Crowd } from '../people/crowd.ts';
import { type Row, rowsOf } from './rows.ts';

const SIGNED = `SELECT payout_id, tx_id FROM signatures WHERE network = 'Tron'
	UNION SELECT v.payout_id, v.tx_id FROM versions v JOIN signatures s USING (payout_id) WHERE s.network = 'Tron'`;

function journalOf({ service }: Crowd, bindings: readonly string[]): Row[] {
	const disks = bindings.flatMap((binding) => [...(service.objects[binding]?.byName.values() ?? [])]);
	return disks
		.filter(({ disk }) => disk.sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'signatures'").get())
		.flatMap(({ disk }) => disk.sqlite.prepare(SIGNED).all());
}

const signersJournal = (crowd: Crowd) => journalOf(crowd, ['VAULT', 'JOURNAL_VOLUME']);
const cosignersJournal = (crowd: Crowd) => journalOf(crowd, ['COSIGNER_VAULT', 'COSIGNER_VOLUME']);

/**
 * What the co-signer signed for the owner of the signer, who may send it before the honest code has asked: it counts as the
 * payment of the row whose id it has.
 */
export function cosignedVersions(crowd: Crowd): Row[] {
	if (crowd.setting.second !== 'owned signer') return [];
	const rows = rowsOf(crowd, 'SELECT id AS owner, asset, to_address, amount FROM transactions');
	const byId = new Map(rows.map((row) => [row['owner'], row]));
	return cosignersJournal(crowd).flatMap(({ payout_id, tx_id }) => {
		const row = byId.get(payout_id ?? '');
		return row ? [{ ...row, tx_id: tx_id ?? '' }] : [];
	});
}

export function unjournaled(crowd: Crowd): string[] {
	const { second } = crowd.setting;
	if (!second) return [];
	const left = crowd.service.nodePayments().filter(({ asset }) => asset === 'TRX');
	const missing = (whose: string, rows: readonly Row[]) => {
		const known = new Set(rows.map(({ tx_id }) => tx_id));
		return left.filter(({ tx_id }) => !known.has(tx_id)).map(({ tx_id }) => `the journal of ${whose} lacks ${tx_id}`);
	};
	return [
		...(second === 'owned signer' ? [] : missing('the signer', signersJournal(crowd))),
		...(second === 'owned co-signer' ? [] : missing('the co-signer', cosignersJournal(crowd))),
	];
}
