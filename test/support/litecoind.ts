/**
 * A real `litecoind -regtest` for tests, with one wallet, `miner`, which pays. It stands in
 * for Bitcoin and Dash too, which speak the same RPC. Keep the chain below block 431: at 432 MWEB activates, and from
 * then on no block can be mined unless a peg-in was made first.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import { freePort } from '../../src/local/ports.ts';

const START_TRIES = 150;
const START_PAUSE_MILLISECONDS = 100;
/** Coinbase coins can be spent after 100 blocks. */
const MATURE_BLOCKS = 101;
/** On a busy machine more would take longer than a call may. */
const BLOCKS_PER_CALL = 10;

export interface Litecoind {
	readonly url: string;
	walletUrl(name: string): string;
	/** Asks as the miner's wallet. */
	rpc(method: string, ...params: unknown[]): Promise<unknown>;
	/** To the miner, unless said otherwise; returns the hashes of the blocks. */
	mine(blocks: number, address?: string): Promise<string[]>;
	/** Stops it and starts it with more flags: same chain, same wallets, and the mempool as far as it still takes it. */
	restart(flags: readonly string[]): Promise<void>;
	stop(): Promise<void>;
}

/** Of a regtest node, its peers excepted. */
export const litecoindFlags = (directory: string, rpcPort: number): string[] => [
	'-regtest',
	`-datadir=${directory}`,
	'-server',
	'-dnsseed=0',
	'-discover=0',
	'-rpcbind=127.0.0.1',
	'-rpcallowip=127.0.0.1',
	`-rpcport=${rpcPort}`,
	'-rpcuser=test',
	'-rpcpassword=test',
	'-fallbackfee=0.0001',
	// A thousand keys ahead, as by default, take seconds at the start.
	'-keypool=20',
	// Bitcoin's mempool lets a higher fee replace a payment (BIP125); Litecoin's does so only on request.
	'-mempoolreplacement=1',
	'-printtoconsole=0',
];

export const litecoindUrl = (rpcPort: number): string => `http://test:test@127.0.0.1:${rpcPort}/`;

/** `peers`: flags that say whether it has any; alone unless said otherwise. */
export async function startLitecoind(peers: readonly string[] = ['-listen=0']): Promise<Litecoind> {
	const directory = await mkdtemp(join(tmpdir(), 'litecoind-'));
	const port = await freePort();
	const flags = [...litecoindFlags(directory, port), ...peers];
	let node = await launchLitecoind(flags);
	const kill = () => node.kill('SIGKILL');
	process.once('exit', kill);
	const url = litecoindUrl(port);
	const walletUrl = (name: string) => `${url}wallet/${name}`;
	const plain = jsonRpc([url]);
	const miner = jsonRpc([walletUrl('miner')]);

	const litecoind: Litecoind = {
		url,
		walletUrl,
		rpc: (method, ...params) => miner.call(method, ...params),
		async mine(blocks, address) {
			const to = address ?? (await miner.call('getnewaddress'));
			const hashes: string[] = [];
			while (hashes.length < blocks) {
				const part = Math.min(BLOCKS_PER_CALL, blocks - hashes.length);
				hashes.push(...((await miner.call('generatetoaddress', part, to)) as string[]));
			}
			return hashes;
		},
		async restart(more) {
			const wallets = (await plain.call('listwallets')) as string[];
			const exit = once(node, 'exit');
			await plain.call('stop');
			await exit;
			node = await launchLitecoind([...flags, ...more]);
			await untilLitecoindAnswers(node, () => plain.call('getblockchaininfo'));
			for (const name of wallets) await plain.call('loadwallet', name).catch(() => undefined);
		},
		async stop() {
			process.off('exit', kill);
			if (node.exitCode === null && node.signalCode === null) {
				const exit = once(node, 'exit');
				kill();
				await exit;
			}
			await rm(directory, { recursive: true, force: true });
		},
	};
	try {
		await untilLitecoindAnswers(node, () => plain.call('getblockchaininfo'));
		await plain.call('createwallet', 'miner');
		await litecoind.mine(MATURE_BLOCKS);
	} catch (error) {
		await litecoind.stop();
		throw error;
	}
	return litecoind;
}

/** @throws Error that names what is missing: otherwise a skipped test would count as a passed one. */
export async function launchLitecoind(args: readonly string[]): Promise<ChildProcess> {
	const node = spawn('litecoind', args, { stdio: 'ignore' });
	try {
		await once(node, 'spawn');
	} catch (cause) {
		throw new Error('litecoind is not on the PATH; these tests need it (Debian: apt install litecoind)', { cause });
	}
	return node;
}

export async function untilLitecoindAnswers(node: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
	let last: unknown;
	for (let tries = 0; tries < START_TRIES; tries++) {
		if (node.exitCode !== null) throw new Error(`litecoind ended with code ${node.exitCode}`);
		try {
			await ask();
			return;
		} catch (error) {
			last = error;
			await sleep(START_PAUSE_MILLISECONDS);
		}
	}
	throw new Error('litecoind does not answer', { cause: last });
}
