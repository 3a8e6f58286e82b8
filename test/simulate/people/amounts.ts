/** The assets that are on sale here, with amounts that are worth some hundred dollars. */
export const AMOUNTS: Readonly<Record<string, string>> = {
	LTC: '3',
	ETH: '0.1',
	USDTERC20: '300',
	SOL: '2',
	USDCSOL: '250',
};

/** The same where two judges sign Tron's payments: each order's deposit or payout is on Tron. */
export const COSIGNED_AMOUNTS: Readonly<Record<string, string>> = { ETH: '0.4', TRX: '4000' };
