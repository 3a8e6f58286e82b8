/** The providers of a UTXO network, each in its dialect, with what they answer in bytes proven. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { splitDialect } from '../node-urls.ts';
import { checkedNode, failover } from '../rpc/failover.ts';
import { blockbookDialect } from './source/blockbook.ts';
import { coreDialect } from './source/core.ts';
import { esploraDialect } from './source/esplora.ts';
import type { Dialect, Source, Sources } from './source.ts';
import { splitBlock } from './split.ts';
import { type Form, readTransaction } from './transaction-bytes.ts';

/** @throws TypeError on a malformed URL: a configuration error. */
export function utxoSources({ params }: NetworkOf<'utxo'>, node: NodeConfig): Sources {
	const form: Form = { x11: params.work === 'x11' };
	const ready = node.urls.map((url) =>
		checkedNode(proven(dialectOf(node, url, form), form), async (source) => {
			const first = await source.hashAt(0);
			if ((first === params.genesis) !== (node.chain === 'main'))
				throw new ChainUnavailable(
					`the first block of ${source.host} is ${first}: not that of the chain "${node.chain}"`,
				);
		}),
	);
	return { use: failover(ready), each: ready.map((source) => async (task) => task(await source())) };
}

function dialectOf({ headers }: NodeConfig, text: string, form: Form): Dialect {
	const { dialect, url } = splitDialect(text);
	if (dialect === 'esplora') return esploraDialect(url, headers);
	if (dialect === 'blockbook') return blockbookDialect(url, headers, form);
	return coreDialect({ ...(headers && { headers }) }, url, form);
}

const proven = (dialect: Dialect, form: Form): Source => ({
	...dialect,
	block: async (hash) => splitBlock(await dialect.block(hash), hash, form),
	async transaction(txId, blockHash) {
		const bytes = await dialect.transaction(txId, blockHash);
		const transaction = bytes && readTransaction(bytes, form);
		return transaction?.id === txId ? transaction : null;
	},
});
