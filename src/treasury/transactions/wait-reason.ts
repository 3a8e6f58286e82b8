/**
 * Why a transaction does not go on, in one line for the operator, and since when. A refusal is stored with the
 * transaction when it happens. A switch of the operator is not stored with it: it is read when it is needed. Pure.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Settings } from '../../catalog/settings.ts';
import { assetSettings, networkSettings } from '../../catalog/table.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { blockedReason, stopText, waitingReason } from './stop-reason.ts';

export interface WaitReason {
	readonly because: string;
	/** Null for a switch (the audit log has its time) and where it was blocked without a wait. */
	readonly since: number | null;
}

type Row = Parameters<typeof stoppedBy>[0] &
	Parameters<typeof blockedReason>[0] &
	Parameters<typeof waitingReason>[0] &
	Pick<TransactionRow, 'waitsSince'>;

/** Null while it goes on. Why it is blocked comes first, then a switch, then why it waits. */
export function waitReason(row: Row, switches: Switches): WaitReason | null {
	const blocked = blockedReason(row);
	if (blocked) return { because: stopText(blocked), since: row.waitsSince };
	const stopped = stoppedBy(row, switches);
	if (stopped !== null) return { because: stopped, since: null };
	const waits = waitingReason(row);
	return waits && { because: stopText(waits), since: row.waitsSince };
}

/** Why it is blocked; null while it is not. */
export function blockedText(row: Parameters<typeof blockedReason>[0]): string | null {
	const blocked = blockedReason(row);
	return blocked && stopText(blocked);
}

/**
 * True of a row of `transactions` that no switch stops. It is never NULL, which would make every payment wait: `exists`
 * is not, and `coalesce` replaces the sweep asset that most kinds lack. `stoppedBy` means the same: change both together. A
 * signed one is still sent, because a later one may need its nonce.
 */
export const isLetThrough: SQL = sql`(${transactions.state} <> 'planned' or (
	not exists (select 1 from ${assetSettings} where ${assetSettings.active} = 0
		and ${assetSettings.code} in (${transactions.asset}, coalesce(${transactions.sweepAsset}, ${transactions.asset})))
	and not exists (select 1 from ${networkSettings} where ${networkSettings.send} = 0
		and ${networkSettings.name} = ${transactions.network})
))`;

export type Switches = Pick<Settings, 'inactiveAssets' | 'networks'>;

/** One line for the operator: the switch that stops it, and the command that lets it go on. Null if none stops it. */
export function stoppedBy(
	{ state, network, asset, sweepAsset }: Pick<TransactionRow, 'state' | 'network' | 'asset' | 'sweepAsset'>,
	switches: Switches,
): string | null {
	if (state !== 'planned') return null;
	if (!(switches.networks[network]?.send ?? true))
		return `payouts on ${network} are switched off; \`network update ${network} --send on\` lets it go on`;
	const off = [asset, sweepAsset].find((each) => switches.inactiveAssets.some((code) => code === each));
	return off ? `${off} is switched off; \`asset update ${off} --active on\` lets it go on` : null;
}
