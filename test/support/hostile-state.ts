/** Everything that the service knows, as text: two readings are equal when nothing was changed between them. */
import type { TestService } from './service.ts';

/** Of what the platform keeps in the database for itself nothing is read, nor what the cron counts and chains each minute, nor how far polls have read. */
export async function stateOf(service: TestService): Promise<Record<string, string[]>> {
	const tables = await service.sql<{ name: string }>(
		`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'
			AND name NOT IN ('status_days', 'speeds', 'network_history', 'arrival_marks', 'chained_segments') ORDER BY name`,
	);
	const state: Record<string, string[]> = {};
	for (const { name } of tables) {
		state[name] = (await service.sql(`SELECT * FROM "${name}"`)).map((row) => JSON.stringify(row)).sort();
	}
	return state;
}
