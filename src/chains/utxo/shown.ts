/**
 * Verifies a reserve by public providers of a UTXO network: what the address has now, less what came and more what went since
 * the block. An index of addresses (Esplora, Blockbook) tells both; a node of one's own lists the coins of an address, and
 * its blocks since are read.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { splitDialect } from '../node-urls.ts';
import type { Shown, VerifyingFamily } from '../verifying-port.ts';
import { scriptOf } from './address.ts';
import { signedOnUtxo } from './message-signature.ts';
import { isShared } from './own-script.ts';
import { sharedParams, utxoParams } from './params.ts';
import { heldByBlockbook } from './shown-blockbook.ts';
import { heldByCore } from './shown-core.ts';
import { heldByEsplora } from './shown-esplora.ts';
import { utxoSources } from './sources.ts';

/** Where the time stands in a header, Unix seconds. */
const TIME_AT = 68;

export const utxoVerifying: VerifyingFamily<NetworkOf<'utxo'>> = { signedBy: signedOnUtxo, shown: utxoShown };

/** The first provider alone: the answers of two may be of two branches. */
function utxoShown(network: NetworkOf<'utxo'>, { urls: [url = ''], ...more }: NodeConfig): Shown {
	const node = { ...more, urls: [url] };
	const sources = utxoSources(network, node);
	const params = utxoParams(network, node.chain);
	const { dialect, url: base } = splitDialect(url);
	const byIndex = dialect === 'esplora' ? heldByEsplora(base) : dialect === 'blockbook' ? heldByBlockbook(base) : null;
	return {
		timeOf: ({ height, hash }) =>
			sources.use(async (source) => {
				if ((await source.hashAt(height)) !== hash) return null;
				const [header] = await source.headers(height, 1);
				return header ? new DataView(header.buffer, header.byteOffset).getUint32(TIME_AT, true) : null;
			}),
		async held(_asset, { address }, { height }) {
			const own = isShared(address, params) ? sharedParams(params) : params;
			const script = scriptOf(address, own);
			if (!script) throw new ChainUnavailable(`not an address of ${network.name}: ${address}`);
			if (byIndex) return byIndex(address, height);
			return sources.use((source) => heldByCore(base, { source, params: own, script, height }));
		},
	};
}
