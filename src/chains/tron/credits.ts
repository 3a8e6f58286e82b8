/**
 * The credits of one transaction: by itself, from inside a contract, or in a token. Pure. Not counted are TRC-10
 * tokens, tokens of other contracts, reverted transfers, resources that a contract only lends, and coins of the hot
 * wallet: it pays no address of ours but for gas, which may come to an address whose order asked for coins.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { DepositRef } from '../port.ts';
import { hashOf } from './address.ts';
import type { TronParams } from './params.ts';
import { type Info, TRANSFER, type Transaction } from './shapes.ts';

/** The transaction is a transfer of the coin itself. */
export const NATIVE = 'native';
/** Coins that contracts sent to the address during the transaction, all in one sum. */
export const INTERNAL = 'internal';

export interface Credit {
	readonly txId: string;
	/** `native`, `internal`, or `log:<n>`: the n-th event of the transaction. */
	readonly position: string;
	/** Hash of the recipient's address, hex. */
	readonly to: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

const SUCCESS = 'SUCCESS';
/** keccak256 of `Transfer(address,address,uint256)`. */
export const TRANSFER_EVENT = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const HASH_DIGITS = 40;
const WORD = /^[0-9a-f]{64}$/i;
const CONTRACT = /^[0-9a-f]{40}$/;
/**
 * Notes of internal transactions that move coins: `call` and `suicide`, in hex. Others (`delegateResourceOfEnergy`,
 * `freezeBalanceV2ForEnergy`, …) also have a recipient and a value, but nothing arrives.
 */
const MOVES_COINS = new Set(['63616c6c', '73756963696465']);

/** Contracts run only in these types. Only they have events and internal transactions. */
const RUNS_CONTRACT = new Set(['TriggerSmartContract', 'CreateSmartContract']);

export const runsContract = ({ raw_data }: Transaction): boolean =>
	raw_data.contract.some(({ type }) => RUNS_CONTRACT.has(type));

/** Did the transaction do what it was meant to? The receipt of a plain transfer has no result where it worked. */
export const succeeded = ({ result, receipt }: Info): boolean =>
	result === undefined && (receipt.result ?? SUCCESS) === SUCCESS;

/** `info`: the transaction's receipt, needed where it runs a contract. */
export function creditsOf(params: TronParams, transaction: Transaction, info: Info | undefined): Credit[] {
	if (!runsContract(transaction)) return transfers(params, transaction);
	return info ? contractCredits(params, info) : [];
}

/** The credits of a transaction that runs a contract. The same transaction may bring something else after a fork. */
export function contractCredits(params: TronParams, info: Info): Credit[] {
	if (info.receipt.result !== SUCCESS || !succeeded(info)) return [];
	return [...tokenTransfers(params, info), ...internalTransfers(params, info)];
}

/** All fields of a credit as one text, to compare them. */
export const keyOf = ({ txId, position, to, asset, amount }: Credit): string =>
	[txId, position, to, asset, amount].join(' ');

/** The same of a recorded deposit. @throws where its address is not one of Tron */
export const claimOf = (ref: DepositRef): string => keyOf({ ...ref, to: hashOf(ref.address) });

/** A transaction has exactly one contract: java-tron refuses any other number. */
function transfers({ native, hot }: TronParams, { txID, ret, raw_data }: Transaction): Credit[] {
	const [contract, second] = raw_data.contract;
	if (contract?.type !== 'TransferContract' || second || ret[0]?.contractRet !== SUCCESS) return [];
	const transfer = TRANSFER.safeParse(contract.parameter?.value);
	if (!transfer.success) return [];
	const { amount, to_address: to, owner_address: from } = transfer.data;
	return amount > 0n && from !== hot ? [{ txId: txID, position: NATIVE, to, asset: native, amount }] : [];
}

/** Transfers of more than zero by any token, as its contract says. */
const paidBy = ({ log }: Info) =>
	log.flatMap(({ address, topics, data }, at) => {
		const [event, , recipient] = topics;
		if (topics.length !== 3 || event?.toLowerCase() !== TRANSFER_EVENT) return [];
		if (!recipient || !WORD.test(recipient) || !WORD.test(data)) return [];
		const amount = BigInt(`0x${data}`);
		const to = recipient.slice(-HASH_DIGITS).toLowerCase();
		return amount > 0n ? [{ contract: address.toLowerCase(), position: `log:${at}`, to, amount }] : [];
	});

const tokenTransfers = ({ tokens }: TronParams, info: Info): Credit[] =>
	paidBy(info).flatMap(({ contract, ...paid }): Credit[] => {
		const asset = tokens.get(contract);
		return asset ? [{ txId: info.id, asset, ...paid }] : [];
	});

/** Hashes of the contracts of other tokens that say that they paid this address. */
export const unlistedIn = ({ tokens }: TronParams, info: Info, recipient: string): string[] => [
	...new Set(
		paidBy(info).flatMap(({ contract, to }) =>
			to === recipient && !tokens.has(contract) && CONTRACT.test(contract) ? [contract] : [],
		),
	),
];

/** One credit per recipient: several calls of one transaction that pay the same address are added up. */
function internalTransfers({ native }: TronParams, { id, internal_transactions: internals }: Info): Credit[] {
	const sums = new Map<string, bigint>();
	for (const { transferTo_address: to, callValueInfo, note, rejected } of internals) {
		const value = callValueInfo.reduce(
			(sum, { callValue, tokenId }) => (tokenId === undefined ? sum + (callValue ?? 0n) : sum),
			0n,
		);
		if (rejected || value === 0n || !to || !MOVES_COINS.has(note?.toLowerCase() ?? '')) continue;
		const hash = to.slice(-HASH_DIGITS).toLowerCase();
		sums.set(hash, (sums.get(hash) ?? 0n) + value);
	}
	return [...sums].map(([to, amount]) => ({ txId: id, position: INTERNAL, to, asset: native, amount }));
}
