/** The balance of an address in a block, by Esplora's index of addresses. */
import * as z from 'zod/mini';
import { ChainUnavailable } from '../errors.ts';
import { natural } from '../rpc/shapes.ts';
import { HASH } from './source/core-shapes.ts';
import { known, restOf } from './source/rest.ts';

const STATS = z.lazy(() =>
	z.object({ chain_stats: z.object({ funded_txo_sum: natural, spent_txo_sum: natural, tx_count: natural }) }),
);
const output = z.lazy(() => z.object({ scriptpubkey_address: z.optional(z.string()), value: z.optional(natural) }));
/** Newest first. */
const TRANSACTIONS = z.lazy(() =>
	z.array(
		z.object({
			txid: HASH,
			vin: z.array(z.object({ prevout: z.nullish(output) })),
			vout: z.array(output),
			status: z.object({ block_height: z.nullish(natural) }),
		}),
	),
);
/** Answers that are read back to the block: at least 25 transactions each. */
const MOST_ANSWERS = 80;

/** Base units, in a block of the best chain. @throws ChainUnavailable */
export const heldByEsplora = (url: string) => {
	const rest = restOf(url);
	return async (address: string, height: number): Promise<bigint> => {
		const path = `/address/${address}`;
		const stats = async () => known(await rest.json(path, STATS), address).chain_stats;
		const before = await stats();
		let held = BigInt(before.funded_txo_sum) - BigInt(before.spent_txo_sum);
		let last = '';
		for (let answers = 0; answers < MOST_ANSWERS; answers++) {
			const page = known(await rest.json(`${path}/txs/chain${last}`, TRANSACTIONS), address);
			for (const { vin, vout, status } of page) {
				if ((status.block_height ?? 0) <= height) return settled(held);
				const sum = (outputs: readonly (z.output<typeof output> | null | undefined)[]): bigint =>
					outputs.reduce(
						(all, each) => all + BigInt(each?.scriptpubkey_address === address ? (each.value ?? 0) : 0),
						0n,
					);
				held += sum(vin.map(({ prevout }) => prevout)) - sum(vout);
			}
			const next = page.at(-1)?.txid;
			if (!next) return settled(held);
			last = `/${next}`;
		}
		throw new ChainUnavailable(`${rest.host}: ${address} has too many transactions since the block`);

		async function settled(found: bigint): Promise<bigint> {
			if ((await stats()).tx_count === before.tx_count) return found;
			throw new ChainUnavailable(`${rest.host}: a block came meanwhile, verify it again`);
		}
	};
};
