/** Settings of the running service for the length of one test, and the refusals that follow from them. */
import type { TestService } from './service.ts';

export const LIMIT_MIN = '{"code":7,"msg":"LIMIT_MIN"}';
export const LIMIT_MAX = '{"code":8,"msg":"LIMIT_MAX"}';
export const MAINTENANCE = '{"code":10,"msg":"MAINTENANCE"}';

const DEFAULT_CAP_USD = 1_000_000;

export function settingsOf(service: { current: () => TestService }) {
	/** Settings are read again for each snapshot. Setting a sandbox price makes a snapshot. */
	const reload = () => service.current().operator('sandbox/price', { coin: 'LTC', usd: '95' });

	async function withSql(statement: string, undo: string, run: () => Promise<void>): Promise<void> {
		await service.current().sql(statement);
		try {
			await run();
		} finally {
			await service.current().sql(undo);
			await reload();
		}
	}

	const withCap = (usd: number, run: () => Promise<void>): Promise<void> =>
		withSql(`UPDATE site SET daily_cap_usd = ${usd}`, `UPDATE site SET daily_cap_usd = ${DEFAULT_CAP_USD}`, run);

	const withMaintenance = (run: () => Promise<void>): Promise<void> =>
		withSql('UPDATE site SET maintenance = 1', 'UPDATE site SET maintenance = 0', run);

	return { reload, withSql, withCap, withMaintenance };
}
