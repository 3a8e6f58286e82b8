/** Monero's wallets in containers: how their objects start them and let them sleep, and how the signer finds them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { moneroSigningNode } from '../../src/chains/monero/node-config.ts';
import { handOn } from '../../src/chains/rpc/hand-on.ts';
import { COLD_COMMAND, VIEW_COMMAND } from '../../src/signer/wallets/command.ts';
import { type Program, ProgramInContainer } from '../../src/signer/wallets/program.ts';
import { keepingOf } from '../support/keeping.ts';

const MINUTE = 60_000;

/** A container in which something answers at once, and what its object was asked to do with it. */
function world(program: Partial<Program> = {}) {
	let running = false;
	const done: unknown[] = [];
	const ended = Promise.withResolvers<void>();
	const container = {
		get running() {
			return running;
		},
		start: (options: object) => {
			running = true;
			done.push(options);
		},
		monitor: () => ended.promise,
		destroy: async () => {
			running = false;
			done.push('destroyed');
		},
		getTcpPort: () => ({ fetch: async () => new Response('answer') }),
		interceptOutboundHttp: async (address: string) => void done.push(`to ${address}`),
	};
	const alarms: number[] = [];
	const host = {
		container: container as unknown as Container,
		storage: { setAlarm: async (at: number | Date) => void alarms.push(Number(at) - Date.now()) },
		waitUntil: () => undefined,
	};
	const whole = { command: COLD_COMMAND, sleepsAfterMilliseconds: 10 * MINUTE, ...program };
	return { host, done, alarms, object: new ProgramInContainer(host, whole), container };
}

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
	vi.useRealTimers();
});

it('a call starts the wallet without the internet, the next one finds it running, and a sleep ends it', async () => {
	const { object, done } = world();
	expect(await (await object.ask('{}', 1_000)).text()).toBe('answer');
	await object.ask('{}', 1_000);
	await object.sleep();
	await object.sleep();
	const started = { entrypoint: COLD_COMMAND, enableInternet: false };
	expect(done).toEqual([started, 'destroyed']);
	await object.ask('{}', 1_000);
	expect(done).toEqual([started, 'destroyed', started]);
});

it('the sleep is put off by calls, at most once a minute, and never comes in the middle of one', async () => {
	const { object, done, alarms, container } = world();
	await object.ask('{}', 1_000);
	vi.setSystemTime(Date.now() + MINUTE - 1);
	await object.ask('{}', 1_000);
	vi.setSystemTime(Date.now() + 1);
	await object.ask('{}', 1_000);
	expect(alarms).toEqual([10 * MINUTE, 10 * MINUTE]);
	const answer = Promise.withResolvers<Response>();
	container.getTcpPort = () => ({ fetch: () => answer.promise });
	const asking = object.ask('{}', 1_000);
	vi.setSystemTime(Date.now() + 10 * MINUTE);
	await object.sleep();
	expect(done).toHaveLength(1);
	expect(alarms).toHaveLength(3);
	answer.resolve(new Response('late'));
	expect(await (await asking).text()).toBe('late');
});

it('the view-only wallet reaches the daemon that the signer names, the newest one; the offline one reaches none', async () => {
	const daemonAt = vi.fn(() => ({}) as Fetcher);
	const view = world({ command: VIEW_COMMAND, daemonAt });
	const [one, other] = [{ urls: ['https://one.example'] }, { urls: ['https://other.example'] }];
	for (const daemon of [one, one, other]) await view.object.ask('{}', 1_000, daemon);
	expect(view.done.slice(1)).toEqual(['to 192.0.2.1:80', 'to 192.0.2.1:80']);
	expect(daemonAt.mock.calls).toEqual([[one], [other]]);
	const cold = world();
	await cold.object.ask('{}', 1_000, one);
	expect(cold.done).toHaveLength(1);
	expect([VIEW_COMMAND.includes('--offline'), COLD_COMMAND.includes('--offline')]).toEqual([false, true]);
});

it('an object without a container says so', async () => {
	const { host } = world();
	const { container: _, ...without } = host;
	const object = new ProgramInContainer(without, { command: COLD_COMMAND, sleepsAfterMilliseconds: MINUTE });
	await expect(object.ask('{}', 1_000)).rejects.toThrow('without containers');
});

const NODE = { urls: ['https://monerod.example'], chain: 'main' } as const;
const MEANS = { keeping: keepingOf(), addressesBelow: () => 0, MONERO_WALLET_URL: 'container' };

it('a wallet whose variable is `container` needs the bindings; the other one may be anywhere else', () => {
	const [ask, url] = [vi.fn(), 'https://wallet.example'];
	const bound = { walletContainers: () => ({ wallet: { ask }, cold: { ask } }) };
	expect(() => moneroSigningNode(NODE, { ...MEANS, MONERO_COLD_WALLET_URL: url })).toThrow(
		'without its bindings to the wallets Worker',
	);
	const node = moneroSigningNode(NODE, { ...MEANS, ...bound, MONERO_COLD_WALLET_URL: url });
	expect([node.coldWalletUrl, node.sendToColdWallet, typeof node.sendToWallet]).toEqual([url, undefined, 'function']);
});

it("what the view-only wallet asks its daemon goes to the first that answers, with the operator's headers and password", async () => {
	const got: unknown[] = [];
	const server: Server = createServer((request, response) => {
		const { url, headers } = request;
		got.push([url, headers.authorization, headers['cf-access-client-id'], headers['content-type']]);
		request.resume();
		response.end('blocks');
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	try {
		const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
		const sent = new Request('http://192.0.2.1/getblocks.bin', {
			method: 'POST',
			headers: { 'content-type': 'application/octet-stream' },
			body: 'epee',
		});
		const urls = ['http://127.0.0.1:1', `http://user:word@${host}/key`];
		const headers = { [host]: { 'CF-Access-Client-Id': 'id' } };
		expect(await (await handOn(sent, { urls, headers })).text()).toBe('blocks');
		const basic = `Basic ${btoa('user:word')}`;
		expect(got).toEqual([['/key/getblocks.bin', basic, 'id', 'application/octet-stream']]);
	} finally {
		server.close();
		server.closeAllConnections();
	}
});
