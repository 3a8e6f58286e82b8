/**
 * A STAND-IN for a Tron full node, because none is available to the tests: Tron's HTTP API over anvil (tron-ledger.ts).
 * It is not java-tron: it has no market for energy, no staking, no free bandwidth, and only `mine` makes blocks. It
 * shows that requests and transactions have the form that Tron documents, and that amounts add up.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Anvil } from './anvil.ts';
import { addressOf, callData, hash20 } from './tron-abi.ts';
import { answerTo, type Body } from './tron-answers.ts';
import { hexOf, startTronLedger, type Terms, WEI_PER_SUN } from './tron-ledger.ts';
import { tokenCode } from './tron-token.ts';

/** `honest` is what the node would say; `undefined` lets it say that. */
export type TronInterception = (path: string, body: Body, honest: () => Promise<unknown>) => unknown;

export interface TronCall {
	readonly path: string;
	readonly body: Body;
	readonly headers: Readonly<Record<string, unknown>>;
}

export interface TronStandIn {
	readonly url: string;
	readonly evm: Anvil;
	readonly calls: readonly TronCall[];
	intercept(interception: TronInterception): void;
	mine(blocks: number): Promise<void>;
	height(): Promise<number>;
	/** Removes the last blocks with their transactions. */
	rollback(blocks: number): Promise<void>;
	/** From the customer, into the next block; ids. */
	pay(to: string, sun: bigint): Promise<string>;
	payToken(to: string, units: bigint, contract?: string): Promise<string>;
	/** `data`: hex. */
	call(contract: string, data: string, sun?: bigint): Promise<string>;
	/** Sets the balance at once, without a transaction. */
	setBalance(address: string, sun: bigint): Promise<void>;
	/** Adds base units of a token, and mines a block. */
	issue(address: string, units: bigint, contract?: string): Promise<void>;
	setCode(address: string, code: string): Promise<void>;
	balanceOf(address: string): Promise<bigint>;
	tokenBalanceOf(address: string, contract?: string): Promise<bigint>;
	stop(): Promise<void>;
}

export const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const CUSTOMER_HASH = 'c0'.repeat(20);
export const CUSTOMER = addressOf(CUSTOMER_HASH);

const TRX = 1_000_000n;
const CUSTOMER_FUNDS = 10_000_000n * TRX;
const CUSTOMER_BYTES = 200;
const CUSTOMER_FEE_LIMIT = 100n * TRX;

export async function startTronStandIn(): Promise<TronStandIn> {
	const ledger = await startTronLedger();
	const { evm } = ledger;
	const calls: TronCall[] = [];
	let interception: TronInterception = () => undefined;

	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		try {
			const path = request.url ?? '';
			const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
			calls.push({ path, body, headers: request.headers });
			const honest = () => answerTo(ledger, path, body);
			const answer = (await interception(path, body, honest)) ?? (await honest());
			response.setHeader('content-type', 'application/json');
			response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
		} catch (error) {
			response.statusCode = 500;
			response.end(JSON.stringify({ Error: String(error) }));
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

	const asCustomer = (terms: Partial<Terms> & Pick<Terms, 'kind' | 'to'>): Promise<string> =>
		ledger.admit({
			amount: 0n,
			data: '',
			feeLimit: CUSTOMER_FEE_LIMIT,
			bytes: CUSTOMER_BYTES,
			owner: CUSTOMER_HASH,
			...terms,
		});
	const setBalance = async (address: string, sun: bigint): Promise<void> => {
		await evm.rpc('anvil_setBalance', `0x${hash20(address)}`, hexOf(sun * WEI_PER_SUN));
	};
	const setCode = async (address: string, code: string): Promise<void> => {
		await evm.rpc('anvil_setCode', `0x${hash20(address)}`, code);
	};
	const call = (contract: string, data: string, sun = 0n): Promise<string> =>
		asCustomer({ kind: 'TriggerSmartContract', to: hash20(contract), amount: sun, data });

	const standIn: TronStandIn = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		evm,
		calls,
		intercept(next) {
			interception = next;
		},
		mine: (blocks) => ledger.mine(blocks),
		height: async () => Number(await evm.rpc('eth_blockNumber')),
		async rollback(blocks) {
			await evm.rpc('anvil_rollback', blocks);
		},
		pay: (to, sun) => asCustomer({ kind: 'TransferContract', to: hash20(to), amount: sun }),
		payToken: (to, units, contract = USDT) => call(contract, callData('transfer(address,uint256)', to, units)),
		call,
		setBalance,
		async issue(address, units, contract = USDT) {
			await call(contract, callData('issue(address,uint256)', address, units));
			await ledger.mine(1);
		},
		setCode,
		balanceOf: (address) => ledger.balance(hash20(address)),
		async tokenBalanceOf(address, contract = USDT) {
			const data = `0x${callData('balanceOf(address)', address)}`;
			return BigInt((await evm.rpc('eth_call', { to: `0x${hash20(contract)}`, data }, 'latest')) as string);
		},
		async stop() {
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			});
			await evm.stop();
		},
	};
	await setBalance(CUSTOMER, CUSTOMER_FUNDS);
	await setCode(USDT, tokenCode());
	await standIn.issue(CUSTOMER, 10n ** 15n);
	return standIn;
}
