/**
 * Verifies a reserve by public providers of a UTXO network: what the address has now, less what came and more what went since
 * the block. An index of addresses (Esplora, Blockbook) tells both; a node of one's own lists the coins of an address, and
 * its blocks since are read.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { splitDialect } from '../node-urls.ts';
import type { Shown, VerifyingFamily } from '../verifying-port.ts';
import { signedOnUtxo } from './message-signature.ts';
import { utxoParams } from './params.ts';
import { heldByBlockbook } from './shown-blockbook.ts';
import { heldByCore } from './shown-core.ts';
import { heldByEsplora } from './shown-esplora.ts';
import { utxoSources } from './sources.ts';

/** Where the time stands in a header, Unix seconds. */
const TIME_AT = 68;

export const utxoVerifying: VerifyingFamily<NetworkOf<'utxo'>> = { signedBy: signedOnUtxo, shown: utxoShown };

/** The first provider alone: the answers of two may be of two branches. */
function utxoShown(
	network: NetworkOf<'utxo'>,
	{ urls: [url = ''], ...more }: NodeConfig,
	addresses: readonly string[],
): Shown {
	const node = { ...more, urls: [url] };
	const sources = utxoSources(network, node);
	const params = utxoParams(network, node.chain);
	const { dialect, url: base } = splitDialect(url);
	const atHeight = new Map<number, Promise<ReadonlyMap<string, bigint>>>();
	/** A node of one's own goes through all coins of its chain: once for all addresses. */
	const heldAt = (height: number) => {
		const found =
			atHeight.get(height) ?? sources.use((source) => heldByCore(base, { source, params, addresses, height }));
		atHeight.set(height, found);
		return found;
	};
	const byIndex = dialect === 'esplora' ? heldByEsplora(base) : dialect === 'blockbook' ? heldByBlockbook(base) : null;
	return {
		timeOf: ({ height, hash }) =>
			sources.use(async (source) => {
				if ((await source.hashAt(height)) !== hash) return null;
				const [header] = await source.headers(height, 1);
				return header ? new DataView(header.buffer, header.byteOffset).getUint32(TIME_AT, true) : null;
			}),
		async held(_asset, { address }, { height }) {
			if (byIndex) return byIndex(address, height);
			return (await heldAt(height)).get(address) ?? 0n;
		},
	};
}
