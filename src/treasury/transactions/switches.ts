/**
 * The operator's kill switches over transactions. A planned transaction waits while its asset, the asset of its sweep,
 * or payouts on its network are switched off. A signed one is still sent, because a later one may need its nonce. The
 * condition in SQL and the one in code mean the same: change both together.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Settings } from '../../catalog/settings.ts';
import { assetSettings, networkSettings } from '../../catalog/table.ts';
import { type TransactionRow, transactions } from '../table.ts';

/**
 * True of a row of `transactions` that no switch stops. It is never NULL, which would make every payment wait: `exists`
 * is not, and `coalesce` replaces the sweep asset that most kinds lack.
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
