/**
 * Accounts of an owner that hold tokens which nobody here moves: of mints that the catalog does not list, of Token-2022, and
 * listed tokens in another account than the associated one. Only for the operator to look at: anybody makes such accounts.
 */
import { base58 } from '@scure/base';
import type { AssetId } from '../../catalog/assets.ts';
import type { Received, UnlistedToken } from '../port.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { TOKEN_ACCOUNT_BYTES } from './accounts.ts';
import { accountOf, LISTED } from './assets.ts';
import { accountKeys, creditOf } from './credits.ts';
import { statusesOf, transactionsOf } from './depth.ts';
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

/** As `Chain.received`: listed assets by balances, and what lies in accounts of others. @throws ChainUnavailable */
export async function received(rpc: JsonRpc, txId: string, owner: string): Promise<Received | null> {
	const status = (await statusesOf(rpc, [txId])).get(txId);
	if (!status) return null;
	const assets = new Map<AssetId, bigint>();
	const tokens = new Map<string, bigint>();
	const [transaction] = await transactionsOf(rpc, [txId], SEEN);
	if (!transaction || status.failed) return { isInBlock: status.depth.height !== null, assets, tokens };
	for (const asset of LISTED) {
		const amount = creditOf(transaction, owner, asset);
		if (amount > 0n) assets.set(asset, amount);
	}
	const touched = new Set(accountKeys(transaction));
	for (const { token, account, amount } of await unlistedTokens(rpc, owner))
		if (touched.has(account)) tokens.set(token, (tokens.get(token) ?? 0n) + amount);
	return { isInBlock: true, assets, tokens };
}
