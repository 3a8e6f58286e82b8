/** Checks each Tron node before coins move there (`operator network check`). */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { NodeConfig } from '../configuration.ts';
import { checked, eachNode } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import { eachOf } from '../rpc/each-of.ts';
import { accountOf, read, tokenBalance } from './accounts.ts';
import { tipsOf } from './depth.ts';
import { type TronNode, useNodes } from './node.ts';
import { contractOf, type TronParams } from './params.ts';
import { INFOS } from './shapes.ts';

/** Blocks whose receipts are read, and the number of contract runs in them that is enough for a verdict. */
const JUDGED_BLOCKS = 10;
const ENOUGH_RUNS = 50;
/** Largest normal distance of the solidified block from the head: each of the 27 producers twice. */
const MAX_UNSOLID_BLOCKS = 54;
const WORD_DIGITS = 64;

/** Asks one question of the node. */
type Check = (what: string, question: (node: TronNode) => Promise<[boolean, string]>) => Promise<NetworkCheck>;

/** Checks each configured node by itself. */
export const checkNodes = (params: TronParams, node: NodeConfig, hotAddress: string): Promise<NetworkCheck[]> =>
	eachNode(node, (one, host) => checkNode(params, one, host, hotAddress));

function checkNode(params: TronParams, nodes: NodeConfig, host: string, hotAddress: string): Promise<NetworkCheck[]> {
	const use = useNodes(params, nodes);
	const check: Check = (what, question) => checked(`node ${host}: ${what}`, () => use(question));
	return Promise.all([
		check('chain', async (node) => {
			const { head, solid } = await tipsOf(node);
			const ok = head.height - solid.height <= MAX_UNSOLID_BLOCKS;
			const detail = `genesis of ${nodes.chain}, height ${head.height}, solidified ${solid.height}`;
			return [ok, ok ? detail : `${detail}: too far apart, so no deposit becomes final`];
		}),
		check('internal transactions', reportsInternal),
		...[...params.tokens.values()].flatMap((asset) => tokenChecks(params, asset, check)),
		check('hot wallet', async (node) => {
			const held = [`${(await accountOf(node, hotAddress)).balance} sun`];
			for (const asset of params.tokens.values())
				held.push(`${await tokenBalance(node, contractOf(params, asset), hotAddress)} of ${asset}`);
			return [true, `${hotAddress} holds ${held.join(', ')}`];
		}),
	]);
}

/** A node reports what contracts send only if its configuration says so. Otherwise we miss those deposits. */
async function reportsInternal(node: TronNode): Promise<[boolean, string]> {
	const { solid } = await tipsOf(node);
	const heights = Array.from({ length: Math.min(JUDGED_BLOCKS, solid.height) }, (_, at) => solid.height - at);
	const infos = await eachOf(heights, (num) => node.ask('/wallet/gettransactioninfobyblocknum', INFOS, { num }));
	const runs = infos.flat().filter(({ receipt }) => receipt.result === 'SUCCESS');
	if (runs.some((info) => info.internal_transactions.length > 0)) return [true, 'reported'];
	if (runs.length < ENOUGH_RUNS) return [true, `${runs.length} contract runs are too few for a verdict`];
	return [false, `none in ${runs.length} contract runs: set vm.saveInternalTx = true`];
}

function tokenChecks(params: TronParams, asset: AssetId, check: Check): Promise<NetworkCheck>[] {
	const { coin, decimals } = assetOf(asset);
	const contract = contractOf(params, asset);
	return [
		check(`${asset} symbol`, async (node) => {
			const symbol = stringOf(await read(node, contract, 'symbol()'));
			return [symbol === coin, symbol === coin ? symbol : `${symbol}, should be ${coin}`];
		}),
		check(`${asset} decimals`, async (node) => {
			const said = BigInt(`0x${(await read(node, contract, 'decimals()')) || '0'}`);
			const ok = said === BigInt(decimals);
			return [ok, ok ? String(said) : `${said}, should be ${decimals}`];
		}),
	];
}

/** An ABI-encoded `string`: offset, length, bytes. */
function stringOf(words: string): string {
	const length = Number.parseInt(words.slice(WORD_DIGITS, 2 * WORD_DIGITS), 16);
	const digits = words.slice(2 * WORD_DIGITS, 2 * WORD_DIGITS + 2 * length).match(/../g) ?? [];
	return new TextDecoder().decode(Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16)));
}
