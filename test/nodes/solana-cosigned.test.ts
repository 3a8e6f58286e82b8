/**
 * Two vaults whose hot wallet on Solana both sign for, on its virtual machine (litesvm): each with its own journal. What is lost
 * between them, they mend; the owner of the signer gets nothing that way.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LinkError } from '../../src/link/post.ts';
import { utcDay } from '../../src/platform/time.ts';
import type { Signed } from '../../src/ports/signer.ts';
import { type Claims, NO_CLAIMS } from '../../src/signer/claims.ts';
import type { MovementRow } from '../../src/signer/sweeps/judge.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { type SolanaWallet, SYSTEM_PROGRAM, solanaWallet } from '../support/solana-wallet.ts';
import {
	gasOf,
	journalOf,
	SOL,
	solanaPayIn,
	solRefundOf,
	startJudges,
	type TwoJudges,
	wiringOf,
} from '../support/two-judges.ts';

/** Blocks after which none can hold what was signed before, and all are final. */
const DEAD = 340;
const AMOUNT = SOL / 2n;

let node: SolanaNode;
let judges: TwoJudges;
let payer: SolanaWallet;
let hot: string;
beforeEach(async () => {
	node = await startSolanaNode();
	judges = await startJudges(node.url);
	hot = wiringOf(judges.signer).keys.on('Solana').hotAddress();
	node.place(hot, { owner: SYSTEM_PROGRAM, lamports: 10n * SOL });
	payer = await solanaWallet(node, 100n * SOL);
});
afterEach(async () => {
	vi.unstubAllGlobals();
	await node.stop();
});

/** A refund of half a SOL that came. */
async function owed(index = 1, id = `r${index}`) {
	const txId = await payer.pay(solanaPayIn(index), AMOUNT);
	node.advance(32);
	const to = payer.address;
	return {
		id,
		claims: await solRefundOf({ id, index, deposits: [{ txId, amount: AMOUNT }], amount: AMOUNT / 2n, to }),
	};
}

const sent = (outcome: object): string => node.send(String((outcome as Signed).raw).split(':')[1] ?? '');
const lose = () => {
	judges.wire = async (call, honest) => {
		await honest(call);
		throw new LinkError('unreachable', 'cosigner', 'cut');
	};
};
const mend = () => {
	judges.wire = (call, honest) => honest(call);
};

const sweepOf = (id: string, index: number): Claims => ({
	...NO_CLAIMS,
	movements: gasOf(id, index, AMOUNT).movements.map(
		(row): MovementRow => ({
			...row,
			kind: 'sweep',
			network: 'Solana',
			asset: 'SOL',
			sweepAsset: 'SOL',
			toAddress: hot,
			payInAddress: solanaPayIn(index),
		}),
	),
});

describe('a hot wallet on Solana that two judges sign for', () => {
	it('is the same for both, and pays what both have judged, once', async () => {
		const { id, claims } = await owed();
		expect(await judges.cosigner.announce('Solana', 0, [], hot)).toBe(true);
		const before = node.accountOf(payer.address)?.lamports ?? 0n;
		const outcome = await judges.sign(id, claims);
		expect(sent(outcome)).toBe((outcome as Signed).txId);
		expect((node.accountOf(payer.address)?.lamports ?? 0n) - before).toBe(AMOUNT / 2n);
		expect(await judges.sign(id, claims)).toEqual(outcome);
		// The co-signer has what it signed on record, and no transaction.
		expect(journalOf(judges.cosigner).signatureOf(id)?.txId).not.toBe((outcome as Signed).txId);
	});

	it('pays once where the co-signer’s answer was lost: another draft is signed once no block can hold the first one', async () => {
		const { id, claims } = await owed();
		lose();
		expect(await judges.sign(id, claims)).toMatchObject({ kind: 'cosigner-unreachable' });
		mend();
		expect(await judges.sign(id, claims)).toMatchObject({
			kind: 'cosigner-waits',
			detail: expect.stringContaining('is its last'),
		});
		expect(await judges.signer.giveUp(id, null)).toEqual({ kind: 'signed-already' });
		node.advance(DEAD);
		const outcome = await judges.sign(id, claims);
		expect(sent(outcome)).toBe((outcome as Signed).txId);
		expect(journalOf(judges.cosigner).versions.of(id)).toHaveLength(2);
	});

	it('pays once where the whole was lost: both sign another version after it has expired', async () => {
		const { id, claims } = await owed();
		const { txId } = (await judges.sign(id, claims)) as Signed;
		const bump = async () => {
			const [outcome] = (await judges.signer.bump('Solana', [{ payoutId: id, txId }], { entries: 0, nextIndex: 0 }))
				.answer;
			return outcome;
		};
		expect(await bump()).toMatchObject({ refused: { kind: 'may-still-confirm' } });
		node.advance(DEAD);
		const bumped = await bump();
		const next = bumped && 'replaced' in bumped ? bumped.replaced : { raw: '', txId: '' };
		expect(next.txId).not.toBe(txId);
		expect(sent(next)).toBe(next.txId);
	});

	it('pays nothing again that a signer in wrong hands has sent and says it has lost', async () => {
		const { id, claims } = await owed();
		const outcome = await judges.sign(id, claims);
		const draft = String(
			journalOf(judges.cosigner).signatureOf(id) && journalOf(judges.cosigner).versions.of(id)[0]?.raw,
		);
		sent(outcome);
		node.advance(DEAD);
		const txId = journalOf(judges.cosigner).versions.of(id)[0]?.txId ?? '';
		const stuck = { payoutId: id, txId, seen: null };
		expect(await judges.cosigner.bump('Solana', stuck, draft.split(':').slice(0, 3).join(':'))).toMatchObject({
			kind: 'may-still-confirm',
			detail: expect.stringContaining('the node has it as'),
		});
	});

	it('is where sweeps go, which both sign: their fees count towards the co-signer’s cap, because they may never be sent', async () => {
		const { id, claims } = await owed();
		sent(await judges.sign(id, claims));
		lose();
		expect(await judges.sign('s1', sweepOf('s1', 1))).toMatchObject({ kind: 'cosigner-unreachable' });
		mend();
		node.advance(1);
		const used = () => journalOf(judges.cosigner).days.signedOn('payout', utcDay(Date.now()));
		const before = used();
		const outcome = await judges.sign('s1', sweepOf('s1', 1));
		expect(outcome).toMatchObject({ amount: AMOUNT });
		expect(used() - before).toBe(1);
		sent(outcome);
		expect(node.accountOf(solanaPayIn(1))).toBeNull();
		const { id: other, claims: rows } = await owed(2);
		sent(await judges.sign(other, rows));
		wiringOf(judges.cosigner).caps.refusal = () => ({ kind: 'no-fresh-price' });
		expect(await judges.sign('s2', sweepOf('s2', 2))).toMatchObject({ kind: 'cosigner-waits' });
	});
});
