/**
 * `operator network check` for one node: chain, height, finality, tokens, traces, and the hot wallet's native coin.
 * Never throws because of what a node says. Shows no credentials.
 */
import { hex } from '@scure/base';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { networkNamed } from '../../catalog/networks.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { NodeConfig } from '../configuration.ts';
import { checked, eachNode } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { spendable } from './balances.ts';
import { headOf, tipsOf } from './depth.ts';
import { contractOf, SYMBOL, tokensOf } from './erc20.ts';
import { ask, type EvmRpc, evmRpc } from './node.ts';
import type { EvmParams } from './params.ts';
import { BYTES, hexOf } from './shapes.ts';
import { wrongToken } from './token-check.ts';

/** Hex digits before the bytes of an ABI `string`: one word for its offset, one for its length. */
const STRING_HEAD_DIGITS = 128;

export const checkNodes = (params: EvmParams, node: NodeConfig, hotAddress: string): Promise<NetworkCheck[]> =>
	eachNode(node, async (one, host) => {
		const rpc = evmRpc(params, one);
		// A node that is on another chain or does not answer gets no further calls.
		const chain = await checked(`${host} chain id`, async () => {
			const { height } = await headOf(rpc);
			return [true, `chain ${params.chainId}, height ${height}`];
		});
		if (!chain.ok) return [chain];
		const tokens = tokensOf(params).map((asset) => checked(`${host} ${asset}`, () => token(rpc, asset)));
		return [
			chain,
			await checked(`${host} finalized block`, () => finality(rpc)),
			...(await Promise.all(tokens)),
			await checked(`${host} traces`, () => traces(rpc)),
			await checked(`${host} wallet`, () => wallet(rpc, hotAddress)),
		];
	});

type Verdict = readonly [ok: boolean, detail: string];

async function finality(rpc: EvmRpc): Promise<Verdict> {
	const { finalized } = await tipsOf(rpc);
	if (finalized >= 0) return [true, `height ${finalized}`];
	const { confirmations } = networkNamed(assetOf(rpc.params.native).network);
	if (!confirmations.some(({ tag }) => tag)) return [true, 'none, and no deposit waits for one'];
	return [false, 'the node knows no finalized block: deposits that wait for it would wait for ever'];
}

async function token(rpc: EvmRpc, asset: AssetId): Promise<Verdict> {
	const contract = contractOf(rpc.params, asset) ?? '';
	const wrong = await wrongToken(rpc, asset, contract);
	if (wrong) return [false, `${wrong}; use a node of the main network`];
	const symbol = symbolIn(await ask(rpc, BYTES, 'eth_call', { to: contract, data: SYMBOL }, 'latest'));
	const { coin, decimals } = assetOf(asset);
	const detail = `${symbol}, ${decimals} decimals`;
	return isSymbolOf(symbol, coin) ? [true, detail] : [false, `${detail}: not a symbol of ${coin}`];
}

/** Issuers also write USDT as USD₮, USDt or USDT0, and a bridged DAI as DAI.e. */
const isSymbolOf = (symbol: string, coin: string): boolean =>
	symbol.replaceAll('₮', 'T').toUpperCase().startsWith(coin);

/**
 * Decodes a `string` or, from old contracts, 32 bytes padded with zeros. Bytes that are not UTF-8 are shown as hex.
 */
function symbolIn(answer: string): string {
	const digits = answer.slice(2);
	const length =
		digits.length > STRING_HEAD_DIGITS
			? Number.parseInt(digits.slice(STRING_HEAD_DIGITS / 2, STRING_HEAD_DIGITS), 16)
			: 0;
	const bytes =
		length > 0
			? digits.slice(STRING_HEAD_DIGITS, STRING_HEAD_DIGITS + 2 * length)
			: digits.slice(0, STRING_HEAD_DIGITS / 2).replace(/(00)+$/, '');
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(hex.decode(bytes));
	} catch {
		return answer;
	}
}

/** Traces only name the transaction in which a contract paid a deposit. Without them the block is named instead. */
async function traces(rpc: JsonRpc): Promise<Verdict> {
	const { height } = await headOf(rpc);
	const calls = [
		{ method: 'debug_traceBlockByNumber', params: [hexOf(height), { tracer: 'callTracer' }] },
		{ method: 'trace_block', params: [hexOf(height)] },
	];
	const answers = await rpc.batch(calls);
	const known = calls.find((_, at) => !(answers[at] instanceof RpcError));
	if (known) return [true, known.method];
	return [true, 'none: a deposit from inside a contract is shown with its block, not its transaction'];
}

async function wallet(rpc: EvmRpc, hotAddress: string): Promise<Verdict> {
	const { params } = rpc;
	const held = await spendable(rpc, null, hotAddress);
	const coins = `${fromBaseUnits(held, assetOf(params.native).decimals)} ${params.native} at ${hotAddress}`;
	return held > 0n ? [true, coins] : [false, `${coins}: nothing can be paid before it is filled`];
}
