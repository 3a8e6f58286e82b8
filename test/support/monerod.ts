/**
 * Real Monero programs for tests: `monerod --regtest`, a miner's wallet, and for a given seed the view-only wallet and
 * the cold wallet, as an operator has them. Making a wallet takes seconds, and coinbase coins are locked for 60 blocks,
 * so the tests of a file share one instance.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Credentials } from '../../src/chains/monero/digest.ts';
import { hotAddress } from '../../src/chains/monero/keys.ts';
import { createColdWallet, createViewOnlyWallet } from '../../src/chains/monero/new-wallets.ts';
import { moneroRpc } from '../../src/chains/monero/node.ts';
import { freePort } from '../../src/local/ports.ts';

const START_TRIES = 600;
const START_PAUSE_MILLISECONDS = 100;
/**
 * Coinbase coins are locked for 60 blocks; the rest can be spent. To build a ring a wallet searches for 75 outputs that
 * are at least ten blocks deep. Where the chain has slightly fewer, it searches for ever.
 */
const MINED_BLOCKS = 120;
/** A block takes two RandomX hashes, a tenth of a second; on a busy machine ten times that. */
const MINED_PER_CALL = 10;
const PATIENCE_MILLISECONDS = 120_000;
const MINER_SEED = createHash('sha512').update('miner').digest();

// biome-ignore lint/suspicious/noExplicitAny: each test checks the fields of the answer that it uses.
type Answer = any;
type Params = Readonly<Record<string, unknown>>;

export interface Wallet {
	readonly url: string;
	call(method: string, params?: Params): Promise<Answer>;
}

export interface Monero {
	readonly daemonUrl: string;
	readonly minerAddress: string;
	daemon(method: string, params?: Params): Promise<Answer>;
	/** A call to monerod that is not JSON-RPC. */
	post(path: string, body?: Params): Promise<Answer>;
	miner(method: string, params?: Params): Promise<Answer>;
	mine(blocks: number): Promise<void>;
	/** Sends coins of the miner; returns the transaction's id. */
	pay(address: string, piconero: bigint, more?: Params): Promise<string>;
	/** Wallets of a seed, as an operator has them. `login`: the credentials that the wallet asks for. */
	viewOnlyWallet(seed: Uint8Array, login?: Credentials): Promise<Wallet>;
	coldWallet(seed: Uint8Array, login?: Credentials): Promise<Wallet>;
	/** A new address of the miner, without payments yet. */
	recipient(): Promise<string>;
	received(address: string): Promise<bigint>;
	stop(): Promise<void>;
}

