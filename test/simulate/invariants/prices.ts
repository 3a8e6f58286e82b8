/** The prices of the honest sources, as the sandbox has them at first: dollars of a whole coin. */
export const DOLLARS = { LTC: 95, ETH: 3200, SOL: 140, TRX: 0.28 } as const;

/** With base units. */
const PRICES: Readonly<Record<string, readonly [number, number]>> = {
	LTC: [DOLLARS.LTC, 1e8],
	ETH: [DOLLARS.ETH, 1e18],
	USDTERC20: [1, 1e6],
	SOL: [DOLLARS.SOL, 1e9],
	USDCSOL: [1, 1e6],
	TRX: [DOLLARS.TRX, 1e6],
};

export function dollarsOf(asset: string, amount: string): number {
	const [usd, units] = PRICES[asset] ?? [0, 1];
	return (Number(amount) / units) * usd;
}
