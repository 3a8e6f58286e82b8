/**
 * Two judges on a real node ("without which no payment is valid"): what both approve is paid, and what one of them alone
 * signs, or makes the other one sign, is nothing that two honest ones would not have paid.
 */
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { InsufficientReserve, PaymentImpossible, SigningBlocked } from '../../src/chains/errors.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { textsOf } from '../support/reservations.ts';
import {
	addCoin,
	type Bytes,
	changedDraft,
	type DraftCoin,
	type DraftInput,
	type DraftOutput,
	takeOnly,
	withoutSignature,
} from '../support/utxo-drafts.ts';
import { flood } from '../support/utxo-flood.ts';
import { newJudges, type Pair } from '../support/utxo-judges.ts';

const COIN = 100_000_000n;
const FINAL = 6;
const AMOUNT = 10_000_000n;
const PARAMS = utxoParams(NETWORKS.Litecoin, 'regtest');
/** Dash's rules with Litecoin's prefixes, because a Litecoin node stands in. */
const AS_DASH = { ...utxoParams(NETWORKS.Dash, 'regtest'), p2pkh: PARAMS.p2pkh, p2sh: PARAMS.p2sh };
/** Of Litecoin's test chain. */
const VERSIONS = { public: 0x043587cf, private: 0x04358394 };

let node: Litecoind;

beforeAll(async () => {
	node = await startLitecoind();
});
afterAll(() => node.stop());

const mempool = async () => (await node.rpc('getrawmempool')) as string[];
const accepts = async (raw: string) =>
	((await node.rpc('testmempoolaccept', [raw])) as { allowed: boolean; 'reject-reason'?: string }[])[0];
const output = ({ outputs }: Bytes, at: number): DraftOutput => outputs[at] as DraftOutput;
const input = ({ inputs }: Bytes): DraftInput => inputs[0] as DraftInput;
const scriptTo = (address: string, params = PARAMS) => scriptOf(address, params) ?? new Uint8Array();

