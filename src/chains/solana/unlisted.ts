/**
 * Accounts of an owner that hold tokens which nobody here moves: of mints that the catalog does not list, of Token-2022, and
 * listed tokens in another account than the associated one. Only for the operator to look at: anybody makes such accounts.
 */
import { base58 } from '@scure/base';
import type { UnlistedToken } from '../port.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { TOKEN_ACCOUNT_BYTES } from './accounts.ts';
import { accountOf, LISTED } from './assets.ts';
import { SEEN } from './node.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { OWNED_ACCOUNTS } from './shapes.ts';

/** A token account begins with its mint, its owner and its amount, in both programs. */
const KEY_BYTES = 32;
const AMOUNT_AT = 64;

/** @throws ChainUnavailable */
export async function unlistedTokens(rpc: JsonRpc, owner: string): Promise<UnlistedToken[]> {
	const listed = new Set(LISTED.map((asset) => accountOf(owner, asset)));
	const found: UnlistedToken[] = [];
	for (const programId of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
		const options = { encoding: 'base64', commitment: SEEN, dataSlice: { offset: 0, length: TOKEN_ACCOUNT_BYTES } };
		const { value } = await ask(rpc, OWNED_ACCOUNTS, 'getTokenAccountsByOwner', owner, { programId }, options);
		for (const { pubkey, account } of value) {
			const { data } = account;
			if (listed.has(pubkey) || data.length < TOKEN_ACCOUNT_BYTES) continue;
			const amount = new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_AT, true);
			if (amount > 0n) found.push({ token: base58.encode(data.subarray(0, KEY_BYTES)), account: pubkey, amount });
		}
	}
	return found;
}
