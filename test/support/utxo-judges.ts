/** The wallet of two judges on a real node, without a service: each has a seed, a coin book and a journal of its own. */
import { createHash } from 'node:crypto';
import { hex } from '@scure/base';
import { NETWORKS, type NetworkOf } from '../../src/catalog/networks.ts';
import type { NodeConfig } from '../../src/chains/configuration.ts';
import type { Judges } from '../../src/chains/judge-keys.ts';
import type { Draft, Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { type UtxoKey, utxoJudgeKeys, utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoLook } from '../../src/chains/utxo/look.ts';
import { type UtxoParams, utxoParams } from '../../src/chains/utxo/params.ts';
import { provenChain } from '../../src/chains/utxo/proving.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import { keepingOf } from './keeping.ts';
import type { Litecoind } from './litecoind.ts';
import { ReservationSet } from './reservations.ts';
import type { DraftCoin } from './utxo-drafts.ts';

let pairs = 0;
const ADDRESSES = [0, 1, 2];

/** `params`: where a Litecoin node stands in for another network's, with Litecoin's prefixes. */
export async function newJudges(node: Litecoind, plain: NetworkOf<'utxo'> = NETWORKS.Litecoin, params?: UtxoParams) {
	const name = `pair-${pairs++}`;
	const network = params ? { ...plain, params: { ...params, regtest: params } } : plain;
	const at: NodeConfig = { urls: [node.url], chain: 'regtest' };
	const seedOf = (role: Judges['role']) => createHash('sha512').update(`${name} ${role}`).digest();
	const roles = { signer: 'cosigner', cosigner: 'signer' } as const;
	const asset = network.name === 'Dash' ? 'DASH' : network.name === 'Bitcoin' ? 'BTC' : 'LTC';

	async function judge(role: Judges['role']) {
		const keeping = keepingOf();
		const other = utxoJudgeKeys(seedOf(roles[role]), utxoParams(network, 'regtest'), true);
		const signer = utxoSigner(network, at, seedOf(role), { keeping, judges: { role, isCosigned: true, other } });
		const hotAddress = signer.hotAddress();
		const pool = ADDRESSES.map((index) => ({ index, address: signer.payInAddress(index) }));
		const { look } = utxoLook(network, at, keeping, { hotAddress, prove: provenChain });
		await look.register([...pool, { index: -1, address: hotAddress }]);
		const spent = new ReservationSet();
		const indexes = new Map(pool.map(({ index, address }) => [address, index]));
		const indexesOf = (asked: readonly string[]) =>
			new Map([...indexes].filter(([address]) => asked.includes(address)));
		const state = { spent, indexesOf };
		const remember = <Signed extends SignedTransaction>(signed: Signed): Signed => {
			for (const spend of signed.spends) spent.add(spend);
			return signed;
		};
		const approve = async (draft: Draft) => {
			if (!signer.approve) throw new Error('both judges sign here');
			return remember(await signer.approve(draft, state));
		};
		return { signer, look, state, spent, approve };
	}

	const other = utxoJudgeKeys(seedOf('cosigner'), utxoParams(network, 'regtest'), true);
	const keys = utxoKeys(seedOf('signer'), utxoParams(network, 'regtest'), { role: 'signer', isCosigned: true, other });
	const [signer, cosigner] = [await judge('signer'), await judge('cosigner')];
	const chain = utxoChain(network, at, signer.signer.hotAddress(), keepingOf());
	await chain.register(ADDRESSES.map((index) => ({ index, address: signer.signer.payInAddress(index) })));
	await chain.register([{ index: -1, address: signer.signer.hotAddress() }]);
	const paymentOf = (terms: Pick<Payment, 'to' | 'amount'>): Payment => ({ id: 'payment', asset, ...terms });
	/** As the vaults do it: the co-signer's half first, then the whole. */
	async function both(draft: SignedTransaction, payment: Payment | null, before: SignedTransaction[] = []) {
		const [whole = null, half = null] = before;
		const theirs = await cosigner.approve({ raw: draft.raw, payment, previous: half });
		const ours = await signer.approve({ raw: theirs.raw, payment, previous: whole });
		return [ours, theirs] as const;
	}
	return {
		chain,
		signer,
		cosigner,
		both,
		paymentOf,
		address: (index: number) => signer.signer.payInAddress(index),
		hotAddress: signer.signer.hotAddress(),
		judgeKeys: (['signer', 'cosigner'] as const).map((role) =>
			utxoJudgeKeys(seedOf(role), utxoParams(network, 'regtest'), true),
		),
		/** The first deposit there, as drafts spend it. */
		coinAt: async (index: number): Promise<DraftCoin> => {
			const { deposits } = await chain.scan(null, async () => []);
			const found = deposits.find(({ address }) => address === signer.signer.payInAddress(index));
			if (!found) throw new Error('nothing was paid there');
			return coinOf(found.txId, Number(found.position), keys.payIn(index));
		},
		changeOf: ({ txId }: Pick<SignedTransaction, 'txId'>): DraftCoin => coinOf(txId, 1, keys.hot),
		draft: (terms: Pick<Payment, 'to' | 'amount'>) => signer.signer.sign(paymentOf(terms), signer.state),
		/** The whole transaction, and the co-signer's half of it. */
		async pay(terms: Pick<Payment, 'to' | 'amount'>) {
			return both(await signer.signer.sign(paymentOf(terms), signer.state), paymentOf(terms));
		},
	};
}

const coinOf = (txId: string, index: number, { shared }: UtxoKey): DraftCoin => ({
	txid: hex.decode(txId),
	index,
	lock: shared?.script ?? new Uint8Array(),
});

export type Pair = Awaited<ReturnType<typeof newJudges>>;
