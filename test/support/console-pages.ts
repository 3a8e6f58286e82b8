/** Fills a service with what the pages of the operator console show: orders in several states, switches, a history. */
import { create, untilStatus } from './orders.ts';
import { type Credentials, createPartner } from './partner.ts';
import { eventually, type TestService } from './service.ts';

/** What no label has: the name of a field, or a short form that programs have. Two monitors are written so. */
export const NO_WORDS = /[a-z](?<!\b(?:Best|Fixed))[A-Z]|\b(?:[Bb]ps|USD|[Uu]sd|[Tt]x|[Tt]xid|[Rr]ef|[Mm]ax|[Mm]in)\b/;

export interface Filled {
	readonly partner: Credentials;
	readonly done: string;
	readonly emergency: string;
}

const HOUR = 3_600_000;
const DAYS = 30;

export async function fillConsole(service: TestService): Promise<Filled> {
	const partner = await createPartner(service, { name: 'Blue Wallet', afftaxBps: 60, weightPerMinute: 1_000_000 });
	const order = async () => (await create(service, partner)).data;
	const [done, emergency] = [await order(), await order(), await order()];
	await service.operator('sandbox/deposit', { orders: [done.id] });
	await service.operator('sandbox/deposit', { orders: [emergency.id], amount: '0.1' });
	await untilStatus(service, partner, done, 'DONE');
	await untilStatus(service, partner, emergency, 'EMERGENCY');
	await eventually('every transaction to be final', async () => {
		const left = await service.sql("SELECT 1 FROM transactions WHERE state <> 'final'");
		return left.length === 0;
	});
	await service.operator('network/update', { name: 'Dash', send: false });
	await noteNetworks(service);
	return { partner, done: done.id, emergency: emergency.id };
}

/** As if the cron had run for a month. */
async function noteNetworks({ sql }: TestService): Promise<void> {
	const hour = Math.floor(Date.now() / HOUR) * HOUR;
	const rows = Array.from({ length: DAYS }, (_, day) => [
		hour - day * 24 * HOUR,
		day === 9 ? 640 : 3 + (day % 5),
		(1_200_000 + ((day * 37_751) % 400_000)) * 100,
	]);
	await sql(
		"INSERT OR REPLACE INTO network_history SELECT 'Litecoin', value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
		JSON.stringify(rows),
	);
}
