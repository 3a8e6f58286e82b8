/** Wallet, seed and everything signed so far, without a service. No world sees the coins of another. */
import { createHash } from 'node:crypto';
import { NETWORKS, type NetworkOf } from '../../src/catalog/networks.ts';
import type { NodeConfig } from '../../src/chains/configuration.ts';
import type { ChainSigner, Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { utxoLook } from '../../src/chains/utxo/look.ts';
import type { UtxoParams } from '../../src/chains/utxo/params.ts';
import { provenChain } from '../../src/chains/utxo/proving.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import type { PoolAddress } from '../../src/chains/watching-port.ts';
import { keepingOf } from './keeping.ts';
import type { Litecoind } from './litecoind.ts';
import { ReservationSet } from './reservations.ts';

let worlds = 0;

export async function newWorld(node: Litecoind, plain: NetworkOf<'utxo'> = NETWORKS.Litecoin, params?: UtxoParams) {
	const name = `world-${worlds++}`;
	const at: NodeConfig = { urls: [node.url], chain: 'regtest' };
	// Where a Litecoin node stands in for another network's node, the network's addresses have Litecoin's prefixes.
	const network = params ? { ...plain, params: { ...params, regtest: params } } : plain;
	// Each Worker keeps a book of its own.
	const keeping = keepingOf();
	const signer: ChainSigner = utxoSigner(network, at, createHash('sha512').update(name).digest(), { keeping });
	const chain = utxoChain(network, at, signer.hotAddress(), keepingOf());
	const pool: PoolAddress[] = [0, 1, 2].map((index) => ({ index, address: signer.payInAddress(index) }));
	for (const { register } of [
		chain,
		utxoLook(network, at, keeping, { hotAddress: signer.hotAddress(), prove: provenChain }).look,
	])
		await register([...pool, { index: -1, address: signer.hotAddress() }]);
	const indexes = new Map(pool.map(({ index, address }) => [address, index]));
	const spent = new ReservationSet();
	const asset = network.name === 'Dash' ? 'DASH' : network.name === 'Bitcoin' ? 'BTC' : 'LTC';
	const state = { spent, indexesOf: (addresses: readonly string[]) => pick(indexes, addresses) };
	const paymentOf = (terms: Pick<Payment, 'to' | 'amount'>): Payment => ({ id: 'payment', asset, ...terms });
	const remember = (signed: SignedTransaction): SignedTransaction => {
		for (const spend of signed.spends) spent.add(spend);
		return signed;
	};
	return {
		chain,
		signer,
		spent,
		sign: async (terms: Pick<Payment, 'to' | 'amount'>) => remember(await signer.sign(paymentOf(terms), state)),
		/** A fee bump: the same payment at a higher fee. */
		replace: async (
			previous: SignedTransaction,
			terms: Pick<Payment, 'to' | 'amount'>,
			onlyIfRefused = false,
		): Promise<SignedTransaction> => {
			if (!signer.replace) throw new Error(`${network.name} knows no replacing`);
			const next = await signer.replace(previous, paymentOf(terms), state, onlyIfRefused);
			if (!next) throw new Error('the node takes the earlier version');
			return remember(next);
		},
		/** Small outputs into one. */
		consolidate: async () => {
			const joined = await signer.consolidate?.(state);
			if (!joined) throw new Error('there is nothing to join');
			for (const spend of joined.spends) spent.add(spend);
			return joined;
		},
		address: (index: number) => pool[index]?.address ?? '',
		deposits: async (cursor: string | null = null) => (await chain.scan(cursor, async () => [])).deposits,
	};
}

export type World = Awaited<ReturnType<typeof newWorld>>;

function pick(indexes: ReadonlyMap<string, number>, addresses: readonly string[]): Map<string, number> {
	return new Map([...indexes].filter(([address]) => addresses.includes(address)));
}
