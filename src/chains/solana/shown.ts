/**
 * Verifies a reserve by Solana's public nodes. A transaction says what each of its accounts had before it: so in a slot an
 * account had what the first transaction since found there, or what it has now.
 */
import type * as z from 'zod/mini';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { Shown, VerifyingFamily } from '../verifying-port.ts';
import { accountsAt } from './accounts.ts';
import { accountOf, mintOf } from './assets.ts';
import { accountKeys } from './credits.ts';
import { FINAL, solanaRpc } from './node.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import { heldIn } from './scan.ts';
import { NO_DETAILS, SIGNATURES, TIMED_BLOCK, TRANSACTION_OR_NONE } from './shapes.ts';
import { signedBy } from './text-signature.ts';

type Listed = z.output<typeof SIGNATURES>;
/** Transactions in one answer, and answers that are read back. */
const PER_ANSWER = 1_000;
const MOST_ANSWERS = 20;

export const solanaVerifying: VerifyingFamily<NetworkOf<'solana'>> = {
	signedBy: (_network, _chain, text) => signedBy(text),
	shown: solanaShown,
};

function solanaShown(network: NetworkOf<'solana'>, node: NodeConfig): Shown {
	const rpc = solanaRpc(network, node);
	return {
		async timeOf({ height, hash }) {
			const found = await ask(rpc, TIMED_BLOCK, 'getBlock', height, NO_DETAILS);
			return found.blockhash === hash ? found.blockTime : null;
		},
		async held(asset, { address }, { height }) {
			const account = accountOf(address, asset);
			if (mintOf(asset) === null && !(await isWallet(rpc, address))) return 0n;
			const first = await firstSince(rpc, account, height);
			if (first !== null) return heldBefore(rpc, { asset, owner: address, account }, first);
			const { accounts } = await accountsAt(rpc, [account], FINAL);
			return heldIn(accounts[0] ?? null, address, asset);
		},
	};
}

/**
 * Does the key of the address move its coins? Of an account that belongs to a program it moves none: the key has made it, and the
 * program says whose they are, as it does for wrapped coins, stakes and nonces.
 */
async function isWallet(rpc: JsonRpc, address: string): Promise<boolean> {
	const [account] = (await accountsAt(rpc, [address], FINAL)).accounts;
	return !account || (account.owner === SYSTEM_PROGRAM && account.data.length === 0);
}

/** The id of the first transaction after this slot that names the account; null where there is none. */
async function firstSince(rpc: JsonRpc, account: string, slot: number): Promise<string | null> {
	let first: string | null = null;
	for (let answers = 0; answers < MOST_ANSWERS; answers++) {
		const options = { commitment: FINAL, limit: PER_ANSWER, ...(first !== null && { before: first }) };
		const found: Listed = await ask(rpc, SIGNATURES, 'getSignaturesForAddress', account, options);
		const since = found.filter((each) => each.slot > slot);
		first = since.at(-1)?.signature ?? first;
		if (since.length < PER_ANSWER) return first;
	}
	throw new ChainUnavailable(`${account} has too many transactions since slot ${slot}`);
}

interface Asked {
	readonly asset: AssetId;
	readonly owner: string;
	readonly account: string;
}

/** An account that has another owner counts nothing. */
async function heldBefore(rpc: JsonRpc, { asset, owner, account }: Asked, txId: string): Promise<bigint> {
	const options = { encoding: 'json', commitment: FINAL, maxSupportedTransactionVersion: 0 };
	const found = await ask(rpc, TRANSACTION_OR_NONE, 'getTransaction', txId, options);
	if (!found) throw new ChainUnavailable(`the node has lost ${txId}`);
	const { meta } = found;
	const at = accountKeys(found).indexOf(account);
	const before = meta.preBalances[at];
	if (before === undefined) throw new ChainUnavailable(`${txId} does not name ${account}`);
	const mint = mintOf(asset);
	if (mint === null) return before;
	const held = (meta.preTokenBalances ?? []).find((each) => each.accountIndex === at && each.mint === mint);
	return held?.owner === owner ? held.uiTokenAmount.amount : 0n;
}
