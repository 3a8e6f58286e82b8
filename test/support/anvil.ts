/**
 * A real EVM node for a test file: anvil, from npm, on a free port of the loopback interface; and a relay in front of
 * it that counts what is asked and can answer in its place, as nodes do that prune, cannot trace, or lie.
 */
import { spawn } from 'node:child_process';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/local/ports.ts';

const START_MILLISECONDS = 15_000;
/** Longer than any answer of anvil on a busy machine: who waits longer waits for ever. */
const ANSWER_MILLISECONDS = 60_000;
const POLL_MILLISECONDS = 25;
/** So long a relay keeps an idle connection: less than any node does, or it would use one that the node just closes. */
const IDLE_MILLISECONDS = 2_000;
/** Names of npm's platform packages for Node's architectures. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export interface AnvilOptions {
	readonly chainId: number;
	/** `finalized` is two epochs below the head; with one slot, two blocks. */
	readonly slotsInAnEpoch?: number;
	/** A block for each transaction, a moment after it is sent (default); else blocks come from `mine` alone. */
	readonly automine?: boolean;
	/** More of anvil's own flags. */
	readonly flags?: readonly string[];
}

export interface Anvil {
	readonly url: string;
	/** @throws Error with the node's words when it answers an error. */
	rpc(method: string, ...params: unknown[]): Promise<unknown>;
	mine(blocks: number): Promise<void>;
	stop(): Promise<void>;
}

/** As many as anvil keeps of itself, but that puts most on the disk, a megabyte a block, and leaves them there when it is killed. */
const STATES_IN_MEMORY = 4096;
/**
 * EIP-2935: the contract that keeps the hash of each block. Anvil computes its whole storage again for each block, which
 * after a thousand blocks is a millisecond of CPU. Without its code nothing is kept.
 */
const BLOCK_HASHES = '0x0000F90827F1C53a10cb7A02335B175320002935';

/** @throws Error when there is no anvil. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const { chainId, slotsInAnEpoch = 32, automine = true } = options;
	const named = {
		port,
		host: '127.0.0.1',
		'chain-id': chainId,
		'slots-in-an-epoch': slotsInAnEpoch,
		'prune-history': STATES_IN_MEMORY,
	};
	const flags = Object.entries(named).flatMap(([name, value]) => [`--${name}`, String(value)]);
	if (!automine) flags.push('--no-mining');
	flags.push(...(options.flags ?? []));
	const child = spawn(anvilBinary(), [...flags, '--silent'], { stdio: ['ignore', 'ignore', 'pipe'] });
	let ended: string | null = null;
	let errors = '';
	child.stderr.on('data', (chunk) => {
		errors += String(chunk);
	});
	const exited = new Promise<void>((resolve) => {
		child.once('error', (error) => {
			ended = error.message;
			resolve();
		});
		child.once('exit', (code, signal) => {
			ended = `it ended with ${code ?? signal}: ${errors.trim()}`;
			resolve();
		});
	});
	const killWithUs = (): void => void child.kill('SIGKILL');
	process.once('exit', killWithUs);

	const rpc = (method: string, ...params: unknown[]): Promise<unknown> => askAnvil(url, method, params);
	const deadline = Date.now() + START_MILLISECONDS;
	while (!(await rpc('eth_chainId').catch(() => null))) {
		if (ended !== null || Date.now() > deadline) {
			child.kill('SIGKILL');
			throw new Error(`anvil did not start; is @foundry-rs/anvil installed? ${ended ?? 'it does not answer'}`);
		}
		await sleep(POLL_MILLISECONDS);
	}
	await rpc('anvil_setCode', BLOCK_HASHES, '0x');
	return {
		url,
		rpc,
		async mine(blocks) {
			await rpc('anvil_mine', `0x${blocks.toString(16)}`);
		},
		async stop() {
			process.off('exit', killWithUs);
			child.kill('SIGKILL');
			await exited;
		},
	};
}

/** The binary itself, not the script that npm links: that one would leave it running when it is killed. */
export function anvilBinary(): string {
	const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
	try {
		const beside = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
		return beside.resolve(`${name}/bin/anvil`);
	} catch {
		// Installed otherwise, by Foundry's own installer perhaps.
		return 'anvil';
	}
}

/**
 * The last question to each anvil. Questions of the tests, and of the services behind relays, come to it one after the
 * other: one that mines while it answers another can lock itself out for ever (foundry issue 10452 and its like).
 */
const lastQuestions = new Map<string, Promise<unknown>>();

