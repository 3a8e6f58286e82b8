/**
 * Tokens on a test's EVM node: small ones of our own (contracts/Token.sol), put at the addresses
 * of the real ones, with their decimals and symbols.
 */
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { type AssetId, allAssets, assetOf, isAssetId } from '../../src/catalog/assets.ts';
import type { NetworkName } from '../../src/catalog/networks.ts';
import type { Anvil } from './anvil.ts';
import { compiled } from './contracts/compiled.ts';

export type ContractName =
	| 'Token'
	| 'SilentToken'
	| 'RefusingToken'
	| 'LyingToken'
	| 'TakingToken'
	| 'BurningToken'
	| 'Payer'
	| 'Flooder'
	| 'Pair'
	| 'Router'
	| 'Wallet'
	| 'Account'
	| 'Talker';

const ABI = parseAbi([
	'function configure(uint8 places, string name)',
	'function configureShort(uint8 places, bytes32 name)',
	'function mint(address to, uint256 value)',
	'function freeze(address account, bool isFrozen)',
	'function transfer(address to, uint256 value)',
	'function claim(address to, uint256 value)',
	'function payAll(address token, address[] to, uint256 value)',
	'function pay(address token, address to, uint256 value, uint256 words)',
	'function payAndRegret(address token, address to, uint256 value)',
	'function payAndLetRegret(address token, address to, uint256 value)',
]);
/** More than any call of these contracts takes; anvil's estimate is too low where one swallows a failure. */
const GAS = '0x7a120';

const NO_TOKEN: Address = `0x${'0'.repeat(40)}`;

const contractOf = (asset: AssetId): Address => (assetOf(asset).contract ?? '') as Address;

export const callData = {
	mint: (to: string, value: bigint) =>
		encodeFunctionData({ abi: ABI, functionName: 'mint', args: [to as Address, value] }),
	transfer: (to: string, value: bigint) =>
		encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [to as Address, value] }),
	claim: (to: string, value: bigint) =>
		encodeFunctionData({ abi: ABI, functionName: 'claim', args: [to as Address, value] }),
	freeze: (account: string, isFrozen: boolean) =>
		encodeFunctionData({ abi: ABI, functionName: 'freeze', args: [account as Address, isFrozen] }),
	payAll: (asset: AssetId, to: readonly string[], value: bigint) =>
		encodeFunctionData({ abi: ABI, functionName: 'payAll', args: [contractOf(asset), to as Address[], value] }),
	/** `asset`: null for the coin. */
	payAndFlood: (asset: AssetId | null, to: string, value: bigint, words: number) => {
		const token = asset === null ? NO_TOKEN : contractOf(asset);
		return encodeFunctionData({ abi: ABI, functionName: 'pay', args: [token, to as Address, value, BigInt(words)] });
	},
	payAndLetRegret: (asset: AssetId, to: string, value: bigint) =>
		encodeFunctionData({ abi: ABI, functionName: 'payAndLetRegret', args: [contractOf(asset), to as Address, value] }),
};

export async function installContract(
	anvil: Pick<Anvil, 'rpc' | 'mine'>,
	name: ContractName,
	address: string,
): Promise<void> {
	await anvil.rpc('anvil_setCode', address, compiled('Token')[name]);
}

/** Puts a token at the asset's address, or at another one. Mines a block. */
export async function installToken(
	anvil: Pick<Anvil, 'rpc' | 'mine'>,
	asset: AssetId,
	{
		name = 'Token',
		decimals = assetOf(asset).decimals,
		symbol = assetOf(asset).coin as string,
		address = contractOf(asset),
	}: {
		readonly name?: ContractName;
		readonly decimals?: number;
		readonly symbol?: string;
		readonly address?: string;
	} = {},
): Promise<void> {
	await installContract(anvil, name, address);
	const short = `0x${Buffer.from(symbol).toString('hex').padEnd(64, '0')}` as Hex;
	const data =
		name === 'SilentToken'
			? encodeFunctionData({ abi: ABI, functionName: 'configureShort', args: [decimals, short] })
			: encodeFunctionData({ abi: ABI, functionName: 'configure', args: [decimals, symbol] });
	await call(anvil, address, data);
	await anvil.mine(1);
}

/** All tokens of the network, as the catalog has them. */
export async function installTokens(anvil: Pick<Anvil, 'rpc' | 'mine'>, network: NetworkName): Promise<void> {
	for (const { code, contract } of allAssets().filter((asset) => asset.network === network))
		if (contract) await installToken(anvil, code);
}

/** Into the mempool, from anvil's first account unless another is named. The id of the transaction. */
export async function call(
	anvil: Pick<Anvil, 'rpc' | 'mine'>,
	to: string,
	data: string,
	from?: string,
): Promise<string> {
	const [first] = (await anvil.rpc('eth_accounts')) as string[];
	return String(await anvil.rpc('eth_sendTransaction', { from: from ?? first, to, data, gas: GAS }));
}

/** `token`: an asset, or a contract. */
export async function tokenBalance(anvil: Anvil, token: AssetId | `0x${string}`, holder: string): Promise<bigint> {
	const data = `0x70a08231${holder.slice(2).toLowerCase().padStart(64, '0')}`;
	return BigInt(
		String(await anvil.rpc('eth_call', { to: isAssetId(token) ? contractOf(token) : token, data }, 'latest')),
	);
}
