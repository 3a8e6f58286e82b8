/** What the stand-in answers to each path of Tron's HTTP API, from its ledger. */
import { hash20, selector } from './tron-abi.ts';
import { blockId, type EvmBlock, hexOf, type Recorded, type TronLedger, WEI_PER_SUN } from './tron-ledger.ts';
import { PRICES, permissionOf, Refusal, SOLID_BLOCKS } from './tron-rules.ts';

export type Body = Readonly<Record<string, unknown>>;

const asHex = (text: string): string => Buffer.from(text).toString('hex');

export async function answerTo(ledger: TronLedger, path: string, body: Body): Promise<unknown> {
	const id = String(body['value']);
	switch (path) {
		case '/wallet/getblock':
			return header(await ledger.block(body['id_or_num'] === undefined ? 'latest' : hexOf(Number(body['id_or_num']))));
		case '/walletsolidity/getblock':
			return header(await ledger.block(hexOf(await solidHeight(ledger))));
		case '/wallet/getblockbynum':
			return fullBlock(ledger, Number(body['num']));
		case '/wallet/getblockbylimitnext':
			return { block: await blocks(ledger, Number(body['startNum']), Number(body['endNum'])) };
		case '/wallet/gettransactioninfobyblocknum':
			return infosIn(ledger, Number(body['num']));
		case '/wallet/gettransactioninfobyid':
			return (await infoOf(ledger, await ledger.recorded(id))) ?? {};
		case '/wallet/gettransactionbyid':
			return (await minedTransaction(ledger, id)) ?? {};
		case '/wallet/gettransactionfrompending':
			return (await pendingTransaction(ledger, id)) ?? {};
		case '/wallet/getaccount':
			return account(ledger, String(body['address']));
		case '/wallet/getchainparameters':
			return chainParameters();
		case '/wallet/triggerconstantcontract':
			return constantCall(ledger, body);
		case '/jsonrpc':
			return { jsonrpc: '2.0', id: body['id'], result: await logsIn(ledger, body) };
		case '/wallet/broadcasthex':
			return broadcast(ledger, String(body['transaction']));
		default:
			throw new Error(`the stand-in does not know ${path}`);
	}
}

const solidHeight = async ({ evm }: TronLedger): Promise<number> =>
	Math.max(0, Number(await evm.rpc('eth_blockNumber')) - SOLID_BLOCKS);

function header(block: EvmBlock | null): Record<string, unknown> {
	if (!block) return {};
	const number = Number(block.number);
	return {
		blockID: blockId(number, block.hash),
		block_header: {
			raw_data: {
				// Protobuf leaves zero out.
				...(number === 0 ? {} : { number, parentHash: blockId(number - 1, block.parentHash) }),
				timestamp: Number(block.timestamp) * 1000,
			},
		},
	};
}

async function fullBlock(ledger: TronLedger, number: number): Promise<Record<string, unknown>> {
	const block = await ledger.block(hexOf(number));
	const recorded = await Promise.all((block?.transactions ?? []).map((hash) => ledger.recorded(hash)));
	const own = recorded.filter((each) => each !== null);
	const transactions = await Promise.all(own.map((each) => minedTransaction(ledger, each.txId)));
	return transactions.length > 0 ? { ...header(block), transactions } : header(block);
}

async function blocks(ledger: TronLedger, start: number, end: number): Promise<unknown[]> {
	const head = Number(await ledger.evm.rpc('eth_blockNumber'));
	const numbers = Array.from({ length: Math.min(end, head + 1, start + 100) - start }, (_, at) => start + at);
	return Promise.all(numbers.map((number) => fullBlock(ledger, number)));
}

function transactionOf({ txId, kind, owner, to, amount, data }: Recorded): Record<string, unknown> {
	const value =
		kind === 'TransferContract'
			? { owner_address: `41${owner}`, to_address: `41${to}`, amount: Number(amount) }
			: { owner_address: `41${owner}`, contract_address: `41${to}`, data, call_value: Number(amount) };
	const type_url = `type.googleapis.com/protocol.${kind}`;
	return { txID: txId, raw_data: { contract: [{ type: kind, parameter: { value, type_url } }] } };
}

async function minedTransaction(ledger: TronLedger, txId: string): Promise<Record<string, unknown> | null> {
	const recorded = await ledger.recorded(txId);
	const info = await infoOf(ledger, recorded);
	if (!recorded || !info) return null;
	return { ...transactionOf(recorded), ret: [{ contractRet: info.receipt['result'] ?? 'SUCCESS' }] };
}

async function pendingTransaction(ledger: TronLedger, txId: string): Promise<Record<string, unknown> | null> {
	const recorded = await ledger.recorded(txId);
	return recorded && !(await infoOf(ledger, recorded)) ? transactionOf(recorded) : null;
}