function inTurn<T>(url: string, ask: () => Promise<T>): Promise<T> {
	const answer = (lastQuestions.get(url) ?? Promise.resolve()).then(ask);
	const answered = answer.catch(() => undefined);
	lastQuestions.set(url, answered);
	return answer;
}

/** @throws Error with the node's words when it answers an error, and when it does not answer. */
export async function askAnvil(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
	const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
	const { result, error } = await inTurn(url, async () => {
		const headers = { 'content-type': 'application/json' };
		const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
		const response = await fetch(url, { method: 'POST', headers, body, signal }).catch((cause) => {
			throw new Error(`anvil gives no answer to ${method}`, { cause });
		});
		return (await response.json()) as { result?: unknown; error?: { message: string } };
	});
	if (error) throw new Error(`${method}: ${error.message}`);
	return result;
}

/** Addresses that nobody has a key for: where many are needed, deriving them would take longer than the test. */
export const strangers = (count: number): string[] =>
	Array.from({ length: count }, (_, at) => `0x57a4${at.toString(16).padStart(36, '0')}`);

export interface RpcCall {
	readonly id: unknown;
	readonly method: string;
	readonly params: readonly unknown[];
}

export type Intercepted =
	| { readonly result: unknown }
	| { readonly error: { readonly code: number; readonly message: string } }
	| undefined;

/** `undefined` passes the call on to the node; a promise delays the answer. */
export type Interception = (call: RpcCall) => Intercepted | Promise<Intercepted>;

export interface Relay {
	readonly url: string;
	/** Every call since the start, oldest first, those inside batches too. */
	readonly calls: readonly RpcCall[];
	intercept(interception: Interception): void;
	stop(): Promise<void>;
}

/** `target`: the node's URL; without one, the interception must answer everything. */
export async function startRelay(target: string | null, interception: Interception = () => undefined): Promise<Relay> {
	const calls: RpcCall[] = [];
	let current = interception;

	// A service asks about twenty times a second: `fetch`, and reading what the node answers, would take most of a test's CPU.
	const agent = new Agent({ keepAlive: true, timeout: IDLE_MILLISECONDS });
	const url = target ?? '';
	const sent = (text: string) =>
		new Promise<string>((resolve, reject) => {
			const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
			request(url, { method: 'POST', agent, headers }, (answer) => textOf(answer).then(resolve, reject))
				.on('error', reject)
				.setTimeout(ANSWER_MILLISECONDS, () => reject(new Error('the node behind the relay gives no answer')))
				.end(text);
		});
	const forwarded = (text: string) => inTurn(url, () => sent(text));

	async function own(call: RpcCall): Promise<string | null> {
		calls.push(call);
		const intercepted = await current(call);
		return intercepted ? JSON.stringify({ jsonrpc: '2.0', id: call.id, ...intercepted }) : null;
	}

	/** What nobody intercepts goes on as it came. */
	async function answerTo(text: string): Promise<string> {
		const body = JSON.parse(text) as RpcCall | RpcCall[];
		if (!Array.isArray(body)) return (await own(body)) ?? forwarded(text);
		const owns = await Promise.all(body.map(own));
		if (owns.every((each) => each === null)) return forwarded(text);
		const answers = owns.map((each, i) => each ?? forwarded(JSON.stringify(body[i])));
		return `[${(await Promise.all(answers)).join()}]`;
	}

	const server = createServer(async (request, response) => {
		try {
			const answer = await answerTo(await textOf(request));
			response.setHeader('content-type', 'application/json');
			response.end(answer);
		} catch {
			response.statusCode = 502;
			response.end();
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		calls,
		intercept(interception) {
			current = interception;
		},
		stop: () =>
			new Promise((resolve) => {
				agent.destroy();
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

/** Names of those questions that call `method`; the others have the same answer whatever it says. @throws where none does */
export async function questionsThatCall(
	relay: Relay,
	method: string,
	questions: Readonly<Record<string, () => Promise<void>>>,
): Promise<Set<string>> {
	const calling = new Set<string>();
	for (const [question, ask] of Object.entries(questions)) {
		const before = relay.calls.length;
		await ask();
		if (relay.calls.slice(before).some((call) => call.method === method)) calling.add(question);
	}
	if (calling.size === 0) throw new Error(`nothing calls ${method}`);
	return calling;
}

/** Ten coins to a wallet, in a block. Returns the account that paid them. */
export async function fill(anvil: Anvil, wallet: string): Promise<string> {
	const [payer = ''] = (await anvil.rpc('eth_accounts')) as string[];
	await anvil.rpc('eth_sendTransaction', { from: payer, to: wallet, value: '0x8ac7230489e80000' });
	await anvil.mine(1);
	return payer;
}
