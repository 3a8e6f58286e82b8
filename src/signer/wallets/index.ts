/**
 * The wallets Worker: Monero's two wallet programs in Cloudflare Containers, for who does not run them elsewhere. It has no
 * route and no secret. Only the signer is bound to its objects, and names the daemon with each call.
 */
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';
import type { WalletContainer, WalletDaemon } from '../../chains/monero/wallet-container.ts';
import { handOn } from '../../chains/rpc/hand-on.ts';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { COLD_COMMAND, VIEW_COMMAND } from './command.ts';
import { ProgramInContainer } from './program.ts';

/** Its wallet is made again in seconds. */
const COLD_SLEEPS_AFTER_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** Its wallet is made again by reading the chain, which costs more than a day's memory. */
const VIEW_SLEEPS_AFTER_MILLISECONDS = DAY_MILLISECONDS;

interface Exports {
	Daemon(given: { readonly props: WalletDaemon }): Fetcher;
}

/** Takes the place of monerod for the container of the view-only wallet. */
export class Daemon extends WorkerEntrypoint<unknown, WalletDaemon> {
	override async fetch(request: Request): Promise<Response> {
		return handOn(request, this.ctx.props);
	}
}

/** The wallet with the view key alone: it reads the chain, and proposes payments. */
export class MoneroWallet extends DurableObject implements WalletContainer {
	readonly #program = new ProgramInContainer(this.ctx, {
		command: VIEW_COMMAND,
		sleepsAfterMilliseconds: VIEW_SLEEPS_AFTER_MILLISECONDS,
		daemonAt: (daemon) => (this.ctx.exports as unknown as Exports).Daemon({ props: daemon }),
	});

	ask(body: string, timeoutMilliseconds: number, daemon?: WalletDaemon): Promise<Response> {
		return this.#program.ask(body, timeoutMilliseconds, daemon);
	}

	override alarm(): Promise<void> {
		return this.#program.sleep();
	}
}

/** The wallet with the spending key: nothing leaves its container but its answers. */
export class MoneroColdWallet extends DurableObject implements WalletContainer {
	readonly #program = new ProgramInContainer(this.ctx, {
		command: COLD_COMMAND,
		sleepsAfterMilliseconds: COLD_SLEEPS_AFTER_MILLISECONDS,
	});

	ask(body: string, timeoutMilliseconds: number): Promise<Response> {
		return this.#program.ask(body, timeoutMilliseconds);
	}

	override alarm(): Promise<void> {
		return this.#program.sleep();
	}
}

/** A Worker module needs a handler; nobody can reach this one. */
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
