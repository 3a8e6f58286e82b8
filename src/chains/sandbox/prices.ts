/** The sandbox's prices. They start with these values and change only by `operator sandbox price`. */
import { DurableObject } from 'cloudflare:workers';
import type { Coin } from '../../catalog/assets.ts';

const SHIPPED = {
	BTC: '95000',
	ETH: '3200',
	BNB: '900',
	SOL: '140',
	TRX: '0.28',
	XMR: '380',
	LTC: '95',
	POL: '0.25',
	AVAX: '20',
	DASH: '45',
	USDT: '1',
	USDC: '1',
	DAI: '1',
} as const satisfies Record<Coin, string>;

export class SandboxPrices extends DurableObject {
	/** US dollars per coin, plain decimal text. */
	async all(): Promise<Record<string, string>> {
		return { ...SHIPPED, ...Object.fromEntries(await this.ctx.storage.list<string>()) };
	}

	/** `usd`: positive plain decimal, checked by the operator API. */
	async set(coin: string, usd: string): Promise<void> {
		await this.ctx.storage.put(coin, usd);
	}
}
