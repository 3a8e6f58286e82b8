/**
 * Nodes that answer nonsense about tokens, in front of a real one: the family reports that the chain is unavailable, or
 * the truth, as it does for the coin (evm-hostile-node.test.ts).
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { networkNamed } from '../../src/catalog/networks.ts';
import { ChainUnavailable, PaymentImpossible } from '../../src/chains/errors.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { evmSigner } from '../../src/chains/evm/signing.ts';
import type { DepositRef } from '../../src/chains/port.ts';
import { questionsThatCall } from '../support/anvil.ts';
import { feeOf } from '../support/chain-costs.ts';
import { addressOf, COIN, type Ethereum, HOT, hexOf, SEED, signing, startEthereum } from '../support/ethereum.ts';
import { installToken } from '../support/tokens.ts';

const ETHEREUM = networkNamed('Ethereum');
const [INDEX, ASSET, AMOUNT] = [7, 'DAIERC20', 5n] as const;
const ADDRESS = addressOf(INDEX);
const METHODS = ['eth_getLogs', 'eth_call', 'eth_getCode', 'eth_getTransactionReceipt', 'eth_estimateGas'];

/** A log that names our address, in a transaction that is not there. */
const LOG = {
	address: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
	topics: [
		'0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
		`0x${'0'.repeat(64)}`,
		`0x${ADDRESS.slice(2).toLowerCase().padStart(64, '0')}`,
	],
	data: hexOf(AMOUNT).slice(2).padStart(64, '0').replace(/^/, '0x'),
	transactionHash: `0x${'1'.repeat(64)}`,
	blockNumber: '0x8',
};
const NONSENSE: readonly unknown[] = [
	null,
	true,
	-1,
	'',
	'0x',
	'0xzz',
	`0x${'f'.repeat(64)}`,
	`0x${'f'.repeat(65)}`,
	1e300,
	[],
	[null],
	{},
	[LOG],
	[{ ...LOG, blockNumber: hexOf(2n ** 200n) }],
	[{ ...LOG, topics: [] }],
	[{ ...LOG, data: '0x' }],
	{ transactionHash: LOG.transactionHash, blockHash: LOG.transactionHash, blockNumber: '0x8', status: '0x1' },
];

let ethereum: Ethereum;
let deposit: DepositRef;

beforeAll(async () => {
	ethereum = await startEthereum();
	await installToken(ethereum.anvil, ASSET);
	await ethereum.anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
	await ethereum.mint(ASSET, HOT, 100n);
	const txId = await ethereum.send(ASSET, ADDRESS, AMOUNT);
	await ethereum.pay(ADDRESS, COIN);
	await ethereum.anvil.mine(12);
	deposit = { txId, position: 'log:0', address: ADDRESS, asset: ASSET, amount: AMOUNT };
});

afterEach(() => ethereum.relay.intercept(() => undefined));
afterAll(() => ethereum?.stop());

/** Every call about a token, each with a check of its answer. New objects ask for code and decimals again. */
function questions(): Record<string, () => Promise<void>> {
	const chain = evmChain(ETHEREUM, { urls: [ethereum.relay.url], chain: 'main' }, HOT);
	const signer = evmSigner(ETHEREUM, { urls: [ethereum.relay.url], chain: 'main' }, SEED);
	return {
		async scan() {
			const { deposits } = await chain.scan('1', async () => [
				{ address: ADDRESS, asset: ASSET, known: [], swept: 0n },
			]);
			for (const each of deposits) expect(each).toMatchObject(deposit);
		},
		async depths() {
			expect((await chain.depths([deposit]))[0]).toBeOneOf([null, expect.objectContaining({ confirmations: 14 })]);
		},
		async finalAmount() {
			const isFinal = ({ confirmations }: { confirmations: number }) => confirmations >= 12;
			expect(await signer.finalAmount([deposit], isFinal, [])).toBeOneOf([0n, AMOUNT]);
		},
		async sign() {
			const signed = await signer.sign({ id: '1', asset: ASSET, to: ADDRESS, amount: 1n }, signing());
			expect(signed.fee < COIN).toBe(true);
		},
		async sweep() {
			const signed = await signer.sweep?.({ id: '1', asset: ASSET, index: INDEX }, signing());
			expect(signed?.amount).toBe(AMOUNT);
		},
		async quote() {
			const [quote] = (await chain.sweeping?.quote([{ address: ADDRESS, asset: ASSET }])) ?? [];
			expect(quote?.amount).toBeOneOf([0n, AMOUNT]);
		},
		async costsNow() {
			expect((await feeOf(chain, ASSET)).amount < COIN).toBe(true);
		},
		async check() {
			expect((await chain.check()).length).toBeGreaterThan(1);
		},
	};
}

describe('a node that speaks nonsense of tokens', () => {
	it.each(METHODS)('in answer to %s makes the chain unavailable, and no money', async (method) => {
		const asked = await questionsThatCall(ethereum.relay, method, questions());
		for (const [at, result] of NONSENSE.entries()) {
			ethereum.relay.intercept((call) => (call.method === method ? { result } : undefined));
			for (const [question, ask] of Object.entries(questions()).filter(([name]) => asked.has(name))) {
				const error = await ask().catch((reason: unknown) => reason);
				// A transfer whose gas estimate is the whole block is refused.
				const isAllowed = [ChainUnavailable, PaymentImpossible].some((kind) => error instanceof kind);
				expect(error === undefined || isAllowed, `${question}, nonsense ${at}: ${error}`).toBe(true);
			}
		}
	});
});