interface Receipt {
	readonly status: string;
	readonly gasUsed: string;
	readonly blockNumber: string;
	readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

async function infoOf(ledger: TronLedger, recorded: Recorded | null) {
	const receipt = recorded && ((await ledger.evm.rpc('eth_getTransactionReceipt', recorded.evmHash)) as Receipt | null);
	if (!recorded || !receipt) return null;
	const { txId, kind, netFee } = recorded;
	const isTransfer = kind !== 'TriggerSmartContract';
	const energy = isTransfer ? 0n : BigInt(receipt.gasUsed);
	const failed = receipt.status !== '0x1';
	return {
		id: txId,
		fee: Number(netFee + energy * PRICES.energy),
		blockNumber: Number(receipt.blockNumber),
		contractResult: [''],
		receipt: {
			net_fee: Number(netFee),
			...(isTransfer ? {} : { energy_usage_total: Number(energy), energy_fee: Number(energy * PRICES.energy) }),
			...(isTransfer ? {} : { result: failed ? 'REVERT' : 'SUCCESS' }),
		} as Record<string, unknown>,
		...(failed ? { result: 'FAILED', resMessage: asHex('REVERT opcode executed') } : {}),
		...(receipt.logs.length > 0 ? { log: receipt.logs.map(logOf) } : {}),
		...(isTransfer ? {} : await internalTransactions(ledger, recorded)),
	};
}

const logOf = ({ address, topics, data }: Receipt['logs'][number]) => ({
	address: address.slice(2),
	topics: topics.map((topic) => topic.slice(2)),
	data: data.slice(2),
});

async function infosIn(ledger: TronLedger, number: number): Promise<unknown[]> {
	const block = await ledger.block(hexOf(number));
	const recorded = await Promise.all((block?.transactions ?? []).map((hash) => ledger.recorded(hash)));
	return Promise.all(recorded.filter((each) => each !== null).map((each) => infoOf(ledger, each)));
}

/** `eth_getLogs`, the only method of the stand-in's JSON-RPC. */
async function logsIn(ledger: TronLedger, { method, params }: Body): Promise<unknown[]> {
	if (method !== 'eth_getLogs') throw new Error(`the stand-in does not know ${String(method)}`);
	const logs = (await ledger.evm.rpc('eth_getLogs', ...(params as unknown[]))) as Record<string, string>[];
	return Promise.all(
		logs.map(async ({ blockHash = '', blockNumber = '', transactionHash = '', ...log }) => ({
			...log,
			blockHash: `0x${blockId(Number(blockNumber), blockHash)}`,
			blockNumber,
			transactionHash: `0x${(await ledger.recorded(transactionHash))?.txId}`,
		})),
	);
}

interface Frame {
	readonly from: string;
	readonly to?: string;
	readonly value?: string;
	readonly error?: string;
	readonly calls?: readonly Frame[];
}

/** The outermost call is the transaction itself. */
async function internalTransactions({ evm }: TronLedger, { evmHash }: Recorded): Promise<Record<string, unknown>> {
	const frame = (await evm.rpc('debug_traceTransaction', evmHash, { tracer: 'callTracer' })) as Frame;
	const below = ({ calls = [], error }: Frame, undone: boolean): Record<string, unknown>[] =>
		calls.flatMap((call) => {
			const rejected = undone || error !== undefined || call.error !== undefined;
			const callValue = Number(BigInt(call.value ?? '0x0') / WEI_PER_SUN);
			const own = {
				caller_address: `41${call.from.slice(2)}`,
				transferTo_address: `41${call.to?.slice(2)}`,
				callValueInfo: callValue > 0 ? [{ callValue }] : [{}],
				note: asHex('call'),
				...(rejected ? { rejected } : {}),
			};
			return [own, ...below(call, rejected)];
		});
	const internal = below(frame, false);
	return internal.length > 0 ? { internal_transactions: internal } : {};
}

async function account(ledger: TronLedger, address: string): Promise<Record<string, unknown>> {
	const hash = hash20(address);
	if (!(await ledger.exists(hash))) return {};
	const balance = Number(await ledger.balance(hash));
	const type = (await ledger.isContract(hash)) ? { type: 'Contract' } : {};
	const { owner, actives } = ledger.permissions(hash);
	return {
		address,
		...(balance > 0 ? { balance } : {}),
		...type,
		owner_permission: permissionOf(owner),
		active_permission: actives.map((active) => ({ type: 'Active', ...permissionOf(active) })),
	};
}

const chainParameters = () => ({
	chainParameter: [
		{ key: 'getMaintenanceTimeInterval', value: 21_600_000 },
		{ key: 'getEnergyFee', value: Number(PRICES.energy) },
		{ key: 'getTransactionFee', value: Number(PRICES.bandwidth) },
		{ key: 'getCreateAccountFee', value: Number(PRICES.createAccount) },
		{ key: 'getCreateNewAccountFeeInSystemContract', value: Number(PRICES.createSystem) },
		{ key: 'getMultiSignFee', value: Number(PRICES.multiSign) },
		{ key: 'getUpdateAccountPermissionFee', value: Number(PRICES.permissions) },
		{ key: 'getRemoveThePowerOfTheGr' },
	],
});

async function constantCall({ evm, isContract }: TronLedger, body: Body): Promise<unknown> {
	const [from, to] = [body['owner_address'], body['contract_address']].map((text) => hash20(String(text)));
	if (!(await isContract(to ?? '')))
		return { result: { code: 'CONTRACT_VALIDATE_ERROR', message: asHex('Smart contract is not exist.') } };
	const data = `0x${selector(String(body['function_selector']))}${String(body['parameter'] ?? '')}`;
	const call = { from: `0x${from}`, to: `0x${to}`, data, gasPrice: '0x0' };
	try {
		const returned = (await evm.rpc('eth_call', call, 'latest')) as string;
		const energy = Number(await evm.rpc('eth_estimateGas', call));
		const transaction = { ret: [{}] };
		return { result: { result: true }, energy_used: energy, constant_result: [returned.slice(2)], transaction };
	} catch {
		const result = { result: true, message: asHex('REVERT opcode executed') };
		return { result, energy_used: 1_000, constant_result: [''], transaction: { ret: [{ ret: 'FAILED' }] } };
	}
}

async function broadcast(ledger: TronLedger, text: string): Promise<unknown> {
	try {
		return { result: true, txid: await ledger.take(text) };
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return { code: error.code, message: asHex(error.message) };
	}
}
