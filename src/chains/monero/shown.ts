/**
 * Verifies a reserve by a monero-wallet-rpc of the verifier's own, and a monerod. A proof says which coins are ours; whether they are
 * spent the chain tells of now alone: so a proof is to be verified soon.
 */
import * as z from 'zod/mini';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import { natural } from '../rpc/shapes.ts';
import type { Shown, VerifyingFamily } from '../verifying-port.ts';
import { isStandardAddress } from './address.ts';
import { moneroDaemon } from './daemon.ts';
import { walletRpc } from './digest.ts';
import { ask, unavailable } from './node.ts';
import { piconero } from './wallet-shapes.ts';

const CHECKED = z.lazy(() => z.object({ good: z.boolean(), total: piconero, spent: piconero }));
const TIMED_HEADER = z.lazy(() => z.object({ block_header: z.object({ hash: z.string(), timestamp: natural }) }));
/** monero-wallet-rpc's WALLET_RPC_ERROR_CODE_UNKNOWN_ERROR: of a proof too that is not one of this text. */
const NO_PROOF = -1;

export const moneroVerifying: VerifyingFamily<NetworkOf<'monero'>> = {
	/** The wallet checks the proof. An integrated address is another spelling of the same wallet's, and would count its coins twice. */
	signedBy: (_network, _chain, { address }) => (isStandardAddress(address) ? null : 'none'),
	shown: moneroShown,
};

/** @throws ChainUnavailable unless a wallet's URL and a monerod's are given */
function moneroShown({ params }: NetworkOf<'monero'>, { urls, chain }: NodeConfig): Shown {
	const [walletUrl, ...daemonUrls] = urls;
	if (!walletUrl || daemonUrls.length === 0)
		throw new ChainUnavailable('Monero takes the URL of a monero-wallet-rpc of yours, a blank, and that of a monerod');
	const wallet = walletRpc(walletUrl);
	const daemon = moneroDaemon(daemonUrls, params.nettype[chain]);
	return {
		async timeOf({ height, hash }) {
			if (height >= (await daemon.blocks())) return null;
			const { block_header: found } = await ask(daemon.rpc, TIMED_HEADER, 'get_block_header_by_height', { height });
			return found.hash === hash ? found.timestamp : null;
		},
		async held(_asset, { address, message, signature }) {
			try {
				const { good, total, spent } = await wallet.call(CHECKED, 'check_reserve_proof', {
					address,
					message,
					signature,
				});
				return good ? total - spent : 'none';
			} catch (error) {
				if (error instanceof RpcError && error.code === NO_PROOF && !/daemon/.test(error.message)) return 'none';
				throw error instanceof RpcError ? unavailable(error) : error;
			}
		},
	};
}
