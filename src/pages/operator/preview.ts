/**
 * The effect of a change, in numbers, before it is made: sentences, and for settings each field as it is and as it will
 * be. It reads by the commands that a person would look with. A command that is not here says what was typed.
 */
import * as z from 'zod/mini';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { isEmpty, isRow, type Row, rowsIn } from '../../operator/reading/fields.ts';
import type { CommandPath } from '../../operator/topics/table.ts';
import type { Command, Input } from './commands.ts';
import { addDecimals } from './numbers.ts';

export interface Change {
	readonly field: string;
	readonly now: unknown;
	readonly after: unknown;
}

export interface Preview {
	readonly sentences: readonly string[];
	readonly changes: readonly Change[];
	/** The record that is changed, by field. */
	readonly record: Row | null;
}

/** Runs a command that only reads: its data, null where it is refused. */
export type Ask = (path: CommandPath, input: Input) => Promise<unknown>;

type ByCommand<T> = Readonly<Partial<Record<CommandPath, T>>>;

const NOTHING: Preview = { sentences: [], changes: [], record: null };

export async function previewOf(command: Command, input: Input, ask: Ask): Promise<Preview> {
	const settings = RECORDS[command.path];
	if (settings) {
		const record = await settings(input, ask);
		const names = Object.keys(command.declaration.options).filter((field) => field in input);
		return {
			sentences: (await CONSEQUENCES[command.path]?.(input, ask, record)) ?? [],
			record,
			changes: names.map((field) => ({ field, now: record?.[field], after: input[field] })),
		};
	}
	const sentences = await SENTENCES[command.path]?.(input, ask);
	return { ...NOTHING, sentences: sentences ?? [] };
}

const rowIn = (data: unknown, isIt: (row: Row) => boolean): Row | null => rowsIn(data).find(isIt) ?? null;

const same = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

/** The record that an update changes. */
const RECORDS: ByCommand<(input: Input, ask: Ask) => Promise<Row | null>> = {
	'network/update': async ({ name }, ask) => rowIn(await ask('network/list', {}), (row) => same(row['name'], name)),
	'asset/update': async ({ code }, ask) => rowIn(await ask('asset/list', {}), (row) => same(row['code'], code)),
	'pair/update': async ({ from, to }, ask) =>
		rowIn(await ask('pair/list', {}), (row) => same(row['from'], from) && same(row['to'], to)),
	'site/update': async (_, ask) => recordOf(await ask('site/show', {})),
	'partner/update': async ({ id }, ask) => recordOf(await ask('partner/show', { id })),
};

/** The things that wait for or use now what an update changes. */
const CONSEQUENCES: ByCommand<(input: Input, ask: Ask, record: Row | null) => Promise<string[]>> = {
	'network/update': async ({ send }, ask, record) =>
		send === undefined
			? []
			: unfinished(ask, String(record?.['name']), (row) => same(row['network'], record?.['name'])),
	'asset/update': async ({ active }, ask, record) =>
		active === undefined
			? []
			: unfinished(ask, String(record?.['code']), (row) => same(row['asset'], record?.['code'])),
	'site/update': async ({ dailyCapUsd }, _, record) => {
		const today = recordOf(record?.['today']);
		return dailyCapUsd === undefined || !today ? [] : [`Today’s orders have used ${today['usedUsd']} USD of the cap.`];
	},
};

const MOST_COUNTED = 500;

async function unfinished(ask: Ask, name: string, isIt: (row: Row) => boolean): Promise<string[]> {
	const rows = await ask('payout/list', { open: true, limit: MOST_COUNTED });
	if (!Array.isArray(rows)) return [];
	const planned = rowsIn(rows).filter((row) => isIt(row) && row['state'] === 'planned').length;
	const count = rows.length === MOST_COUNTED ? `At least ${plural(planned, 'payment')}` : plural(planned, 'payment');
	return [`${count} of ${name} ${planned === 1 ? 'is' : 'are'} planned and not signed now.`];
}

const recordOf = (data: unknown): Row | null => (isRow(data) ? data : null);

