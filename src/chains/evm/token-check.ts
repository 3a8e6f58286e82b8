/**
 * Is the contract at a token's address the token that the catalog means? An amount that is read with the wrong decimals
 * is wrong by powers of ten.
 */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask, askEach } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { contractOf, DECIMALS } from './erc20.ts';
import type { EvmParams } from './params.ts';
import { BYTES, WORD } from './shapes.ts';

/** As `EvmRpc.requireAsset`. A token is checked once per isolate; a failed check is repeated. The coin needs none. */
export function assetCheck(rpc: JsonRpc, params: EvmParams): (asset: AssetId) => Promise<void> {
	const right = new Set<AssetId>();
	return async (asset) => {
		const contract = contractOf(params, asset);
		if (contract === null || right.has(asset)) return;
		const wrong = await wrongToken(rpc, asset, contract);
		if (wrong) throw new ChainUnavailable(wrong);
		right.add(asset);
	};
}

/** The mistake in a token's code and decimals; null where they are right. @throws ChainUnavailable */
export async function wrongToken(rpc: JsonRpc, asset: AssetId, contract: string): Promise<string | null> {
	const { decimals } = assetOf(asset);
	if ((await ask(rpc, BYTES, 'eth_getCode', contract, 'latest')) === '0x')
		return `the node knows no contract of ${asset} at ${contract}: it is not on the main network`;
	const [answer = ''] = await askEach(rpc, BYTES, [
		{ method: 'eth_call', params: [{ to: contract, data: DECIMALS }, 'latest'] },
	]);
	if (WORD.test(answer) && BigInt(answer) === BigInt(decimals)) return null;
	return `${asset} at ${contract} says ${WORD.test(answer) ? BigInt(answer) : answer} decimals, not ${decimals}`;
}
