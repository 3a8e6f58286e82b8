/** Account nonces: above all that the chain has counted and all that is signed, so that none is ever given out twice. */
import type { JsonRpc } from '../json-rpc.ts';
import type { SigningState } from '../port.ts';
import { ask } from './node.ts';
import { HEIGHT } from './shapes.ts';

const SPENT_NONCE = /^(?:(0x[0-9a-f]{40}):)?nonce:(\d{1,13})$/;

/** How a nonce is written in `SigningState.spent`. `payIn`: null for the payout wallet. */
export const spentNonce = (payIn: string | null, nonce: number): string =>
	payIn === null ? `nonce:${nonce}` : `${payIn}:nonce:${nonce}`;

/** `payIn`: the pay-in address that signs, or null where it is the payout wallet. @throws ChainUnavailable */
export async function nextNonce(
	rpc: JsonRpc,
	address: string,
	payIn: string | null,
	{ spent }: SigningState,
): Promise<number> {
	const onChain = await ask(rpc, HEIGHT, 'eth_getTransactionCount', address, 'latest');
	const signed = [...spent].flatMap((text) => {
		const [, owner, digits] = SPENT_NONCE.exec(text.toLowerCase()) ?? [];
		return digits !== undefined && owner === payIn?.toLowerCase() ? [Number(digits) + 1] : [];
	});
	return signed.reduce((highest, next) => Math.max(highest, next), onChain);
}
