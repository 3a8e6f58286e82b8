/** Checks each provider of a UTXO network before coins move there (`operator network check`). */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { checked, eachNode } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import type { Source } from './source.ts';
import { utxoSources } from './sources.ts';

type Verdict = readonly [ok: boolean, detail: string];

/** Deep enough to have a ChainLock, if there are any. */
const LOCKED_DEPTH = 5;

/** A provider whose chain check fails is asked nothing more. */
export const checkNodes = (network: NetworkOf<'utxo'>, node: NodeConfig): Promise<NetworkCheck[]> =>
	eachNode(node, async (one, host) => {
		const [ask] = utxoSources(network, one).each;
		if (!ask) return [];
		const chain = await checked(`chain of ${host}`, () => ask((source) => judgeChain(source, node)));
		if (!chain.ok) return [chain];
		const asksChainLocks = node.chain === 'main' && network.confirmations.some(({ tag }) => tag === 'chainlock');
		return [
			chain,
			await checked(`blocks of ${host}`, () => ask(judgeBlocks)),
			await checked(`unspent outputs of ${host}`, () => ask(judgeOutputs)),
			...(asksChainLocks ? [await checked(`ChainLocks of ${host}`, () => ask(judgeChainLocks))] : []),
		];
	});

async function judgeChain(source: Source, { chain }: NodeConfig): Promise<Verdict> {
	const { height } = await source.tip();
	return [true, `${chain}, height ${height}`];
}

/** Nothing is seen without them, and it is here that a host's plan says no. */
async function judgeBlocks(source: Source): Promise<Verdict> {
	const { hash, height } = await source.tip();
	const { transactions } = await source.block(hash);
	return [true, `block ${height} has ${transactions.length} transactions, which hash to it`];
}

/** No node says of an output that nobody made that it is unspent. */
async function judgeOutputs(source: Source): Promise<Verdict> {
	const nobodys = { txId: '0'.repeat(64), vout: 0 };
	const [none, again] = [await source.outputs([nobodys], 'with pool'), await source.outputs([nobodys], 'without pool')];
	if (none[0] || again[0]) return [false, 'an output that does not exist is said to be unspent'];
	return [true, 'answered, with and without the mempool'];
}

async function judgeChainLocks(source: Source): Promise<Verdict> {
	const { height } = await source.tip();
	const hash = await source.hashAt(height - LOCKED_DEPTH);
	if (hash === null) throw new ChainUnavailable(`there is no block ${height - LOCKED_DEPTH}`);
	const isLocked = await source.isLocked(hash);
	return [isLocked, `block ${height - LOCKED_DEPTH} is ${isLocked ? '' : 'not '}locked`];
}
