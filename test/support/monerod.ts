/**
 * Real Monero programs for tests: `monerod --regtest`, a miner's wallet, and for a given seed the view-only wallet and
 * the cold wallet, as an operator has them. Making a wallet takes seconds, and coinbase coins are locked for 60 blocks,
 * so the tests of a file share one instance, and all files start from one chain.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import * as z from 'zod';
import { walletRpc } from '../../src/chains/monero/digest.ts';
import { hotAddress } from '../../src/chains/monero/keys.ts';
import { createColdWallet, createViewOnlyWallet } from '../../src/chains/monero/new-wallets.ts';
import { type Credentials, moneroRpc } from '../../src/chains/monero/node.ts';
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
const MINER_ADDRESS = hotAddress(MINER_SEED);

// biome-ignore lint/suspicious/noExplicitAny: each test checks the fields of the answer that it uses.
type Answer = any;
type Params = Readonly<Record<string, unknown>>;

export interface Wallet {
	readonly url: string;
	call(method: string, params?: Params): Promise<Answer>;
}

export interface WalletProgram {
	readonly url: string;
	/** Kills it at once, and starts it again at the same place. `isEmptied`: without its files. */
	again(isEmptied: boolean): Promise<void>;
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
	/** A wallet program without a wallet. */
	walletProgram(isOffline: boolean): Promise<WalletProgram>;
	/** A new address of the miner, without payments yet. */
	recipient(): Promise<string>;
	received(address: string): Promise<bigint>;
	stop(): Promise<void>;
}

/**
 * The chain and the miner's wallet as every test file finds them, below the folder of the run. Where nothing has made them
 * ahead, the first does.
 */
const TEMPLATE = 'monero-template';
const READY = 'ready';
const TEMPLATE_PAUSE_MILLISECONDS = 200;
const TEMPLATE_TRIES = 1200;

/**
 * Waits for another process that makes it. Making the folder is atomic: one process wins, and removes it where it fails.
 * @throws after 4 minutes
 */
export async function templateDirectory(stateFolders: string): Promise<string> {
	const directory = join(stateFolders, TEMPLATE);
	for (let tries = 0; !existsSync(join(directory, READY)); tries++) {
		if (tries > TEMPLATE_TRIES) throw new Error('the Monero chain of the tests was not made in time');
		const isOurs = await mkdir(directory).then(
			() => true,
			() => false,
		);
		if (isOurs) await makeTemplate(directory);
		else await sleep(TEMPLATE_PAUSE_MILLISECONDS);
	}
	return directory;
}

async function makeTemplate(directory: string): Promise<void> {
	const programs = new Programs(directory);
	try {
		const { daemon, miner } = await startPrograms(programs);
		await Promise.all([mine(daemon, MINED_BLOCKS), createColdWallet(miner.url, MINER_SEED, NEW_WALLET)]);
		await miner.call('refresh');
		// Both write what they have in memory.
		await miner.call('stop_wallet');
		await daemon.post('stop_daemon');
		await programs.ended();
		await writeFile(join(directory, READY), '');
	} catch (error) {
		await rm(directory, { recursive: true, force: true });
		throw error;
	} finally {
		await programs.kill();
	}
}

/** monerod and the miner's wallet program. */
async function startPrograms(programs: Programs) {
	const daemonUrl = await programs.start(
		'monerod',
		[
			'--regtest',
			'--keep-fakechain',
			'--offline',
			'--fixed-difficulty=1',
			'--no-zmq',
			'--no-igd',
			'--non-interactive',
			'--data-dir=node',
			'--log-level=0',
			'--p2p-bind-ip=127.0.0.1',
			`--p2p-bind-port=${await freePort()}`,
		],
		await freePort(),
	);
	const online = ['--trusted-daemon', `--daemon-address=${new URL(daemonUrl).host}`];
	const rpc = moneroRpc(daemonUrl, { timeoutMilliseconds: PATIENCE_MILLISECONDS });
	const daemon = {
		url: daemonUrl,
		call: (method: string, params: Params = {}): Promise<Answer> => rpc.call(z.unknown(), method, params),
		post: (path: string, body: Params = {}): Promise<Answer> => rpc.post(z.unknown(), path, body),
	};
	return { daemon, online, miner: walletAt(await programs.startWallet('miner', online)) };
}

async function mine(daemon: Pick<Wallet, 'call'>, blocks: number): Promise<void> {
	for (let left = blocks; left > 0; left -= MINED_PER_CALL) {
		const amount = Math.min(left, MINED_PER_CALL);
		await daemon.call('generateblocks', { amount_of_blocks: amount, wallet_address: MINER_ADDRESS });
	}
}

/** Programs that share a folder, and end with this process. */
class Programs {
	readonly #running: ChildProcess[] = [];
	readonly directory: string;
	readonly #kill = () => {
		for (const program of this.#running) program.kill('SIGKILL');
	};

