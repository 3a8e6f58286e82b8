/** `history verify`, call by call: one call compares so much of the chain. */
import type { Verified } from '../chained/verify.ts';
import type { Input } from './parse.ts';
import { type Environment, send } from './service.ts';

export const verifiedHistory = (input: Input, environment: Environment): Promise<Verified> =>
	allOfHistory(
		(from) => send('history/verify', { ...input, from }, environment) as Promise<Verified>,
		Number(input['from'] ?? 1),
	);

/** All calls as one, from this segment on. */
export async function allOfHistory(ask: (from: number) => Promise<Verified>, from = 1): Promise<Verified> {
	let all = await ask(from);
	while (all.left > 0) {
		const more = await ask(all.left);
		const sum = (count: 'wrong' | 'accepted' | 'segments' | 'rows' | 'uncompared') => ({
			[count]: all[count] + more[count],
		});
		const counts = { ...sum('wrong'), ...sum('accepted'), ...sum('segments'), ...sum('rows'), ...sum('uncompared') };
		all = { ...more, ...counts, first: all.first ?? more.first, found: [...all.found, ...more.found] };
	}
	return all;
}
