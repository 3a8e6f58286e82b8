/**
 * A wallet program in the container of its object. Nothing in it is kept: a container has an empty disk at each start, and
 * the signer makes the wallet again (`chains/monero/remade.ts`). It starts with the first call, and sleeps when nobody has
 * called for a while.
 */
import type { WalletDaemon } from '../../chains/monero/wallet-container.ts';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { DAEMON_ADDRESS, PORT } from './command.ts';

/** The parts of a Durable Object's context that are used. */
export interface Host {
	readonly container?: Container;
	readonly storage: Pick<DurableObjectStorage, 'setAlarm'>;
	waitUntil(promise: Promise<unknown>): void;
}

export interface Program {
	readonly command: readonly string[];
	/** So long nobody has called when it goes to sleep. */
	readonly sleepsAfterMilliseconds: number;
	/** Answers in monerod's place; absent where the program has no network. */
	readonly daemonAt?: (daemon: WalletDaemon) => Fetcher;
}

/** A program listens after some seconds: until then a call is tried again. */
const STARTING_MILLISECONDS = 30_000;
const STARTING_PAUSE_MILLISECONDS = 200;
/** The alarm is moved on at most this often. */
const POSTPONED_MILLISECONDS = MINUTE_MILLISECONDS;

export class ProgramInContainer {
	readonly #host: Host;
	readonly #program: Program;
	/** Calls that wait for their answer. */
	#asked = 0;
	/** Both in Unix milliseconds. */
	#postponedAt = 0;
	#startedAt = 0;
	/** The daemon that the running container reaches. */
	#daemon = '';

	constructor(host: Host, program: Program) {
		this.#host = host;
		this.#program = program;
		if (host.container?.running) this.#follow(host.container);
	}

	/** As `WalletContainer`. */
	async ask(body: string, timeoutMilliseconds: number, daemon?: WalletDaemon): Promise<Response> {
		const { container } = this.#host;
		if (!container) throw new Error('its Worker was deployed without containers');
		this.#asked += 1;
		try {
			await this.#postponeSleep();
			if (!container.running) this.#start(container);
			if (daemon) await this.#reach(container, daemon);
			return await this.#call(container, body, AbortSignal.timeout(timeoutMilliseconds));
		} finally {
			this.#asked -= 1;
		}
	}

	/** The alarm of the object. */
	async sleep(): Promise<void> {
		if (this.#asked > 0) await this.#postponeSleep();
		else if (this.#host.container?.running) await this.#host.container.destroy();
	}

	async #call(container: Container, body: string, signal: AbortSignal): Promise<Response> {
		const headers = { 'content-type': 'application/json' };
		for (;;) {
			try {
				return await container
					.getTcpPort(PORT)
					.fetch('http://wallet/json_rpc', { method: 'POST', headers, body, signal });
			} catch (error) {
				const isStarting = container.running && Date.now() - this.#startedAt < STARTING_MILLISECONDS;
				if (signal.aborted || !isStarting) throw error;
				await new Promise((wait) => setTimeout(wait, STARTING_PAUSE_MILLISECONDS));
			}
		}
	}

	#start(container: Container): void {
		this.#daemon = '';
		this.#startedAt = Date.now();
		container.start({ entrypoint: [...this.#program.command], enableInternet: false });
		this.#follow(container);
	}

	/** `running` changes only while somebody follows the container. How it ended does not matter: the next call starts it. */
	#follow(container: Container): void {
		this.#host.waitUntil(container.monitor().catch(() => undefined));
	}

	async #reach(container: Container, daemon: WalletDaemon): Promise<void> {
		const wanted = JSON.stringify(daemon);
		const { daemonAt } = this.#program;
		if (!daemonAt || wanted === this.#daemon) return;
		await container.interceptOutboundHttp(DAEMON_ADDRESS, daemonAt(daemon));
		this.#daemon = wanted;
	}

	async #postponeSleep(): Promise<void> {
		const now = Date.now();
		if (now - this.#postponedAt < POSTPONED_MILLISECONDS) return;
		this.#postponedAt = now;
		await this.#host.storage.setAlarm(now + this.#program.sleepsAfterMilliseconds);
	}
}