	constructor(directory: string) {
		this.directory = directory;
		process.once('exit', this.#kill);
	}

	async start(program: string, args: readonly string[], port: number, login?: Credentials): Promise<string> {
		const access = ['--rpc-bind-ip=127.0.0.1', `--rpc-bind-port=${port}`, '--rpc-ssl=disabled'];
		const child = spawn(program, [...args, ...access], { stdio: 'ignore', cwd: this.directory });
		this.#running.push(child);
		await once(child, 'spawn').catch((cause: unknown) => {
			throw new Error(`${program} is not on the PATH; these tests need it (Debian: apt install monero)`, { cause });
		});
		const url = `http://${login ? `${login.user}:${encodeURIComponent(login.password)}@` : ''}127.0.0.1:${port}`;
		await answering(child, program, url);
		return url;
	}

	/** Kills what listens at this port. */
	async killAt(port: number): Promise<void> {
		const child = this.#running.findLast(({ spawnargs }) => spawnargs.includes(`--rpc-bind-port=${port}`));
		if (!child) throw new Error(`nothing was started at port ${port}`);
		const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
		child.kill('SIGKILL');
		await exited;
	}

	async startWallet(name: string, args: readonly string[], login?: Credentials, at?: number): Promise<string> {
		await mkdir(join(this.directory, name), { recursive: true });
		// For TLS a wallet would make an RSA key whenever it opens: seconds.
		// Without a memory of rings: a coin that a reorganisation moved could not be spent any more.
		const rings = ['--shared-ringdb-dir', ''];
		const common = [
			...rings,
			`--wallet-dir=${name}`,
			`--log-file=${name}.log`,
			'--log-level=0',
			'--daemon-ssl=disabled',
		];
		const access = login ? `--rpc-login=${login.user}:${login.password}` : '--disable-rpc-login';
		return this.start('monero-wallet-rpc', [...common, ...args, access], at ?? (await freePort()), login);
	}

	async ended(): Promise<void> {
		const running = this.#running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
		await Promise.all(running.map((program) => once(program, 'exit')));
	}

	async kill(): Promise<void> {
		process.off('exit', this.#kill);
		const ended = this.ended();
		this.#kill();
		await ended;
	}
}

export async function startMonero(): Promise<Monero> {
	const template = await templateDirectory(inject('stateFolders'));
	const directory = await mkdtemp(join(tmpdir(), 'monero-'));
	await cp(template, directory, { recursive: true });
	const programs = new Programs(directory);
	const stop = async () => {
		await programs.kill();
		await rm(directory, { recursive: true, force: true });
	};
	try {
		const { daemon, online, miner } = await startPrograms(programs);
		await miner.call('open_wallet', { filename: NEW_WALLET.filename, password: NEW_WALLET.password });
		return moneroOn({ programs, daemon, online, miner, stop });
	} catch (error) {
		await stop();
		throw error;
	}
}

interface Started {
	readonly programs: Programs;
	readonly daemon: Awaited<ReturnType<typeof startPrograms>>['daemon'];
	readonly online: readonly string[];
	readonly miner: Wallet;
	readonly stop: () => Promise<void>;
}

function moneroOn({ programs, daemon, online, miner: { call: miner }, stop }: Started): Monero {
	let wallets = 0;
	return {
		daemonUrl: daemon.url,
		minerAddress: MINER_ADDRESS,
		daemon: daemon.call,
		post: daemon.post,
		miner,
		mine: (blocks) => mine(daemon, blocks),
		async pay(address, piconero, more = {}) {
			await miner('refresh');
			const destinations = [{ address, amount: Number(piconero) }];
			return (await miner('transfer', { destinations, ...more })).tx_hash;
		},
		async viewOnlyWallet(seed, login) {
			const url = await programs.startWallet(`view-${wallets++}`, online, login);
			await createViewOnlyWallet(url, seed, NEW_WALLET);
			return walletAt(url);
		},
		async coldWallet(seed, login) {
			const url = await programs.startWallet(`cold-${wallets++}`, ['--offline'], login);
			await createColdWallet(url, seed, NEW_WALLET);
			return walletAt(url);
		},
		async walletProgram(isOffline) {
			const name = `program-${wallets++}`;
			const args = isOffline ? ['--offline'] : online;
			const url = await programs.startWallet(name, args);
			const port = Number(new URL(url).port);
			return {
				url,
				async again(isEmptied) {
					await programs.killAt(port);
					if (isEmptied) await rm(join(programs.directory, name), { recursive: true, force: true });
					await programs.startWallet(name, args, undefined, port);
				},
			};
		},
		recipient: async () => (await miner('create_address', { account_index: 0 })).address,
		async received(address) {
			await miner('refresh');
			const { in: confirmed = [], pool = [] } = await miner('get_transfers', { in: true, pool: true });
			const entries: { address: string; amount: number }[] = [...confirmed, ...pool];
			return entries.filter((entry) => entry.address === address).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
		},
		stop,
	};
}

const NEW_WALLET = { filename: 'wallet', password: '', restoreHeight: 0 };

function walletAt(url: string): Wallet {
	const rpc = walletRpc(url, { timeoutMilliseconds: PATIENCE_MILLISECONDS });
	return { url, call: (method, params = {}) => rpc.call(z.unknown(), method, params) };
}

async function answering(child: ChildProcess, program: string, url: string): Promise<void> {
	for (let tries = 0; tries < START_TRIES; tries++) {
		if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}`);
		try {
			// Any answer to a method that both programs have shows that it listens.
			await walletRpc(url).call(z.unknown(), 'get_version');
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
	/** Of each call its method, or its path where it is not JSON-RPC. */
	readonly calls: string[];
	/** `null` passes everything on unchanged. */
	tamper(tampering: Tampering | null): void;
	stop(): Promise<void>;
}

/** Between the service and one of the programs: an attacker who has taken that program over. */
export async function startTamperer(target: string): Promise<Tamperer> {
	let current: Tampering = {};
	const calls: string[] = [];
	const server = createServer(async (request, response) => {
		try {
			const path = request.url ?? '';
			const sent = await bytesOf(request);
			const isJson = request.headers['content-type']?.includes('json') || sent.toString().startsWith('{');
			calls.push((isJson && JSON.parse(sent.toString()).method) || path);
			// What a wallet asks its monerod for is partly binary, and passes unchanged.
			if (!isJson)
				return response.end(
					Buffer.from(await (await fetch(`${target}${path}`, { method: 'POST', body: sent })).arrayBuffer()),
				);
			const text = sent.toString('utf8');
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
		calls,
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

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}
