/**
 * Reads fewer receipts where nothing is open. A receipt is needed for what contracts pay. Tokens show in the node's index
 * of logs, one call for many blocks; coins that a contract pays show nowhere else, but nearly every such call names
 * whom it pays. So receipts are read only of blocks that name an address of ours, and of all blocks while an order in the
 * coin is watched. Only irreversible blocks are read, so that logs and blocks are of one branch.
 */
import { hex } from '@scure/base';
import { unlessUnavailable } from '../errors.ts';
import type { Watched } from '../port.ts';
import { tronAddress } from './address.ts';
import { runsContract, TRANSFER_EVENT } from './credits.ts';
import type { BlockPlace } from './depth.ts';
import type { TronNode } from './node.ts';
import type { TronParams } from './params.ts';
import { type Block, CALL, LOGS, type Transaction } from './shapes.ts';

/** A block that names more than this is read with its receipts: one that is full of addresses makes no work. */
const MOST_NAMES = 2_000;
const SELECTOR_DIGITS = 8;
const WORD_DIGITS = 64;
/** `transfer(address,uint256)`, which always writes an event where it worked. */
const TRANSFER_SELECTOR = 'a9059cbb';
/** An address as an argument of a call, with or without Tron's version byte. A number of coins is smaller. */
const NAME = /^0{22}(?:00|41)((?!0{8})[0-9a-f]{40})$/;

export interface Quiet {
	/** The last block to read. */
	readonly through: number;
	/** Heights of those of these blocks whose receipts may show a payment to us. */
	mayPayUs(blocks: readonly Block[]): Promise<ReadonlySet<number>>;
}

/** Hashes of addresses by the height of the block whose logs say that a listed token was paid to them. */
type Paid = ReadonlyMap<number, ReadonlySet<string>>;

/** Null where all receipts must be read: an order in the coin is watched, or the node has no index of logs. */
export async function quietReading(
	node: TronNode,
	{ after, solid, most }: { readonly after: number; readonly solid: BlockPlace; readonly most: number },
	watched: Watched,
): Promise<Quiet | null> {
	const { params } = node;
	const coins = await watched({ anyOf: params.native });
	if (coins.some(({ asset }) => asset === params.native)) return null;
	const through = Math.min(solid.height, after + most);
	const paid = through > after ? await paidIn(node, after + 1, through) : new Map();
	if (!paid) return null;
	return {
		through,
		async mayPayUs(blocks) {
			const named = blocks.map((block) => [block.height, namesIn(params, block, paid)] as const);
			const hashes = new Set(named.flatMap(([, names]) => [...(names ?? [])]));
			const ours = await watched([...hashes].map((hash) => tronAddress(hex.decode(hash))));
			const addresses = new Set(ours.map(({ address }) => address));
			const isOurs = (hash: string) => addresses.has(tronAddress(hex.decode(hash)));
			return new Set(named.flatMap(([height, names]) => (!names || [...names].some(isOurs) ? [height] : [])));
		},
	};
}

/** Null where the node cannot say. */
async function paidIn(node: TronNode, from: number, through: number): Promise<Paid | null> {
	const [fromBlock, toBlock] = [from, through].map((height) => `0x${height.toString(16)}`);
	const address = [...node.params.tokens.keys()].map((contract) => `0x${contract}`);
	const filter = { fromBlock, toBlock, address, topics: [`0x${TRANSFER_EVENT}`] };
	const body = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] };
	const logs = await node.ask('/jsonrpc', LOGS, body).catch(unlessUnavailable);
	if (!logs) return null;
	const paid = new Map<number, Set<string>>();
	for (const { height, recipient } of logs.result) paid.set(height, (paid.get(height) ?? new Set()).add(recipient));
	return paid;
}

/** Null where the receipts must be read: there are too many, a contract is made, or the logs lack a transfer. */
function namesIn({ tokens }: TronParams, { height, transactions }: Block, paid: Paid): ReadonlySet<string> | null {
	const inLogs = paid.get(height) ?? new Set();
	const names = new Set(inLogs);
	for (const transaction of transactions.filter(runsContract)) {
		const call = callOf(transaction);
		if (!call) return null;
		const isTransfer = tokens.has(call.contract_address) && call.data.startsWith(TRANSFER_SELECTOR);
		const recipients = isTransfer && hasWorked(transaction) ? addressAt(call.data, SELECTOR_DIGITS) : [];
		if (recipients.some((recipient) => !inLogs.has(recipient))) return null;
		for (const name of namedBy(call.data)) names.add(name);
		if (names.size > MOST_NAMES) return null;
	}
	return names;
}

const hasWorked = ({ ret }: Transaction): boolean => ret[0]?.contractRet === 'SUCCESS';

function callOf({ raw_data }: Transaction) {
	const [contract] = raw_data.contract;
	const call = contract?.type === 'TriggerSmartContract' ? CALL.safeParse(contract.parameter?.value) : null;
	return call?.success ? { ...call.data, data: call.data.data.toLowerCase() } : null;
}

/** Hashes of the addresses among the words of a call, after a selector or without one. */
function namedBy(data: string): string[] {
	const names: string[] = [];
	for (const start of [SELECTOR_DIGITS, 0]) {
		for (let at = start; at < data.length && names.length <= MOST_NAMES; at += WORD_DIGITS)
			names.push(...addressAt(data, at));
	}
	return names;
}

const addressAt = (data: string, at: number): string[] => NAME.exec(data.slice(at, at + WORD_DIGITS))?.slice(1) ?? [];
