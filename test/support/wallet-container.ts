/**
 * Stands for `ctx.container` of Cloudflare Containers, by its documentation, with the real monero-wallet-rpc of this
 * machine in it: the same words start it, on a disk that is empty at each start. The two things that a network of its own
 * gives a container are exchanged in these words: the port where its program listens, and the address of monerod.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { WalletContainer, WalletDaemon } from '../../src/chains/monero/wallet-container.ts';
import { handOn } from '../../src/chains/rpc/hand-on.ts';
import { freePort } from '../../src/local/ports.ts';
import { COLD_COMMAND, DAEMON_ADDRESS, PORT, VIEW_COMMAND } from '../../src/signer/wallets/command.ts';
import { ProgramInContainer } from '../../src/signer/wallets/program.ts';

export interface ContainedWallet {
	/** What the signer asks, as the object of the wallets Worker. */
	readonly object: WalletContainer;
	/** Times that the container was started. */
	starts(): number;
	/** As the platform may end it: at once, with all that is in it. */
	kill(): Promise<void>;
	/** What the alarm of the object does. */
	sleep(): Promise<void>;
	stop(): Promise<void>;
}

export async function startContainedWallet(kind: 'view' | 'cold'): Promise<ContainedWallet> {
	const container = new LocalContainer(await freePort());
	await container.open();
	const host = { container: container as unknown as Container, storage: { setAlarm: async () => undefined } };
	const program = new ProgramInContainer(
		{ ...host, waitUntil: () => undefined },
		kind === 'cold'
			? { command: COLD_COMMAND, sleepsAfterMilliseconds: 1 }
			: { command: VIEW_COMMAND, sleepsAfterMilliseconds: 1, daemonAt },
	);
	return {
		object: program,
		starts: () => container.starts,
		kill: () => container.destroy(),
		sleep: () => program.sleep(),
		stop: () => container.close(),
	};
}

/** As the entrypoint `Daemon`. */
const daemonAt = (daemon: WalletDaemon): Fetcher =>
	({ fetch: (request: Request) => handOn(request, daemon) }) as unknown as Fetcher;

class LocalContainer {
	starts = 0;
	readonly #port: number;
	#program: ChildProcess | null = null;
	/** By the address that the container sends to. */
	readonly #intercepts = new Map<string, Fetcher>();
	/** The only way out of the container: to what intercepts it. */
	readonly #way = createServer(async (request, response) => {
		const fetcher = this.#intercepts.get(DAEMON_ADDRESS);
		if (!fetcher) return response.destroy();
		const headers = { 'content-type': request.headers['content-type'] ?? '' };
		const body = await buffer(request);
		const sent = new Request(`http://${DAEMON_ADDRESS}${request.url}`, { method: 'POST', headers, body });
		const answer = await fetcher.fetch(sent as unknown as string);
		response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
		return response.end(Buffer.from(await answer.arrayBuffer()));
	});
	readonly #kill = () => this.#program?.kill('SIGKILL');

	/** `port`: where its program listens on this machine. */
	constructor(port: number) {
		this.#port = port;
		process.once('exit', this.#kill);
	}

	async open(): Promise<void> {
		this.#way.listen(0, '127.0.0.1');
		await once(this.#way, 'listening');
	}

	async close(): Promise<void> {
		await this.destroy();
		process.off('exit', this.#kill);
		this.#way.close();
		this.#way.closeAllConnections();
	}

	get running(): boolean {
		return this.#program !== null;
	}

	start({ entrypoint = [], enableInternet }: ContainerStartupOptions): void {
		if (this.#program) throw new Error('start() cannot be called on a container that is already running.');
		if (enableInternet) throw new Error('a wallet with the internet');
		this.starts += 1;
		this.#intercepts.clear();
		const { port: daemonPort } = this.#way.address() as AddressInfo;
		const here: Record<string, string> = {
			'--rpc-bind-ip=0.0.0.0': '--rpc-bind-ip=127.0.0.1',
			[`--rpc-bind-port=${PORT}`]: `--rpc-bind-port=${this.#port}`,
			[`--daemon-address=${DAEMON_ADDRESS}`]: `--daemon-address=127.0.0.1:${daemonPort}`,
		};
		const [command = '', ...words] = entrypoint.map((word) => here[word] ?? word);
		const disk = mkdtempSync(join(tmpdir(), 'container-'));
		const program = spawn(command, words, { cwd: disk, stdio: 'ignore' });
		program.once('exit', () => {
			if (this.#program === program) this.#program = null;
			rmSync(disk, { recursive: true, force: true });
		});
		this.#program = program;
	}

	getTcpPort(port: number) {
		if (port !== PORT) throw new Error(`nothing listens at ${port}`);
		return {
			fetch: (url: string, request: RequestInit) =>
				fetch(url.replace('http://wallet/', `http://127.0.0.1:${this.#port}/`), request),
		};
	}

	async interceptOutboundHttp(address: string, fetcher: Fetcher): Promise<void> {
		this.#intercepts.set(address, fetcher);
	}

	async monitor(): Promise<void> {
		const program = this.#program;
		if (!program) return;
		const [code] = await once(program, 'exit');
		if (code !== 0) throw new Error(`container exited with unexpected exit code: ${code}`);
	}

	async destroy(): Promise<void> {
		const program = this.#program;
		if (!program) return;
		const exited = once(program, 'exit');
		program.kill('SIGKILL');
		await exited;
	}
}