describe.each([
	['p2wsh', NETWORKS.Litecoin, undefined],
	['p2sh', NETWORKS.Dash, AS_DASH],
] as const)('two judges of a wallet of %s', (kind, network, params) => {
	let pair: Pair;
	let to = '';
	const deposit = async (index: number, coins = '1', blocks = FINAL) => {
		await node.rpc('sendtoaddress', pair.address(index), coins);
		await node.mine(blocks);
	};
	beforeEach(async () => {
		pair = await newJudges(node, network, params);
		to = String(await node.rpc('getnewaddress', '', 'legacy'));
		await deposit(0);
	});

	test('have the addresses that the node derives from their two extended keys', async () => {
		const ofNode = ({ payIn, hot }: { payIn: string; hot: string }) =>
			[payIn, hot].map((key) => {
				const { chainCode, publicKey } = HDKey.fromExtendedKey(key);
				return new HDKey({ versions: VERSIONS, chainCode, publicKey } as never).publicExtendedKey;
			});
		const [one, other] = pair.judgeKeys.map(ofNode);
		const derived = await Promise.all(
			[0, 1].map(async (branch) => {
				const keys = `sortedmulti(2,${one?.[branch]}/*,${other?.[branch]}/*)`;
				const plain = kind === 'p2wsh' ? `wsh(${keys})` : `sh(${keys})`;
				const { descriptor } = (await node.rpc('getdescriptorinfo', plain)) as { descriptor: string };
				return (await node.rpc('deriveaddresses', descriptor, [0, 2])) as string[];
			}),
		);
		expect(derived[0]).toEqual([0, 1, 2].map(pair.address));
		expect(derived[1]?.[0]).toBe(pair.hotAddress);
	});

	test('pay together from a deposit, and again from the change, and nodes take neither half alone', async () => {
		expect(await pair.chain.scan(null, async () => [])).toMatchObject({
			deposits: [{ address: pair.address(0), amount: COIN, confirmations: FINAL }],
		});
		const [whole, half] = await pair.pay({ to, amount: AMOUNT });
		expect(textsOf(half.spends)).toEqual(textsOf(whole.spends));
		for (const at of [0, 1] as const)
			for (const instead of ['nothing', 'the other one'] as const)
				expect(await accepts(withoutSignature(whole.raw, at, instead))).toMatchObject({ allowed: false });
		expect(await accepts(half.raw.split(' ')[0] ?? '')).toMatchObject({ allowed: false });
		await pair.chain.broadcast(whole.raw);
		await node.mine(1);
		expect(String(await node.rpc('getreceivedbyaddress', to, 1))).toBe('0.10000000');
		expect(await pair.chain.transactionDepth(whole.txId)).toMatchObject({ confirmations: 1, fee: whole.fee });
		// A stranger's payment to the hot wallet could not be spent yet.
		const [second] = await pair.pay({ to, amount: AMOUNT });
		expect(textsOf(second.spends)).toEqual([`${whole.txId}:1`]);
		await pair.chain.broadcast(second.raw);
		await node.mine(1);
		expect(String(await node.rpc('getreceivedbyaddress', to, 1))).toBe('0.20000000');
	});

	test('spend change that no block holds only where its id is known before both have signed', async () => {
		const [first] = await pair.pay({ to, amount: AMOUNT });
		await pair.chain.broadcast(first.raw);
		const second = pair.pay({ to, amount: AMOUNT });
		if (kind === 'p2sh') await expect(second).rejects.toThrow(InsufficientReserve);
		else {
			const [whole] = await second;
			await pair.chain.broadcast(whole.raw);
			expect((await mempool()).toSorted()).toEqual([first.txId, whole.txId].toSorted());
		}
		await node.mine(1);
	});

	test('go on with the draft that the co-signer has signed, where the signer lost it and makes another one', async () => {
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		const { raw } = await pair.draft({ to, amount: AMOUNT });
		const half = await pair.cosigner.approve({ raw, payment, previous: null });
		await deposit(1, '3');
		// The signer begins again, and would take the larger coin now. It is answered with the first draft.
		expect((await pair.draft({ to, amount: AMOUNT })).raw).not.toBe(raw);
		const whole = await pair.signer.approve({ raw: half.raw, payment, previous: null });
		expect(textsOf(whole.spends)).toEqual(textsOf(half.spends));
		await pair.chain.broadcast(whole.raw);
		await node.mine(1);
		expect(String(await node.rpc('getreceivedbyaddress', to, 1))).toBe('0.10000000');
	});

	test('join the halves only where the co-signer’s holds', async () => {
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		const { raw } = await pair.draft({ to, amount: AMOUNT });
		const half = await pair.cosigner.approve({ raw, payment, previous: null });
		const signature = half.raw.split(' ')[1] ?? '';
		for (const bad of ['', ` ${'00'.repeat(71)}`, ` ${signature.slice(0, -2)}81`])
			await expect(pair.signer.approve({ raw: `${raw}${bad}`, payment, previous: null })).rejects.toThrow(
				SigningBlocked,
			);
	});

	test('approve nothing else that one of them drafts for the payment', async () => {
		await deposit(1, '0.5');
		await deposit(2, '4', 1);
		const stranger = String(await node.rpc('getnewaddress', '', 'legacy'));
		const { raw, fee } = await pair.draft({ to, amount: AMOUNT });
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		const expectRefused = async (error: new (...given: never[]) => Error, change: (draft: Bytes) => unknown) => {
			const changed = changedDraft(raw, change);
			for (const judge of [pair.cosigner, pair.signer])
				await expect(judge.approve({ raw: changed, payment, previous: null }), String(change)).rejects.toThrow(error);
		};
		const script = scriptTo(stranger, params);
		await expectRefused(PaymentImpossible, (draft) => Object.assign(output(draft, 0), { script }));
		await expectRefused(PaymentImpossible, (draft) => Object.assign(output(draft, 0), { amount: AMOUNT + 1n }));
		await expectRefused(PaymentImpossible, (draft) => Object.assign(output(draft, 1), { script }));
		for (const also of [script, scriptTo(pair.hotAddress, params)])
			await expectRefused(PaymentImpossible, (draft) => {
				output(draft, 1).amount -= 10_000n;
				draft.outputs.push({ amount: 10_000n, script: also });
			});
		await expectRefused(PaymentImpossible, (draft) => draft.outputs.reverse());
		await expectRefused(PaymentImpossible, (draft) => Object.assign(output(draft, 1), { amount: 2n * COIN }));
		await expectRefused(PaymentImpossible, (draft) => Object.assign(output(draft, 1), { amount: 1n }));
		await expectRefused(SigningBlocked, (draft) => draft.outputs.pop());
		await expectRefused(SigningBlocked, (draft) =>
			Object.assign(output(draft, 1), { amount: output(draft, 1).amount - 2n * fee - 50n }),
		);
		await expectRefused(PaymentImpossible, (draft) => Object.assign(draft, { lockTime: 500 }));
		await expectRefused(PaymentImpossible, (draft) => Object.assign(draft, { version: 1 }));
		await expectRefused(PaymentImpossible, (draft) => Object.assign(input(draft), { sequence: 0xffffffff }));
		await expectRefused(InsufficientReserve, (draft) =>
			Object.assign(input(draft), { txid: hex.decode('ab'.repeat(32)) }),
		);
		const [own, small, young] = [await pair.coinAt(0), await pair.coinAt(1), await pair.coinAt(2)];
		await expectRefused(InsufficientReserve, (draft) => addCoin(draft, own));
		// More than the payment needs: only its fee would grow.
		await expectRefused(PaymentImpossible, (draft) => {
			addCoin(draft, small);
			output(draft, 1).amount += COIN / 2n - 200n;
		});
		await expectRefused(InsufficientReserve, (draft) => takeOnly(draft, young));
		for (const text of ['', '00', 'zz', raw.slice(2), `${raw}00`])
			await expect(pair.cosigner.approve({ raw: text, payment, previous: null })).rejects.toThrow(PaymentImpossible);
		// Nothing was signed: the payment itself still is.
		const [whole] = await pair.pay({ to, amount: AMOUNT });
		expect(await accepts(whole.raw)).toMatchObject({ allowed: true });
	});

	test('spend no coin twice for two payments, whatever one of them says', async () => {
		const first = await pair.draft({ to, amount: AMOUNT });
		await pair.cosigner.approve({ raw: first.raw, payment: pair.paymentOf({ to, amount: AMOUNT }), previous: null });
		const second = await pair.draft({ to, amount: 2n * AMOUNT });
		const payment = pair.paymentOf({ to, amount: 2n * AMOUNT });
		await expect(pair.cosigner.approve({ raw: second.raw, payment, previous: null })).rejects.toThrow(
			InsufficientReserve,
		);
	});

	test('spend no coin that a block has spent, whatever their journals know', async () => {
		const [first] = await pair.pay({ to, amount: AMOUNT });
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		await pair.chain.broadcast(first.raw);
		await node.mine(1);
		const { raw } = await pair.draft({ to, amount: AMOUNT });
		const [gone, change] = [await pair.coinAt(0), pair.changeOf(first)];
		pair.cosigner.spent.clear();
		const approve = (coin: DraftCoin) =>
			pair.cosigner.approve({ raw: changedDraft(raw, (draft) => takeOnly(draft, coin)), payment, previous: null });
		await expect(approve(gone)).rejects.toThrow(InsufficientReserve);
		// Of one of several versions, none of which is known to be final, nobody knows whether its change will be there.
		pair.cosigner.spent.add({ kind: 'version', txId: first.txId });
		await expect(approve(change)).rejects.toThrow(InsufficientReserve);
	});

	test('approve only what two honest judges would have paid, whatever the owner of one of them asks of the other', async () => {
		await deposit(1, '0.5');
		await node.rpc('sendtoaddress', pair.address(2), '4');
		const { raw, fee } = await pair.draft({ to, amount: AMOUNT });
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		const [others, hot] = [[await pair.coinAt(1), await pair.coinAt(2)], scriptTo(pair.hotAddress, params)];
		const stranger = scriptTo(String(await node.rpc('getnewaddress', '', 'legacy')), params);
		const owed = { amount: AMOUNT, script: scriptTo(to, params) };
		const script = fc.constantFrom(stranger, hot, owed.script);
		const amount = fc.oneof(
			fc.bigInt(0n, 2n * COIN),
			fc.constantFrom(AMOUNT, COIN - AMOUNT - 400n, COIN - AMOUNT - 1n),
		);
		const changes = fc.record({
			outputs: fc.array(fc.record({ amount, script }), { maxLength: 3 }),
			isOwedFirst: fc.boolean(),
			more: fc.subarray(others),
			lockTime: fc.constantFrom(0, 0, 1),
		});
		let approved = 0;
		const approves = fc.asyncProperty(changes, async ({ outputs, isOwedFirst, more, lockTime }) => {
			const paid = isOwedFirst ? [owed, ...outputs] : outputs;
			const asked = changedDraft(raw, (draft) => {
				Object.assign(draft, { outputs: paid, lockTime });
				for (const coin of more) addCoin(draft, coin);
			});
			const { signer, state } = pair.cosigner;
			const signed = await signer.approve?.({ raw: asked, payment, previous: null }, state).catch(() => null);
			if (!signed) return;
			approved += 1;
			expect(more).toEqual([]);
			const [first, change, ...rest] = paid;
			expect([first, rest, lockTime]).toEqual([owed, [], 0]);
			expect(change?.script ?? hot).toEqual(hot);
			expect(signed.fee).toBeLessThanOrEqual(3n * fee + (change ? 0n : PARAMS.dust));
		});
		await fc.assert(approves, {
			numRuns: 120,
			examples: [
				[{ outputs: [{ amount: COIN - AMOUNT - 700n, script: hot }], isOwedFirst: true, more: [], lockTime: 0 }],
			],
		});
		expect(approved).toBeGreaterThan(0);
	});
});

