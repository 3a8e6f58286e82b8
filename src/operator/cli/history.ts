/** `history verify`, call by call: one call of the service compares so much of the chain. */
import type { Verified } from '../chained/verify.ts';
import type { Input } from './parse.ts';
import { type Environment, send } from './service.ts';

export async function verifiedHistory(input: Input, environment: Environment): Promise<Verified> {
	const ask = (from: Input) => send('history/verify', { ...input, ...from }, environment) as Promise<Verified>;
	let all = await ask({});
	while (all.left > 0) {
		const more = await ask({ from: all.left });
		const sum = (count: 'wrong' | 'accepted' | 'segments' | 'rows' | 'uncompared') => ({
			[count]: all[count] + more[count],
		});
		const counts = { ...sum('wrong'), ...sum('accepted'), ...sum('segments'), ...sum('rows'), ...sum('uncompared') };
		all = { ...more, ...counts, first: all.first ?? more.first, found: [...all.found, ...more.found] };
	}
	return all;
}
