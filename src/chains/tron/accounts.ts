/**
 * An account's balances: coins as the node reports them, tokens as their contract reports them. Also simulates
 * transfers of tokens.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable, unlessUnavailable } from '../errors.ts';
import { hashOf } from './address.ts';
import type { TronNode } from './node.ts';
import { contractOf } from './params.ts';
import { ACCOUNT_OR_NONE, CONSTANT_CALL, textOf } from './shapes.ts';
import { type TokenTransfer, transferParameter } from './transaction.ts';

export interface Account {
	/** The first coins that are sent to an account create it, which costs their sender a fee. */
	readonly exists: boolean;
	readonly isContract: boolean;
	/** Sun. */
	readonly balance: bigint;
	/** Does a transaction of it need more than one signature? The network charges for that. */
	readonly needsBoth: boolean;
}

const WORD = /^[0-9a-fA-F]{64}$/;
const WORD_DIGITS = 64;

/** @throws ChainUnavailable */
export async function accountOf(node: TronNode, address: string): Promise<Account> {
	const account = await node.ask('/wallet/getaccount', ACCOUNT_OR_NONE, { address, visible: true });
	if (!account) return { exists: false, isContract: false, balance: 0n, needsBoth: false };
	if (account.address !== address) throw new ChainUnavailable(`asked for ${address}, got ${account.address}`);
	const needsBoth = (account.owner_permission?.threshold ?? 1) > 1;
	return { exists: true, isContract: account.type === 'Contract', balance: account.balance, needsBoth };
}

/** Base units. @throws ChainUnavailable */
export async function tokenBalance(node: TronNode, contract: string, address: string): Promise<bigint> {
	const words = await read(node, contract, 'balanceOf(address)', hashOf(address).padStart(WORD_DIGITS, '0'));
	if (!WORD.test(words)) throw new ChainUnavailable(`${contract} returned no balance: ${words}`);
	return BigInt(`0x${words}`);
}

/** Base units of the coin or of a token. @throws ChainUnavailable */
export const heldBy = async (node: TronNode, asset: AssetId, address: string): Promise<bigint> =>
	asset === node.params.native
		? (await accountOf(node, address)).balance
		: tokenBalance(node, contractOf(node.params, asset), address);

/** As the contract says; nothing where it does not. */
export const saidBalance = async (node: TronNode, contract: string, address: string): Promise<bigint> =>
	(await tokenBalance(node, contract, address).catch(unlessUnavailable)) ?? 0n;

/** Calls a contract's function without changing anything. Returns hex. @throws ChainUnavailable */
export async function read(node: TronNode, contract: string, signature: string, parameter = ''): Promise<string> {
	const outcome = await constantCall(node, { owner: contract, contract, signature, parameter });
	if ('reverted' in outcome) throw new ChainUnavailable(`${signature} of ${contract}: ${outcome.reverted}`);
	return outcome.returned;
}

/** Simulates a transfer. @throws ChainUnavailable */
export const simulate = (node: TronNode, transfer: Omit<TokenTransfer, 'feeLimit'>): Promise<Outcome> =>
	constantCall(node, {
		owner: transfer.from,
		contract: transfer.contract,
		signature: 'transfer(address,uint256)',
		parameter: transferParameter(transfer),
	});

export type Outcome = { readonly energy: bigint; readonly returned: string } | { readonly reverted: string };

/** Does the contract answer one word to a function without arguments? @throws ChainUnavailable */
export async function answersWord(node: TronNode, contract: string, signature: string): Promise<boolean> {
	const outcome = await constantCall(node, { owner: contract, contract, signature, parameter: '' });
	return 'returned' in outcome && WORD.test(outcome.returned);
}

async function constantCall(
	node: TronNode,
	{
		owner,
		contract,
		signature,
		parameter,
	}: { readonly owner: string; readonly contract: string; readonly signature: string; readonly parameter: string },
): Promise<Outcome> {
	const answer = await node.ask('/wallet/triggerconstantcontract', CONSTANT_CALL, {
		owner_address: owner,
		contract_address: contract,
		function_selector: signature,
		parameter,
		visible: true,
	});
	const { result, energy_used, constant_result, transaction } = answer;
	const message = textOf(result.message);
	if (!result.result) throw new ChainUnavailable(`${signature} of ${contract}: ${result.code ?? ''} ${message}`);
	// A call that reverts or runs out of energy also has `result: true`.
	if (message || transaction.ret.some(({ ret }) => ret !== undefined && ret !== 'SUCESS' && ret !== 'SUCCESS'))
		return { reverted: message || 'it fails' };
	return { energy: BigInt(energy_used), returned: constant_result.join('') };
}
