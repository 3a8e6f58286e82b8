/**
 * Monero's proof of a reserve, as the cold wallet makes it: which coins are ours, how much each has, and a text. It knows no
 * transaction of the coins that it was given, so their ids are filled in here: no signature covers them. Pure.
 */
import { base58xmr, hex } from '@scure/base';
import { ChainUnavailable } from '../errors.ts';
import type { WholeProof } from '../resting.ts';
import type { WalletCoin } from '../watching-port.ts';
import { HOT_MINOR } from './subaddress-index.ts';

const PREFIX = 'ReserveProofV2';
const KEY_BYTES = 32;
/** Behind the id and the coin's place in its transaction: a shared secret, the key image, and a signature for each. */
const SECRET_TO_SIGNATURES = 6 * KEY_BYTES;

/** `coins`: all that are not spent. @throws ChainUnavailable where it would prove nothing */
export function wholeProof(proof: string, coins: readonly WalletCoin[]): WholeProof {
	const bytes = base58xmr.decode(proof.slice(PREFIX.length));
	const next = reader(bytes);
	let amount = 0n;
	for (let left = next.number(); left > 0; left--) {
		next.number();
		const id = next.bytes(KEY_BYTES);
		next.number();
		const image = hex.encode(next.bytes(SECRET_TO_SIGNATURES).subarray(KEY_BYTES, 2 * KEY_BYTES));
		const coin = coins.find(({ keyImage }) => keyImage === image);
		if (!coin) throw new ChainUnavailable('the cold wallet proves a coin that the other one does not have');
		id.set(hex.decode(coin.txId));
		amount += coin.amount;
	}
	// A signature of the hot wallet's address, and one of each other address that has coins.
	const addresses = new Set([HOT_MINOR, ...coins.filter(({ frozen }) => !frozen).map(({ minor }) => minor)]);
	if (next.number() < addresses.size)
		throw new ChainUnavailable('the cold wallet does not know whose its coins are: it is older than Monero 0.18.1');
	return { signature: PREFIX + base58xmr.encode(bytes), amount };
}

/** `number`: seven bits a byte, the lowest first. */
function reader(from: Uint8Array) {
	let at = 0;
	const take = (length: number): Uint8Array => {
		at += length;
		return from.subarray(at - length, at);
	};
	return {
		bytes: take,
		number(): number {
			let value = 0;
			for (let shift = 0; ; shift += 7) {
				const [group = 0] = take(1);
				value += (group & 0x7f) * 2 ** shift;
				if (group < 0x80) return value;
			}
		},
	};
}