describe('a payment of two judges that no block takes', () => {
	let pair: Pair;
	let to = '';
	beforeEach(async () => {
		pair = await newJudges(node);
		to = String(await node.rpc('getnewaddress', '', 'legacy'));
		await node.rpc('sendtoaddress', pair.address(0), 1);
		await node.mine(FINAL);
	});

	test('is replaced by both, by the same payment from the same coins at a higher fee, and again', async () => {
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		let versions = await pair.pay({ to, amount: AMOUNT });
		const first = versions[0];
		await pair.chain.broadcast(first.raw);
		for (const _ of [2, 3]) {
			const draft = await pair.signer.signer.replace(versions[0], payment, pair.signer.state, false);
			if (!draft) throw new Error('the node takes the earlier version');
			const next = await pair.both(draft, payment, [...versions]);
			expect(next[0].fee).toBeGreaterThan(versions[0].fee);
			expect(textsOf(next[0].spends)).toEqual(expect.arrayContaining(textsOf(first.spends)));
			await pair.chain.broadcast(next[0].raw);
			expect(await mempool()).toEqual([next[0].txId]);
			versions = next;
		}
		await node.mine(1);
		expect(String(await node.rpc('getreceivedbyaddress', to, 0))).toBe('0.10000000');
		await expect(pair.chain.broadcast(first.raw)).rejects.toMatchObject({ taken: true });
	});

	test('is not replaced where a later payment spends its change, also if the owner of one judge asks for it', async () => {
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		const [whole, half] = await pair.pay({ to, amount: AMOUNT });
		await pair.chain.broadcast(whole.raw);
		const draft = await pair.signer.signer.replace(whole, payment, pair.signer.state, false);
		const [later] = await pair.pay({ to, amount: 2n * AMOUNT });
		expect(textsOf(later.spends)).toEqual([`${whole.txId}:1`]);
		await expect(pair.cosigner.approve({ raw: draft?.raw ?? '', payment, previous: half })).rejects.toThrow(
			'a later payment of ours spends its change',
		);
	});

	test('on Dash is broadcast again, and has one version', async () => {
		const dash = await newJudges(node, NETWORKS.Dash, AS_DASH);
		await node.rpc('sendtoaddress', dash.address(0), 1);
		await node.mine(FINAL);
		const [whole] = await dash.pay({ to, amount: AMOUNT });
		const payment = dash.paymentOf({ to, amount: AMOUNT });
		await expect(dash.signer.signer.replace(whole, payment, dash.signer.state, true)).rejects.toThrow(
			PaymentImpossible,
		);
	});

	test('is not replaced by one that frees its coins, pays another, or pays far more than its node asks', async () => {
		const payment = pair.paymentOf({ to, amount: AMOUNT });
		const [whole, half] = await pair.pay({ to, amount: AMOUNT });
		await pair.chain.broadcast(whole.raw);
		await node.rpc('sendtoaddress', pair.address(1), 1);
		await node.mine(FINAL);
		const draft = await pair.signer.signer.replace(whole, payment, pair.signer.state, false);
		const other = await pair.coinAt(1);
		if (!draft) throw new Error('the node takes the earlier version');
		const refuse = async (change: (bytes: Bytes) => unknown, error: new (...given: never[]) => Error) =>
			expect(pair.cosigner.approve({ raw: changedDraft(draft.raw, change), payment, previous: half })).rejects.toThrow(
				error,
			);
		const stranger = scriptTo(String(await node.rpc('getnewaddress', '', 'bech32')));
		await refuse((bytes) => takeOnly(bytes, other), PaymentImpossible);
		await refuse((bytes) => Object.assign(output(bytes, 0), { script: stranger }), PaymentImpossible);
		await refuse(
			(bytes) => Object.assign(output(bytes, 1), { amount: output(bytes, 1).amount - 4n * draft.fee }),
			SigningBlocked,
		);
		await refuse((bytes) => addCoin(bytes, other), SigningBlocked);
	});
});