const orderSchema = z.object({
	order: z.object({
		status: z.string(),
		from: z.object({ code: z.string() }),
		back: z.object({ address: z.string() }),
	}),
	internal: z.object({ usd: z.string() }),
	deposits: z.array(z.object({ amount: z.string(), state: z.string(), payoutId: z.nullable(z.string()) })),
});

async function orderFacts(input: Input, ask: Ask) {
	const { data } = orderSchema.safeParse(await ask('order/show', { id: input['id'] }));
	if (!data) return null;
	const open = data.deposits.filter(({ payoutId, state }) => payoutId === null && state !== 'gone');
	const { code } = data.order.from;
	return {
		status: data.order.status,
		back: data.order.back.address,
		usd: data.internal.usd,
		held: open.length === 0 ? 'nothing' : `${addDecimals(open.map(({ amount }) => amount))} ${code}`,
		deposits: open.length,
	};
}

type OrderFacts = NonNullable<Awaited<ReturnType<typeof orderFacts>>>;

const aboutOrder = (say: (facts: OrderFacts) => string[]) => async (input: Input, ask: Ask) => {
	const facts = await orderFacts(input, ask);
	return facts ? say(facts) : [];
};

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

async function transactionSentence({ id }: Input, ask: Ask, then: string): Promise<string[]> {
	const shown = recordOf(await ask('payout/show', { id }));
	if (!shown) return [];
	const { kind, amount, asset, toAddress, state, network } = shown;
	return [`The ${kind} of ${amount} ${asset} to ${toAddress} on ${network} is ${state}.`, then];
}

const SENTENCES: ByCommand<(input: Input, ask: Ask) => Promise<string[]>> = {
	'order/refund': aboutOrder(({ held, deposits, back, status }) => [
		`${held} of ${plural(deposits, 'deposit')} is held for this order, which is ${status}.`,
		`That goes back to ${back || 'the refund address, which is not set'}, less the network fee of the moment.`,
	]),
	'order/finalise': aboutOrder(({ status, held }) => [
		`The order is ${status} and becomes EXPIRED, for good.`,
		`${held} stays here until it is refunded.`,
	]),
	'order/screen': aboutOrder(({ held, deposits, usd }) => [
		`${held} of ${plural(deposits, 'deposit')} is held for this order; it is worth ${usd} USD as ordered.`,
	]),
	'order/delete': aboutOrder(({ status, held }) => [
		`The order is ${status}; ${held} is held for it. Its partner no longer sees it.`,
	]),
	'payout/settle': (input, ask) =>
		transactionSentence(
			input,
			ask,
			'It is closed as paid by you, with the transaction that you name. Nothing is sent.',
		),
	'payout/give-up': (input, ask) =>
		transactionSentence(input, ask, 'It is taken back and never signed. The deposits are free for a refund then.'),
	'treasury/withdraw': withdrawal,
	'earnings/pay-out': async ({ partner }, ask) => {
		const shown = recordOf(await ask('earnings/show', { partner }));
		const texts = rowsIn(shown?.['owed']).map((row) => `${row['amount']} ${row['asset']}`);
		return [texts.length === 0 ? 'Nothing is owed now.' : `Owed now: ${texts.join(', ')}.`];
	},
	'partner/replace-secret': async ({ secret }) => [
		`The partner’s ${secret} is replaced. The old one stops working at once.`,
	],
};

async function withdrawal({ asset, amount, to }: Input, ask: Ask): Promise<string[]> {
	const shown = recordOf(await ask('treasury/show', {}));
	const assets = rowIn(shown?.['assets'], (row) => same(row['asset'], asset));
	if (!assets) return [];
	const free = isEmpty(assets['free']) ? 'an unknown amount' : `${assets['free']} ${assets['asset']}`;
	const { network } = assetOf(assets['asset'] as AssetId);
	const addresses = rowsIn(shown?.['addresses']).filter((row) => row['network'] === network);
	const named = addresses.find(({ name }) => isEmpty(to) || name === to);
	const where =
		named && !isEmpty(named['address']) ? `${named['name']}, ${named['address']}` : 'no address: it is refused';
	return [`${amount} ${assets['asset']} goes to ${where}. The network fee is added.`, `Free now: ${free}.`];
}
