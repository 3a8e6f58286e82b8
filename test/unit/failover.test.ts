/** Which node of a network is asked, and when (book: deploy, "Networks on nodes"). */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { failover } from '../../src/chains/rpc/failover.ts';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import { startRelay } from '../support/anvil.ts';
import { startLyingNode } from '../support/lying-node.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
/** One timeout is ten seconds, two are twenty. */
const ONE_TIMEOUT_MILLISECONDS = 15_000;

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Nodes by their names. `asked` lists the names in the order in which they were asked. */
function nodesNamed(...names: string[]) {
	const asked: string[] = [];
	const failing = new Map<string, Error>();
	const use = failover(names.map((name) => async () => name));
	const ask = () =>
		use(async (name) => {
			asked.push(name);
			const error = failing.get(name);
			if (error) throw error;
			return name;
		});
	return { ask, failing, asked: () => asked.splice(0).join(' ') };
}

it('a node that did not answer is asked last for a minute, and then in its place again', async () => {
	const { ask, failing, asked } = nodesNamed('first', 'second');
	failing.set('first', new ChainUnavailable('down'));
	expect([await ask(), asked()]).toEqual(['second', 'first second']);
	failing.clear();
	vi.setSystemTime(NOW + MINUTE - 1);
	expect([await ask(), asked()]).toEqual(['second', 'second']);
	vi.setSystemTime(NOW + MINUTE);
	expect([await ask(), asked()]).toEqual(['first', 'first']);
});

it('nodes that all failed are all asked, in order of preference', async () => {
	const { ask, failing, asked } = nodesNamed('first', 'second', 'third');
	for (const name of ['first', 'second', 'third']) failing.set(name, new ChainUnavailable(`${name} is down`));
	await expect(ask()).rejects.toThrow('first is down; second is down; third is down');
	await expect(ask()).rejects.toThrow(ChainUnavailable);
	expect(asked()).toBe('first second third first second third');
});

it('a node that was asked last and answers is in its place again at once', async () => {
	const { ask, failing, asked } = nodesNamed('first', 'second');
	failing.set('first', new ChainUnavailable('down'));
	await ask();
	failing.clear();
	failing.set('second', new ChainUnavailable('down'));
	await ask();
	await ask();
	expect(asked()).toBe('first second second first first');
});

it('a node whose answer is too large, or that refuses the request, stays in its place', async () => {
	const { ask, failing, asked } = nodesNamed('first', 'second');
	failing.set('first', new ChainUnavailable('too much', { tooLarge: true }));
	await ask();
	failing.set('first', new Error('no'));
	await expect(ask()).rejects.toThrow('no');
	expect(asked()).toBe('first second first');
});

it('a node that hangs costs two calls one timeout', async () => {
	const [hanging, healthy] = await Promise.all([
		startLyingNode('silence'),
		startRelay(null, () => ({ result: '0x10' })),
	]);
	try {
		const rpc = jsonRpc([hanging.url, healthy.url]);
		const started = performance.now();
		expect([await rpc.call('eth_blockNumber'), await rpc.call('eth_blockNumber')]).toEqual(['0x10', '0x10']);
		expect(performance.now() - started).toBeLessThan(ONE_TIMEOUT_MILLISECONDS);
		expect(hanging.requests()).toBe(1);
	} finally {
		await Promise.all([hanging.stop(), healthy.stop()]);
	}
}, 60_000);
