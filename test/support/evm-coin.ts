/** What a customer does with the coin of an EVM network, and how tests name deposits of it. */
import type { DepositRef, WatchedAddress } from '../../src/chains/port.ts';
import type { Payment } from '../../src/chains/signing-port.ts';
import { CUSTOMER, type Ethereum, hexOf, refOf } from './ethereum.ts';

export interface CoinMoves {
	/** Into the mempool. */
	submit(transaction: Record<string, string>): Promise<string>;
	/** Into a block of its own. */
	send(transaction: Record<string, string>): Promise<string>;
	/** Pays from inside a call of a contract with this code, in a block of its own. */
	payThrough(code: string, to: string, value: bigint): Promise<string>;
	blockHash(height: number): Promise<string>;
	cursorNow(): Promise<string>;
}

export function coinMoves({ anvil, chain }: Ethereum): CoinMoves {
	let contracts = 0;
	const submit: CoinMoves['submit'] = async (transaction) =>
		String(await anvil.rpc('eth_sendTransaction', { from: CUSTOMER, ...transaction }));
	const send: CoinMoves['send'] = async (transaction) => {
		const txId = await submit(transaction);
		await anvil.mine(1);
		return txId;
	};
	return {
		submit,
		send,
		async payThrough(code, to, value) {
			contracts += 1;
			const contract = `0x${(0xc0de0000 + contracts).toString(16).padStart(40, '0')}`;
			await anvil.rpc('anvil_setCode', contract, code);
			const data = `0x${to.slice(2).toLowerCase().padStart(64, '0')}`;
			return send({ to: contract, value: hexOf(value), data, gas: hexOf(300_000) });
		},
		async blockHash(height) {
			return ((await anvil.rpc('eth_getBlockByNumber', hexOf(height), false)) as { hash: string }).hash;
		},
		cursorNow: async () => (await chain.scan(null, async () => [])).cursor,
	};
}

/** Addresses that wait for Ether; texts are addresses without a deposit on record. */
export const watching =
	(...open: (string | WatchedAddress)[]) =>
	async (): Promise<WatchedAddress[]> =>
		open.map((each) => (typeof each === 'string' ? known(each, []) : each));

export const known = (address: string, refs: readonly DepositRef[]): WatchedAddress => ({
	address,
	asset: 'ETH',
	known: refs.map(refOf),
	swept: 0n,
});

export const payment = (to: string, amount: bigint): Payment => ({ id: 'payout-1', asset: 'ETH', to, amount });
