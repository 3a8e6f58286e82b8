/**
 * Broadcasts a signed transaction; safe to repeat. Nodes agree on neither error codes nor error texts, so we match the
 * texts of those that we know: "already known" is success; permanent errors, and a hot wallet that holds too little,
 * block the transaction for the operator; everything else is a transient error. One that pays too little says so: the
 * signer then makes a version of it with a higher fee.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { transactionPlaces } from './depth.ts';
import { type Queued, requireNext } from './next.ts';
import { unavailable } from './node.ts';
import { HASH } from './shapes.ts';

/** Error texts of geth, Erigon, Nethermind, Reth, Nitro and anvil. */
const KNOWN =
	/already known|alreadyknown|known transaction|already imported|already exists|already in (the )?(pool|mempool)/i;
const NONCE_TAKEN = /nonce (is )?too low|nonce has already been used|oldnonce/i;
/** Below the block's base fee, below what this node asks of any transaction, or of one that replaces another. */
const UNDERPRICED =
	/less than block base fee|(below|lower than) (the )?(current )?(block )?base ?fee|underpriced|fee ?(cap )?too ?low|gas ?price (is )?(too low|below)/i;
const NONCE_AHEAD = /nonce too high|nonce gap/i;
const REFUSED = new RegExp(
	[
		'insufficient ?(funds|balance)|intrinsic gas|exceeds block gas limit|gas limit too high',
		'invalid (sender|signature|transaction)|invalid chain|chain id mismatch|only replay-protected|type not supported',
		'rlp|failed to decode|oversized|tip higher than|max priority fee per gas higher',
	].join('|'),
	'i',
);

export const transactionIdOf = (raw: string): string => `0x${hex.encode(keccak_256(hex.decode(raw.slice(2))))}`;

/**
 * `raw`: what `ChainSigner.sign` returned. An accepted transaction counts only if it is the next one of its account
 * (`next.ts`).
 * @throws BroadcastRejected, ChainUnavailable
 */
export async function broadcast(rpc: JsonRpc, queued: Queued, raw: string, hotAddress: string): Promise<void> {
	const txId = transactionIdOf(raw);
	if ((await submit(rpc, queued, raw, txId)) === 'in a block') return;
	await requireNext(rpc, queued, { txId, raw, hotAddress });
}

async function submit(rpc: JsonRpc, queued: Queued, raw: string, txId: string): Promise<'accepted' | 'in a block'> {
	try {
		const answer = HASH.safeParse(await rpc.call('eth_sendRawTransaction', raw));
		if (answer.data !== txId) throw new ChainUnavailable(`the node accepted another transaction than ${txId}`);
		return 'accepted';
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		if (KNOWN.test(error.message)) return 'accepted';
		// The nonce is used: by this very transaction, which is in a block already, or by another one.
		if (NONCE_TAKEN.test(error.message) && (await transactionPlaces(rpc, [txId])).has(txId)) return 'in a block';
		if (NONCE_TAKEN.test(error.message)) throw new BroadcastRejected(error.message, { taken: true });
		if (NONCE_AHEAD.test(error.message)) return queued.wait(txId, error.message);
		if (UNDERPRICED.test(error.message)) throw new BroadcastRejected(error.message, { underpriced: true });
		if (REFUSED.test(error.message)) throw new BroadcastRejected(error.message);
		throw unavailable('eth_sendRawTransaction', error);
	}
}
