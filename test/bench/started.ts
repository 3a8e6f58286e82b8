/** A fresh service for each part of the bench, so that no part is slowed by what another one stored. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/local/ports.ts';
import type { LocalOptions } from '../../src/local/service.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { withFloors } from './floors.ts';

/** The most that the operator API grants a partner. */
const WEIGHT_PER_MINUTE = 1_000_000;
const DAILY_CAP_USD = 1_000_000_000;
/** As many free addresses as a deployment keeps, where its operator says nothing. */
const ADDRESS_POOL = '600';

export interface Benched {
	/** Where the floors are served. */
	readonly floorsPort: number;
	readonly service: TestService;
	readonly partner: Credentials;
	readonly port: number;
}

interface More extends Pick<LocalOptions, 'inspectorPort'> {
	/** Serves the pages too. */
	readonly pages?: boolean;
}

/**
 * Runs one part with a service without effective limits: rate budget and daily cap are not what is measured.
 * `inspectorPort`: where debuggers find its isolates.
 */
export async function withService<T>(part: (benched: Benched) => Promise<T>, more: More = {}): Promise<T> {
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-bench-'));
	const floorsPort = await freePort();
	const arrange = withFloors(floorsPort);
	const service = await startTestService({ ADDRESS_POOL }, stateDirectory, {}, { arrange, ...more });
	try {
		const partner = await createPartner(service, { weightPerMinute: WEIGHT_PER_MINUTE });
		await service.sql('UPDATE site SET daily_cap_usd = ?', DAILY_CAP_USD);
		// Any change of a price makes RateBook read the settings again.
		await service.operator('sandbox/price', { coin: 'LTC', usd: '95' });
		return await part({ service, partner, port: service.local.port, floorsPort });
	} finally {
		await service.local.stop();
		rmSync(stateDirectory, { recursive: true, force: true });
	}
}