export async function startMonero(): Promise<Monero> {
	const directory = await mkdtemp(join(tmpdir(), 'monero-'));
	const programs: ChildProcess[] = [];
	const kill = () => {
		for (const program of programs) program.kill('SIGKILL');
	};
	process.once('exit', kill);
	const stop = async () => {
		process.off('exit', kill);
		const running = programs.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
		const exits = running.map((program) => once(program, 'exit'));
		kill();
		await Promise.all(exits);
		await rm(directory, { recursive: true, force: true });
	};

	async function start(program: string, args: readonly string[], port: number, login?: Credentials): Promise<string> {
		const child = spawn(
			program,
			[...args, '--rpc-bind-ip=127.0.0.1', `--rpc-bind-port=${port}`, '--rpc-ssl=disabled'],
			{
				stdio: 'ignore',
				cwd: directory,
			},
		);
		programs.push(child);
		await once(child, 'spawn').catch((cause: unknown) => {
			throw new Error(`${program} is not on the PATH; these tests need it (Debian: apt install monero)`, { cause });
		});
		const url = `http://${login ? `${login.user}:${encodeURIComponent(login.password)}@` : ''}127.0.0.1:${port}`;
		await answering(child, program, url);
		return url;
	}

	async function startWallet(name: string, args: readonly string[], login?: Credentials): Promise<string> {
		await mkdir(join(directory, name));
		const common = [`--wallet-dir=${name}`, `--log-file=${name}.log`, '--log-level=0'];
		const access = login ? `--rpc-login=${login.user}:${login.password}` : '--disable-rpc-login';
		return start('monero-wallet-rpc', [...common, ...args, access], await freePort(), login);
	}

	try {
		const daemonUrl = await start(
			'monerod',
			[
				...['--regtest', '--offline', '--fixed-difficulty=1', '--no-zmq', '--no-igd', '--non-interactive'],
				...['--data-dir=node', '--log-level=0', '--p2p-bind-ip=127.0.0.1', `--p2p-bind-port=${await freePort()}`],
			],
			await freePort(),
		);
		const online = ['--trusted-daemon', `--daemon-address=${new URL(daemonUrl).host}`];
		const daemonRpc = moneroRpc(daemonUrl, PATIENCE_MILLISECONDS);
		const minerUrl = await startWallet('miner', online);
		const minerRpc = moneroRpc(minerUrl, PATIENCE_MILLISECONDS);
		const miner = (method: string, params: Params = {}): Promise<Answer> => minerRpc.call(z.unknown(), method, params);
		const minerAddress = hotAddress(MINER_SEED);
		let wallets = 0;

		const monero: Monero = {
			daemonUrl,
			minerAddress,
			daemon: (method, params = {}) => daemonRpc.call(z.unknown(), method, params),
			post: (path, body = {}) => daemonRpc.post(z.unknown(), path, body),
			miner,
			async mine(blocks) {
				for (let left = blocks; left > 0; left -= MINED_PER_CALL) {
					const amount = Math.min(left, MINED_PER_CALL);
					await monero.daemon('generateblocks', { amount_of_blocks: amount, wallet_address: minerAddress });
				}
			},
			async pay(address, piconero, more = {}) {
				await miner('refresh');
				const destinations = [{ address, amount: Number(piconero) }];
				return (await miner('transfer', { destinations, ...more })).tx_hash;
			},
			async viewOnlyWallet(seed, login) {
				const url = await startWallet(`view-${wallets++}`, online, login);
				await createViewOnlyWallet(url, seed, NEW_WALLET);
				return walletAt(url);
			},
			async coldWallet(seed, login) {
				const url = await startWallet(`cold-${wallets++}`, ['--offline'], login);
				await createColdWallet(url, seed, NEW_WALLET);
				return walletAt(url);
			},
			recipient: async () => (await miner('create_address', { account_index: 0 })).address,
			async received(address) {
				await miner('refresh');
				const { in: confirmed = [], pool = [] } = await miner('get_transfers', { in: true, pool: true });
				const entries: { address: string; amount: number }[] = [...confirmed, ...pool];
				return entries
					.filter((entry) => entry.address === address)
					.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
			},
			stop,
		};
		await Promise.all([monero.mine(MINED_BLOCKS), createColdWallet(minerUrl, MINER_SEED, NEW_WALLET)]);
		return monero;
	} catch (error) {
		await stop();
		throw error;
	}
}

const NEW_WALLET = { filename: 'wallet', password: '', restoreHeight: 0 };

function walletAt(url: string): Wallet {
	const rpc = moneroRpc(url, PATIENCE_MILLISECONDS);
	return { url, call: (method, params = {}) => rpc.call(z.unknown(), method, params) };
}

async function answering(child: ChildProcess, program: string, url: string): Promise<void> {
	for (let tries = 0; tries < START_TRIES; tries++) {
		if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}`);
		try {
			// Any answer to a method that both programs have shows that it listens.
			await moneroRpc(url).call(z.unknown(), 'get_version');
			return;
		} catch {
			await sleep(START_PAUSE_MILLISECONDS);
		}
	}
	throw new Error(`${program} does not answer`);
}

export interface Tampering {
	/** The body as it is passed on. */
	request?(path: string, body: Answer): Answer;
	/** The answer as it is passed back. */
	response?(path: string, body: Answer, answer: Answer): Answer;
}

export interface Tamperer {
	readonly url: string;
	/** `null` passes everything on unchanged. */
	tamper(tampering: Tampering | null): void;
	stop(): Promise<void>;
}

/** Between the service and one of the programs: an attacker who has taken that program over. */
export async function startTamperer(target: string): Promise<Tamperer> {
	let current: Tampering = {};
	const server = createServer(async (request, response) => {
		try {
			const path = request.url ?? '';
			const text = await textOf(request);
			const body = JSON.parse(text);
			const passed = current.request ? JSON.stringify(current.request(path, body)) : text;
			const answer = await (await fetch(`${target}${path}`, { method: 'POST', body: passed })).text();
			response.setHeader('content-type', 'application/json');
			response.end(current.response ? JSON.stringify(current.response(path, body, JSON.parse(answer))) : answer);
		} catch {
			response.statusCode = 502;
			response.end();
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		tamper(tampering) {
			current = tampering ?? {};
		},
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString('utf8');
}
