/** The proof of an hour, as anybody fetches it and verifies it with nodes of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SolvencyFile } from '../../src/ports/solvency.ts';
import type { PromiseKeys } from '../../src/sdk/index.ts';
import { operatorOf } from './operator.ts';
import { eventually, type TestService } from './service.ts';

/** The operator switches it on, and the cron makes the first one. The service has pages. */
export async function provenHour(service: TestService) {
	const { operator, local, sql, url, stateDirectory } = service;
	await operator('site/update', { provesSolvency: true });
	await eventually('the proof of the hour', async () => {
		await sql("UPDATE periodic_checks SET due_at = 0 WHERE name = 'solvency'");
		await local.runScheduled();
		return (await fetch(`${url}/solvency.json`)).ok;
	});
	const file = (await (await fetch(`${url}/solvency.json`)).json()) as SolvencyFile;
	const published = (await (await fetch(`${url}/.well-known/partner-exchange-keys.json`)).json()) as PromiseKeys;
	const key = published.keys[0]?.publicKey ?? '';
	let files = 0;
	return {
		file,
		/** What `proof verify` says of this file with these nodes. */
		verified(given: SolvencyFile, nodes: Readonly<Record<string, string>>, chain: 'main' | 'regtest' = 'regtest') {
			const name = join(stateDirectory, `hour-${++files}.json`);
			writeFileSync(name, JSON.stringify(given));
			const named = Object.entries(nodes).flatMap(([network, node]) => ['--node', `${network}=${node}`]);
			return operatorOf(() => service).run('proof', 'verify', name, '--key', key, '--chain', chain, ...named);
		},
	};
}
