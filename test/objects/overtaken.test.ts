/** Whether a move's nonce was taken by another transaction, by the signer's journal and its node. */
import { expect, it } from 'vitest';
import type { Chain, Overtaker } from '../../src/chains/port.ts';
import type { ChainSigner, PaidTerms } from '../../src/chains/signing-port.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { judgeOvertaken } from '../../src/signer/overtaken.ts';
import { bareObject } from './bindings.ts';

const ADDRESS = '0x1111111111111111111111111111111111111111';
const FINAL = { confirmations: 1_000, irreversible: true, height: 1 };
const MOVE = { kind: 'gas', network: 'Ethereum', address: ADDRESS, asset: 'USDTERC20', amount: 5n, at: 1 } as const;

const TERMS = { asset: 'ETH', to: '0xrecipient', amount: '7' } as const;

/**
 * The answer about `payoutId`, where the node says this. The journal has signed the move `known`, with one fee bump, and the
 * payout `paid`. `pays`: the transactions that pay the payout's terms.
 */
const asked = (name: string, found: Overtaker | null, payoutId = 'known', pays: readonly string[] = []) =>
	bareObject(name).run(async ({ storage }) => {
		const journal = new Journal(storage);
		journal.sweeps.record({ ...MOVE, id: 'known', raw: '0xraw', txId: '0xfirst' }, []);
		const bumps = ['0xfirst', '0xbumped'].map((txId) => ({ txId, raw: `raw of ${txId}`, fee: 1n, spends: [] }));
		for (const [version, each] of bumps.entries()) journal.versions.add('known', version, each, 1);
		const payment = { id: 'paid', asset: TERMS.asset, to: TERMS.to, amount: BigInt(TERMS.amount) };
		journal.versions.begin('Ethereum', payment, { txId: '0xpaid', raw: 'raw of 0xpaid', fee: 1n, spends: [] }, 1);
		const questions: unknown[] = [];
		const chain = {
			async overtaker(...question: unknown[]) {
				questions.push(question);
				return found;
			},
		} as unknown as Chain;
		const signer = {
			hotAddress: () => '0xhot',
			hasPaid: async (txId: string, { to, amount }: PaidTerms) =>
				pays.includes(txId) && to === TERMS.to && amount === 7n,
		} as unknown as ChainSigner;
		const move = { payoutId, raw: '0xcaller', from: '0xcaller', terms: { ...TERMS, amount: '9' }, txId: '0xguess' };
		const answer = await judgeOvertaken({ network: 'Ethereum', chain, signer, journal }, move, 2);
		const failures = journal.sweeps.failures('Ethereum', ADDRESS, 'USDTERC20', 1).count;
		const versions = journal.versions.of(payoutId).map(({ txId }) => txId);
		return { answer, failures, questions, versions };
	});

it('it was, and counts as failed, once the other transaction is final; the journal says what was signed', async () => {
	expect(await asked('final', { txId: '0xother', ...FINAL })).toEqual({
		answer: { isOvertaken: true },
		failures: 1,
		questions: [['0xraw', '0xhot', '0xguess']],
		versions: ['0xbumped', '0xfirst'],
	});
});

it('it was not, as long as the other transaction is not final, or the node knows none', async () => {
	for (const found of [null, { txId: '0xother', ...FINAL, confirmations: 1, irreversible: false }])
		expect(await asked(`fresh ${found}`, found)).toMatchObject({ answer: { isOvertaken: false }, failures: 0 });
});

it('it was not where a version of its own is in a block', async () => {
	expect(await asked('bumped', { txId: '0xbumped', ...FINAL })).toMatchObject({
		answer: { isOvertaken: false, version: { raw: 'raw of 0xbumped', txId: '0xbumped' } },
		failures: 0,
	});
});

it('what an earlier journal signed is judged by the caller’s words', async () => {
	expect(await asked('forgotten', { txId: '0xother', ...FINAL }, 'unknown')).toEqual({
		answer: { isOvertaken: true },
		failures: 0,
		questions: [['0xcaller', '0xcaller', '0xguess']],
		versions: [],
	});
});

it('it was not where the other one pays the same: it is a version that the journal has forgotten, and has again', async () => {
	const found = { txId: '0xforgotten', ...FINAL };
	expect(await asked('forgotten version', found, 'paid', ['0xforgotten'])).toMatchObject({
		answer: { isOvertaken: false, version: { raw: '', txId: '0xforgotten' } },
		versions: ['0xforgotten', '0xpaid'],
	});
});

it('it was where the other one pays something else, or is in the journal as something else', async () => {
	for (const txId of ['0xother', '0xfirst'])
		expect(await asked(`other ${txId}`, { txId, ...FINAL }, 'paid', ['0xfirst'])).toMatchObject({
			answer: { isOvertaken: true },
			versions: ['0xpaid'],
		});
});
