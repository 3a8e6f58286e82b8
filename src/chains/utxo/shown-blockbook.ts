/** The balance of an address in a block, by Blockbook's index of addresses. */
import * as z from 'zod/mini';
import { ChainUnavailable } from '../errors.ts';
import { written } from '../rpc/shapes.ts';
import { known, restOf } from './source/rest.ts';

const amount = written(/^\d{1,20}$/, BigInt);
const coin = z.lazy(() => z.object({ value: z.optional(amount), addresses: z.nullish(z.array(z.string())) }));
/** `balance`: without the mempool. `transactions`: those from the asked block on, and of the mempool. */
const ADDRESS = z.lazy(() =>
	z.object({
		totalPages: z.optional(z.int()),
		balance: amount,
		transactions: z.optional(
			z.array(z.object({ blockHeight: z.optional(z.int()), vin: z.optional(z.array(coin)), vout: z.array(coin) })),
		),
	}),
);
type Coin = z.output<typeof coin>;

/** Most transactions in one answer. */
const MOST = 1_000;

/** Base units, in a block of the best chain. @throws ChainUnavailable */
export const heldByBlockbook = (url: string) => {
	const rest = restOf(url);
	return async (address: string, height: number): Promise<bigint> => {
		const path = `/api/v2/address/${address}?details=txs&pageSize=${MOST}&from=${height + 1}`;
		const { totalPages = 1, balance, transactions = [] } = known(await rest.json(path, ADDRESS), address);
		if (totalPages > 1)
			throw new ChainUnavailable(`${rest.host}: ${address} has too many transactions since the block`);
		const sum = (coins: readonly Coin[]): bigint =>
			coins.reduce((all, { value = 0n, addresses }) => (addresses?.includes(address) ? all + value : all), 0n);
		return transactions
			.filter(({ blockHeight = 0 }) => blockHeight > height)
			.reduce((held, { vin = [], vout }) => held + sum(vin) - sum(vout), balance);
	};
};
