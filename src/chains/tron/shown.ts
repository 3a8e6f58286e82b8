/**
 * Verifies a reserve by Tron's public nodes. They tell what an address has now, and of tokens all that came and went since; some
 * keep the coins of each block too (`storage.balance.history.lookup`). Where coins were spent since and the node
 * keeps none, it cannot tell: then the row is to be verified sooner. They tell also whose keys decide over an account: each of
 * them has to have signed.
 */
import * as z from 'zod/mini';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { ReserveBlock } from '../../ports/reserves.ts';
import { signersOf } from '../account-signature.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable, unlessUnavailable } from '../errors.ts';
import { type Shown, type SignedBy, type SignedText, soundly, type VerifyingFamily } from '../verifying-port.ts';
import { accountOf, tokenBalance } from './accounts.ts';
import { hashOf, tronAddress } from './address.ts';
import { TRANSFER_EVENT } from './credits.ts';
import { headOf } from './depth.ts';
import { type TronNode, useNodes } from './node.ts';
import { contractOf, tronParams } from './params.ts';
import { ACCOUNT_OR_NONE, HEADER_OR_NONE, units } from './shapes.ts';

const BALANCE = z.lazy(() => z.object({ balance: units }));
const AMOUNTS = z.lazy(() =>
	z.object({ result: z.array(z.object({ data: z.string().check(z.regex(/^0x[0-9a-f]{64}$/i)) })) }),
);
const WORD_DIGITS = 64;

export const tronVerifying: VerifyingFamily<NetworkOf<'tron'>> = {
	signedBy: (_network, _chain, text) => soundly(() => signersIn(text).includes(text.address)),
	shown: tronShown,
};

function tronShown(network: NetworkOf<'tron'>, node: NodeConfig): Shown {
	const params = tronParams(network, null);
	const use = useNodes(params, node);
	return {
		timeOf: ({ height, hash }) =>
			use(async (each) => {
				const found = await each.ask('/wallet/getblockbynum', HEADER_OR_NONE, { num: height });
				return found?.id === hash ? Math.floor(found.timestamp / 1000) : null;
			}),
		held: (asset, text, block, claimed) =>
			use(async (each) => {
				const { address } = text;
				const signed = await signedByOwners(each, text);
				if (signed !== 'all') return signed;
				if (asset === params.native) return coinsAt(each, address, block, claimed);
				return tokensAt(each, contractOf(params, asset), address, block.height);
			}),
	};
}

/** @throws Error where a signature is none */
const signersIn = (text: SignedText): string[] => signersOf('TRON', tronAddress, text);

/** The owner of an account may give it other keys: then its own key signs, and moves nothing. */
async function signedByOwners(node: TronNode, text: SignedText): Promise<SignedBy> {
	const { address } = text;
	const account = await node.ask('/wallet/getaccount', ACCOUNT_OR_NONE, { address, visible: true });
	const keys = account?.owner_permission?.keys ?? [];
	const owners = keys.length > 0 ? keys.map((key) => key.address) : [address];
	const signers = signersIn(text);
	if (owners.every((owner) => signers.includes(owner))) return 'all';
	return owners.some((owner) => signers.includes(owner)) ? 'some' : 'none';
}

/** @throws ChainUnavailable also where the node tells only of now, and there is less now than is claimed */
async function coinsAt(node: TronNode, address: string, block: ReserveBlock, claimed: bigint): Promise<bigint> {
	const { height: number, hash } = block;
	const asked = { account_identifier: { address }, block_identifier: { hash, number }, visible: true };
	const kept = await node.ask('/wallet/getaccountbalance', BALANCE, asked).catch(unlessUnavailable);
	if (kept) return kept.balance;
	const { balance } = await accountOf(node, address);
	if (balance >= claimed) return balance;
	throw new ChainUnavailable(`the node keeps no balances of blocks, and the address has ${balance} sun now`);
}

/** The balance now, less what came and more what went in the blocks after this one. */
async function tokensAt(node: TronNode, contract: string, address: string, height: number): Promise<bigint> {
	const gained = async () => {
		const { height: head } = await headOf(node);
		if (head <= height) return 0n;
		const among = { contract, from: height + 1, through: head };
		return (await moved(node, among, [null, wordOf(address)])) - (await moved(node, among, [wordOf(address), null]));
	};
	const before = await gained();
	const now = await tokenBalance(node, contract, address);
	if ((await gained()) !== before) throw new ChainUnavailable('a transfer came meanwhile: verify it again');
	return now - before;
}

const wordOf = (address: string): string => `0x${hashOf(address).padStart(WORD_DIGITS, '0')}`;

/** Base units of a token in transfers with these topics, which are sender and recipient. */
async function moved(
	node: TronNode,
	{ contract, from, through }: { readonly contract: string; readonly from: number; readonly through: number },
	parties: readonly (string | null)[],
): Promise<bigint> {
	const [fromBlock, toBlock] = [from, through].map((at) => `0x${at.toString(16)}`);
	const topics = [`0x${TRANSFER_EVENT}`, ...parties];
	const filter = { fromBlock, toBlock, address: [`0x${hashOf(contract)}`], topics };
	const body = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] };
	const { result } = await node.ask('/jsonrpc', AMOUNTS, body);
	return result.reduce((sum, { data }) => sum + BigInt(data), 0n);
}
