/**
 * The few ERC-20 calls that this family makes, as call data: a selector of 4 bytes, then words of 32 bytes (Contract
 * ABI Specification). Pure. Imports no library for it, because it is part of the API Worker.
 */
import { type AssetId, allAssets, assetOf } from '../../catalog/assets.ts';
import type { EvmParams } from './params.ts';

/** keccak256("Transfer(address,address,uint256)"): the topics are the event, the sender and the recipient. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const TRANSFER = '0xa9059cbb';
export const DECIMALS = '0x313ce567';
export const SYMBOL = '0x95d89b41';

const WORD_DIGITS = 64;

/** A transfer of an asset: the call that a node simulates, and the transaction that is signed. */
export interface Transfer {
	/** Lower case. */
	readonly to: string;
	readonly value: bigint;
	readonly data: string;
}

export const wordOf = (value: bigint | string): string =>
	(typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(WORD_DIGITS, '0');

/** `contract`: null for the native coin. */
export function transferOf(contract: string | null, to: string, amount: bigint): Transfer {
	if (contract === null) return { to: to.toLowerCase(), value: amount, data: '0x' };
	return { to: contract, value: 0n, data: TRANSFER + wordOf(to) + wordOf(amount) };
}

/** The network's tokens. */
export const tokensOf = (params: EvmParams): AssetId[] =>
	allAssets()
		.filter(({ network, contract }) => network === assetOf(params.native).network && contract !== undefined)
		.map(({ code }) => code);

export const isTokenOf = (params: EvmParams, asset: AssetId): boolean => tokensOf(params).includes(asset);

/** In lower case; null for the native coin. @throws TypeError for an asset of another network: a bug in the caller */
export function contractOf(params: EvmParams, asset: AssetId): string | null {
	const { network, contract } = assetOf(asset);
	if (network !== assetOf(params.native).network) throw new TypeError(`${asset} is not on chain ${params.chainId}`);
	return contract?.toLowerCase() ?? null;
}