/** On a node of its own: other tests' payments teach a node that fees are higher, and coins are joined while they are low. */
describe('two judges', () => {
	let own: Litecoind;
	beforeAll(async () => {
		own = await startLitecoind();
	});
	afterAll(() => own.stop());

	test('join small coins in the hot wallet, and nowhere else', async () => {
		const pair = await newJudges(own);
		const small = Object.fromEntries([
			[pair.address(1), '5'],
			[pair.hotAddress, '2'],
		]);
		await own.rpc('sendmany', '', small);
		for (const outputs of [60, 60]) await flood(own, pair.hotAddress, { transactions: 1, outputs, amount: 100_000n });
		await own.mine(FINAL);
		const draft = await pair.signer.signer.consolidate?.(pair.signer.state);
		if (!draft) throw new Error('nothing to join');
		const stranger = scriptTo(String(await own.rpc('getnewaddress', '', 'legacy')));
		const refuse = async (change: (bytes: Bytes) => unknown, error: new (...given: never[]) => Error) =>
			expect(
				pair.cosigner.approve({ raw: changedDraft(draft.raw, change), payment: null, previous: null }),
			).rejects.toThrow(error);
		await refuse((bytes) => Object.assign(output(bytes, 0), { script: stranger }), PaymentImpossible);
		await refuse((bytes) => {
			output(bytes, 0).amount -= 1_000n;
			bytes.outputs.push({ script: stranger, amount: 1_000n });
		}, PaymentImpossible);
		await refuse((bytes) => Object.assign(output(bytes, 0), { amount: output(bytes, 0).amount / 2n }), SigningBlocked);
		const large = await pair.coinAt(1);
		await refuse((bytes) => {
			addCoin(bytes, large);
			output(bytes, 0).amount += 5n * COIN - 200n;
		}, PaymentImpossible);
		const [whole] = await pair.both(draft, null);
		expect(whole.amount).toBe(draft.amount);
		await pair.chain.broadcast(whole.raw);
		await own.mine(1);
		expect(await pair.chain.transactionDepth(whole.txId)).toMatchObject({ confirmations: 1 });
	});
});
