/**
 * AnonymousGate: one Durable Object per endpoint and block of addresses (/16, /40), with a budget for each client network
 * in it (/24, /48): 60 calls a minute (book: contract, "Limits"). The pages of orders and the sign-in have buckets of their
 * own, whose budget the caller names. 256 networks share an object, so it is seldom asleep when one of them calls, and
 * calls that come at once share a trip. An alarm deletes what is stored of networks that have spent nothing for a minute, so
 * that addresses that came once leave nothing behind.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../ports/env.ts';
import type { AnonymousCall, AnonymousGateRpc } from '../../ports/gates.ts';
import { NetworkBudget, type Spent } from './network-budget.ts';
import { WINDOW_MILLISECONDS } from './window.ts';

export class AnonymousGate extends DurableObject<Env> implements AnonymousGateRpc {
	/** By network; stored under its name. */
	readonly #budgets = new Map<string, NetworkBudget>();
	#hasAlarm = false;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		ctx.blockConcurrencyWhile(async () => {
			this.#hasAlarm = (await ctx.storage.getAlarm()) !== null;
			const now = Date.now();
			for (const [network, spent] of await ctx.storage.list<Spent[]>()) this.#budgetOf(network).restore(spent, now);
		});
	}

	/** Each is judged by itself, in their order. All of it is one turn, and the answer waits for its writes, if there are any. */
	admitAll(calls: readonly AnonymousCall[]): (number | null)[] {
		const now = Date.now();
		return calls.map(({ network, spent, isQuestion }) => {
			const budget = this.#budgetOf(network);
			return isQuestion ? budget.waitOf(now, spent) : budget.spend(now, spent);
		});
	}

	override async alarm(): Promise<void> {
		const now = Date.now();
		for (const [network, budget] of this.#budgets) {
			if (!budget.isUnused(now)) continue;
			this.#budgets.delete(network);
			this.ctx.storage.delete(network);
		}
		this.#hasAlarm = this.#budgets.size > 0;
		if (this.#hasAlarm) await this.ctx.storage.setAlarm(now + WINDOW_MILLISECONDS + 1);
		else await this.ctx.storage.deleteAll();
	}

	#budgetOf(network: string): NetworkBudget {
		const budget = this.#budgets.get(network) ?? new NetworkBudget((spent) => this.#store(network, spent));
		this.#budgets.set(network, budget);
		return budget;
	}

	/** Both writes are one transaction: there is no `await` between them. */
	#store(network: string, spent: readonly Spent[]): void {
		this.ctx.storage.put(network, spent);
		if (this.#hasAlarm) return;
		this.#hasAlarm = true;
		this.ctx.storage.setAlarm(Date.now() + WINDOW_MILLISECONDS + 1);
	}
}
