/** What partners do beside their orders: rotate their secrets, manage codes, call more often than they may. */
import type { World } from '../world.ts';
import type { Client, Secrets } from './client.ts';

export interface Partner extends Secrets {
	isRotating: boolean;
}

export interface PartnerScene {
	readonly world: World;
	readonly client: Client;
	readonly wrong: string[];
}

/** Longer than anything is slow. */
const IN_FLIGHT_MILLISECONDS = 180_000;

/**
 * New secrets, whatever is lost on the way. Once an answer has come, the one before is dead at once. Without an answer the
 * partner does not know which one counts, and has the operator make another.
 */
export async function rotate({ world, client, wrong }: PartnerScene, partner: Partner): Promise<void> {
	if (partner.isRotating) return;
	partner.isRotating = true;
	const before = partner.apiSecret;
	const sent = client.sign(partner, '/api/v1/keys/rotate', { rotate: ['apiSecret'] });
	const answer = await client.send(sent).catch(() => null);
	const issued = answer?.code === 0 ? (answer.data as { apiSecret: string }).apiSecret : null;
	if (issued) partner.apiSecret = issued;
	while (!issued) {
		// Until then the call itself may still be on its way to the gate.
		await world.sleep(IN_FLIGHT_MILLISECONDS);
		if (await isKnown({ world, client, wrong }, partner)) break;
		const input = { id: partner.id, secret: 'apiSecret' };
		const replaced = await client.operate<{ apiSecret: string }>('partner/replace-secret', input).catch(() => null);
		if (replaced) partner.apiSecret = replaced.apiSecret;
		if (replaced) break;
	}
	if (partner.apiSecret !== before) {
		const old = await client
			.send(client.sign({ ...partner, apiSecret: before }, '/api/v1/price', {}))
			.catch(() => null);
		if (old && ![3, 5, 11, 99].includes(old.code)) wrong.push(`a secret that was replaced answered ${old.code}`);
	}
	partner.isRotating = false;
}

/** True once a call that the partner signs is accepted. */
async function isKnown({ world, client }: PartnerScene, partner: Partner): Promise<boolean> {
	for (let tries = 0; tries < 30; tries++) {
		const answer = await client.send(client.sign(partner, '/api/v1/orders', {})).catch(() => null);
		if (answer?.code === 3) return false;
		if (answer && answer.code !== 99 && answer.code !== 5 && answer.code !== 11) return true;
		await world.sleep(5_000);
	}
	return false;
}

/** A code is made, switched off, and asked for: what was acknowledged is so. */
export async function manageCodes({ world, client, wrong }: PartnerScene, partner: Partner): Promise<void> {
	const code = `c${world.random.below(1e6)}`;
	const call = (method: string, path: string, body: object) =>
		client.send({ ...client.sign(partner, path, body), method }).catch(() => null);
	const made = await call('POST', '/api/v1/codes', { code });
	if (made?.code !== 0) return;
	const off = await call('DELETE', '/api/v1/codes', { code });
	const list = await call('GET', '/api/v1/codes', {});
	if (list?.code !== 0) return;
	const found = (list.data as { code: string; enabled: boolean }[]).find((one) => one.code === code);
	if (!found) wrong.push(`the code ${code} was acknowledged and is not there`);
	else if (off?.code === 0 && found.enabled) wrong.push(`the code ${code} was switched off and is on`);
}

/** Of calls at the same moment no more are admitted than two windows have room for. */
export const BURST_WEIGHT = 20;
const BURST_CALLS = 100;

export async function burst({ client, wrong }: PartnerScene, partner: Partner): Promise<void> {
	const calls = Array.from({ length: BURST_CALLS }, () => client.sign(partner, '/api/v1/orders', {}));
	const answers = await Promise.all(calls.map((call) => client.send(call).catch(() => null)));
	const admitted = answers.filter((answer) => answer?.code === 0).length;
	if (admitted > 2 * BURST_WEIGHT)
		wrong.push(`${admitted} calls were admitted where ${BURST_WEIGHT} a minute are allowed`);
}
