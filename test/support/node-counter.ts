/** Counts what a chain asks of its node: for the book's tables of what providers are asked. */
import { expect } from 'vitest';
import { allAssets, nativeAsset } from '../../src/catalog/assets.ts';
import type { NetworkName } from '../../src/catalog/networks.ts';
import type { Chain, ObservedDeposit, Watched } from '../../src/chains/port.ts';
import type { NodeFigure } from './costs/node-figures.ts';

export const nobody: Watched = async () => [];

/** Counts as `agent/upkeep.ts` and `deposits/record.ts` ask. */
export class Counter {
	readonly #chain: Chain;
	readonly #calls: () => number;

	constructor(chain: Chain, calls: () => number) {
		this.#chain = chain;
		this.#calls = calls;
	}

	async of(ask: () => Promise<unknown>): Promise<number> {
		const before = this.#calls();
		await ask();
		return this.#calls() - before;
	}

	poll(cursor: string, watched: Watched = nobody, isIdle = false): Promise<number> {
		return this.of(() => this.#chain.scan(cursor, watched, isIdle));
	}

	upkeep(network: NetworkName): Promise<number> {
		const assets = allAssets().filter((asset) => asset.network === network);
		return this.of(async () => {
			const costsOf = await this.#chain.costsNow();
			for (const { code } of assets) await costsOf(code);
			const codes = assets.map(({ code }) => code);
			if (this.#chain.reserves) await this.#chain.reserves(codes);
			else for (const code of codes) await this.#chain.balance(code);
		});
	}

	/** `pay` pays the address, and makes the block. */
	async figure(
		network: NetworkName,
		address: string,
		pay: () => Promise<unknown>,
	): Promise<Omit<NodeFigure, 'order' | 'idle' | 'seldom'>> {
		const { cursor } = await this.#chain.scan(null, nobody);
		// What is asked once: the chain, the tokens, constants.
		await this.upkeep(network);
		const asset = nativeAsset(network);
		const open = async () => [{ address, asset, known: [], swept: 0n }];
		const poll = await this.poll(cursor);
		const upkeep = await this.upkeep(network);
		const waiting = (await this.poll(cursor, open)) - poll;
		await pay();
		const found = await this.#chain.scan(cursor, open);
		const deposits = found.deposits.filter((deposit) => deposit.address === address);
		expect(deposits).toHaveLength(1);
		const deposit = await this.of(() => this.#chain.depths(deposits as readonly ObservedDeposit[]));
		return { poll, upkeep, open: waiting, deposit, block: 0 };
	}
}
