/** The tokens of Ethereum for a test file, and a contract that pays several addresses in one transaction. */
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import type { Anvil } from './anvil.ts';
import type { Ethereum } from './ethereum.ts';
import { installContract, installToken } from './tokens.ts';

export const [USDT, USDC, DAI] = ['USDTERC20', 'USDCERC20', 'DAIERC20'] as const;
export const PAYER = '0x00000000000000000000000000000000000057a7';

export const contractOf = (asset: AssetId): string => assetOf(asset).contract ?? '';

/** As on the main network: a transfer of USDT returns nothing. Its symbol is of the type bytes32 here. */
export async function installTokens(anvil: Anvil): Promise<void> {
	await installToken(anvil, USDT, { name: 'SilentToken' });
	await installToken(anvil, USDC);
	await installToken(anvil, DAI);
}

/** Gives it USDC and DAI to pay with. */
export async function installPayer({ anvil, mint }: Ethereum): Promise<void> {
	await installContract(anvil, 'Payer', PAYER);
	for (const asset of [USDC, DAI]) await mint(asset, PAYER, 10n ** 12n);
}
