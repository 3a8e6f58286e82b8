import { runSeed } from './run.ts';
import { bundledCodes } from './platform/code.ts';
const codes = await bundledCodes();
const [from = '1', to = from, trace] = process.argv.slice(2);
for (let seed = Number(from); seed <= Number(to); seed++) {
	const c0 = process.cpuUsage().user;
	const o = await runSeed(codes, seed, { traced: !!trace });
	console.log(seed, o.faults, 'faults', o.effects, 'effects', o.orders, 'orders', o.archived, 'archived', o.digest, `${((process.cpuUsage().user - c0) / 1e6).toFixed(1)} s`, o.broken.slice(0, 6));
	if (trace) { console.log(o.lines.slice(-20).join('\n')); (await import('node:fs')).writeFileSync('/tmp/b11/trace.txt', (o.trace ?? []).join('\n')); }
}
