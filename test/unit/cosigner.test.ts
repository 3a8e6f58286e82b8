/**
 * Two judges of Tron, each with its own journal: what an honest one does while the other is owned whole by an attacker, who has
 * its seed, SEAL_KEY and its end of the link. The attacker writes the rows, the drafts and the answers.
 */
import { hex } from '@scure/base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NetworkName } from '../../src/catalog/networks.ts';
import { signatureOf } from '../../src/chains/account-message.ts';
import { signersOf } from '../../src/chains/account-signature.ts';
import { addressText, type StatedAddress } from '../../src/chains/address-text.ts';
import { isCosigned, judgesOf } from '../../src/chains/judges.ts';
import { readReserveText } from '../../src/chains/reserve-text.ts';
import { judgeVariables } from '../../src/chains/signing-registry.ts';
import { payInKey, type SolanaKey, hotAddress as solanaHot } from '../../src/chains/solana/keys.ts';
import { signText } from '../../src/chains/solana/prove.ts';
import { tronAddress } from '../../src/chains/tron/address.ts';
import {
	frameOn,
	partsOfSigned,
	rawTransfer,
	signedTransaction,
	transactionId,
} from '../../src/chains/tron/transaction.ts';
import { cosignerOf } from '../../src/link/cosigner.ts';
import { LinkError } from '../../src/link/post.ts';
import { judgeKeyLines } from '../../src/local/judge-keys.ts';
import { sumOf } from '../../src/money/units.ts';
import type { Cosigned, JournalMark } from '../../src/ports/cosigner.ts';
import type { ReserveBlock, ReserveClaim } from '../../src/ports/reserves.ts';
import type { Signed } from '../../src/ports/signer.ts';
import { type Claims, NO_CLAIMS } from '../../src/signer/claims.ts';
import type { SignerEnv } from '../../src/signer/env.ts';
import type { Claim } from '../../src/signer/payouts/judge.ts';
import { isRefusal } from '../../src/signer/refusal.ts';
import { judgeProblems } from '../../src/signer/state.ts';
import { refusalText, type SignerRefusal } from '../../src/treasury/signer-refusal.ts';
import { Random } from '../cast/random.ts';
import { addressOf } from '../support/tron-abi.ts';
import { readSigned } from '../support/tron-protobuf.ts';
import {
	COSIGNER,
	COSIGNER_KEY,
	COSIGNER_SEED,
	earnedOf,
	earningsOf,
	envOfJudge,
	gasOf,
	HOT,
	journalOf,
	keysText,
	payIn,
	payoutOf,
	RECIPIENT,
	refundOf,
	SIGNER,
	SIGNER_KEY,
	SOL,
	solanaPayIn,
	startJudges,
	TRX,
	type TwoJudges,
	wiringOf,
} from '../support/two-judges.ts';

let judges: TwoJudges;
beforeEach(async () => {
	judges = await startJudges();
});
afterEach(() => void vi.unstubAllGlobals());

/** A refund of 10 TRX that came. */
async function owed(id = 'r1', index = 1) {
	const txId = judges.node.paid(payIn(index), 10n * TRX);
	return { id, claims: await refundOf({ id, index, deposits: [{ txId, amount: 10n * TRX }], amount: 9n * TRX }) };
}

const signedBy = (outcome: Signed | SignerRefusal): string[] =>
	isRefusal(outcome) ? [refusalText(outcome)] : readSigned(outcome.raw).signers.map((hash) => addressOf(hash ?? ''));

/** A draft of the signer's: anything that an attacker may write. */
const draftOf = (to: string, amount: bigint, { id = 'draft', from = HOT, permission = 2, life = 0 } = {}): string => {
	const solid = { id: `${'0'.repeat(16)}${'ab'.repeat(24)}`, height: 1_000, timestamp: 0, parentId: undefined };
	const frame = frameOn(solid, judges.node.now, id);
	return signedTransaction(
		rawTransfer({ from, to, amount }, { ...frame, expiration: frame.expiration + life, permission }),
	);
};

const asked = (id: string, claims: unknown, draft: string) =>
	judges.cosigner.sign({
		network: 'Tron',
		seen: null,
		payoutId: id,
		claims: JSON.parse(JSON.stringify(claims)),
		draft,
		sweeps: [],
		stated: [],
	});

describe('two honest judges', () => {
	it('both sign a payment, and neither lets go of it before it is in the journal of each', async () => {
		const { id, claims } = await owed();
		let half = '';
		judges.wire = async (call, honest) => {
			const answer = (await honest(call)) as Signed;
			half = answer.raw;
			return answer;
		};
		const outcome = await judges.sign(id, claims);
		expect(signedBy(outcome)).toEqual([HOT, COSIGNER_KEY.address]);
		expect(readSigned(half).signers.map((hash) => addressOf(hash ?? ''))).toEqual([COSIGNER_KEY.address]);
		expect(await judges.sign(id, claims)).toEqual(outcome);
	});

	it('give out no address, the hot wallet’s neither, that the co-signer derives otherwise or has no nodes for', async () => {
		const told = vi.fn();
		judges.wire = async (call, honest) => {
			told(call.call);
			return honest(call);
		};
		expect(await judges.signer.hotAddress('Tron')).toBe(HOT);
		expect(told).toHaveBeenCalledWith('announce');
		const own = [payIn(5), payIn(6)];
		expect(await judges.cosigner.announce('Tron', 5, own, HOT)).toBe(true);
		for (const [addresses, hot] of [
			[own.toReversed(), HOT],
			[own, RECIPIENT],
		] as const)
			await expect(judges.cosigner.announce('Tron', 5, addresses, hot)).rejects.toThrow(
				'the two judges derive different addresses on Tron: each must have the other’s keys in OTHER_JUDGE_TRON',
			);
		judges.wire = async ({ call }) => call !== 'announce';
		await expect(judges.signer.hotAddress('Tron')).rejects.toThrow('the co-signer has no nodes of Tron');
	});

	it('give up only what neither of them has signed, and then neither ever signs it', async () => {
		const [{ id, claims }, other] = [await owed(), await owed('r2', 2)];
		judges.wire = async (call, honest) => {
			await honest(call);
			throw new LinkError('unreachable', 'cosigner', 'cut');
		};
		expect(await judges.sign(id, claims)).toMatchObject({ kind: 'cosigner-unreachable' });
		expect(await judges.signer.giveUp(id, null)).toMatchObject({ kind: 'cosigner-unreachable' });
		judges.wire = (call, honest) => honest(call);
		expect(await judges.signer.giveUp(id, null)).toEqual({ kind: 'signed-already' });
		expect(signedBy(await judges.sign(id, claims))).toHaveLength(2);

		expect(await judges.signer.giveUp(other.id, null)).toBeNull();
		expect(await asked(other.id, other.claims, draftOf(RECIPIENT, 9n * TRX))).toMatchObject({ kind: 'given-up' });
		expect(await judges.sign(other.id, other.claims)).toMatchObject({ kind: 'given-up' });
	});

	it('a signer that crashed before its own record, or lost its journal, gets the bytes that were signed first', async () => {
		const { id, claims } = await owed();
		judges.wire = async (call, honest) => {
			await honest(call);
			throw new LinkError('unreachable', 'cosigner', 'cut');
		};
		expect(await judges.sign(id, claims)).toMatchObject({ kind: 'cosigner-unreachable' });
		const first = (await asked(id, claims, draftOf(RECIPIENT, 9n * TRX))) as Signed;
		judges.wire = (call, honest) => honest(call);
		judges.node.now += 60_000;
		const outcome = (await judges.sign(id, claims)) as Signed;
		expect(outcome.txId).toBe(first.txId);
		expect(signedBy(outcome)).toHaveLength(2);
	});

	it('sign together that they hold the hot wallet, and none of the two alone', async () => {
		const signed = await judges.signer.signReserves('Tron', claimNow(), BLOCK, [HOT, RECIPIENT]);
		const [{ address, message = '', signature = '' } = {}] = signed;
		expect([signed.length, address]).toEqual([1, HOT]);
		expect(readReserveText(message)).toMatchObject({ deployment: 'test', network: 'Tron', address: HOT });
		expect(signersOf('TRON', tronAddress, { message, signature })).toEqual([HOT, COSIGNER_KEY.address]);
		judges.wire = async () => [];
		expect(await judges.signer.signReserves('Tron', claimNow(), BLOCK, [HOT])).toEqual([]);
		judges.wire = () => Promise.reject(new LinkError('unreachable', 'cosigner', 'cut'));
		await expect(judges.signer.signReserves('Tron', claimNow(), BLOCK, [HOT])).rejects.toThrow('cut');
	});

	it.each([
		[
			'cosigner-unreachable',
			() => Promise.reject(new LinkError('unreachable', 'cosigner', 'cut')),
			'see that the co-signer runs',
		],
		['cosigner-waits', async () => ({ kind: 'deposits-not-final' }), 'does not sign yet: the deposits are not final'],
		[
			'cosigner-refuses',
			async () => ({ kind: 'order-seal-broken' }),
			'the co-signer refuses: the order is not as it was sealed',
		],
	] as const)('%s says why nothing is signed, and what to do', async (kind, answer, text) => {
		const { id, claims } = await owed();
		judges.wire = answer;
		const outcome = (await judges.sign(id, claims)) as SignerRefusal;
		expect(outcome.kind).toBe(kind);
		expect(refusalText(outcome)).toContain(text);
		judges.wire = (call, honest) => honest(call);
		expect(signedBy(await judges.sign(id, claims))).toHaveLength(2);
	});
});

describe('a co-signer', () => {
	it('a co-signer whose journal was set back, or that is another one, is refused by name until a person accepts it, once', async () => {
		const [first, second] = [await owed(), await owed('r2', 2)];
		expect(signedBy(await judges.sign(first.id, first.claims))).toHaveLength(2);
		const answering = (change: Partial<JournalMark>) => {
			judges.wire = async (call, honest) => {
				const answer = (await honest(call)) as Cosigned;
				return { ...answer, journal: { ...answer.journal, ...change } };
			};
			return judges.sign(second.id, second.claims);
		};
		const older = await answering({ entries: 0 });
		const other = (await answering({ begunAt: 7, entries: 5 })) as SignerRefusal;
		for (const outcome of [older, other]) expect(outcome).toMatchObject({ kind: 'cosigner-set-back' });
		expect(refusalText(other)).toContain('older than it was, or another one, at 7/5');
		expect(journalOf(judges.signer).signatureOf(second.id)).toBeNull();
		judges.said = '7/4';
		expect(signedBy(await answering({ begunAt: 7, entries: 5 }))).toHaveLength(2);
		const third = await owed('r3', 3);
		judges.wire = async (call, honest) => {
			const [asked] = call.given as readonly [object];
			const answer = (await honest({ ...call, given: [{ ...asked, seen: null }] })) as Cosigned;
			return { ...answer, journal: { begunAt: 7, entries: 4 } };
		};
		expect(await judges.sign(third.id, third.claims)).toMatchObject({ kind: 'cosigner-set-back', detail: '7/4' });
	});

	it('a co-signer whose journal was set back signs nothing new, by which it would become as long as the one that was lost', async () => {
		const [first, second, third] = [await owed(), await owed('r2', 2), await owed('r3', 3)];
		expect(signedBy(await judges.sign(first.id, first.claims))).toHaveLength(2);
		// The signer has seen one entry that this journal has not.
		const mark = journalOf(judges.signer).cosigner;
		const known = mark.known();
		if (known) mark.note({ ...known, entries: known.entries + 1 }, known, '');
		for (const { id, claims } of [second, third, second]) {
			expect(await judges.sign(id, claims)).toMatchObject({ kind: 'cosigner-set-back' });
			expect(journalOf(judges.cosigner).signatureOf(id)).toBeNull();
		}
		const { begunAt, entries } = known ?? { begunAt: 0, entries: 0 };
		judges.said = `${begunAt}/${entries}`;
		expect(signedBy(await judges.sign(second.id, second.claims))).toHaveLength(2);
	});

	it('asks no other one: it takes what persons confirmed, and checks its own nodes, for itself', async () => {
		const asked = { deployment: 'test', nonce: 'n', expiresAt: Date.now() + 1_000, moves: [] };
		expect(isRefusal(await judges.cosigner.confirm({ asked, answers: [] }))).toBe(false);
		const checks = await judges.cosigner.check('Tron');
		expect(checks.map(({ what }) => what)).toContain('node 127.0.0.1:1: both judges');
		expect(checks.filter(({ what }) => what === 'co-signer')).toEqual([]);
	});
});

/** Of now, and whole. */
const claimNow = (off = 0) => ({
	number: 491_234,
	debts: 'ab'.repeat(32),
	at: new Date(Date.now() + off).toISOString().replace(/\.\d+Z$/, 'Z'),
});
const BLOCK = { height: 1_000, hash: 'cd'.repeat(32) };

describe('a co-signer that is asked for a reserve', () => {
	it('signs its own text alone: of its deployment, its clock and the account, whatever it is asked', async () => {
		const draft = draftOf(RECIPIENT, 9n * TRX);
		for (const [claim, block] of [
			[claimNow(3_600_000), BLOCK],
			[claimNow(-3_600_000), BLOCK],
			[{ ...claimNow(), at: draft }, BLOCK],
			[{ ...claimNow(), debts: draft }, BLOCK],
			[{ ...claimNow(), number: draft }, BLOCK],
			[
				{ ...claimNow(), deployment: draft },
				{ ...BLOCK, hash: draft },
			],
			[{ ...claimNow(), debts: `${'ab'.repeat(32)}\n` }, BLOCK],
		] as [ReserveClaim, ReserveBlock][])
			await expect(judges.cosigner.signReserves('Tron', claim, block, [HOT])).rejects.toThrow(/reserve/);
		const more = { ...claimNow(), deployment: 'other', network: 'Ethereum', address: RECIPIENT };
		const signed = await judges.cosigner.signReserves('Tron', more, BLOCK, [HOT, RECIPIENT, draft, payIn(1)]);
		expect(signed.map(({ message }) => readReserveText(message))).toMatchObject([
			{ deployment: 'test', network: 'Tron', address: HOT, block: BLOCK },
		]);
	});

	it('signs nothing on a network that the signer alone signs: its own keys hold nothing there', async () => {
		const node = { NODE_URL_ETHEREUM: 'http://127.0.0.1:1/', NODE_CHAIN_ETHEREUM: 'regtest' };
		Object.assign(envOfJudge(judges.cosigner), { ...node, OTHER_JUDGE_ETHEREUM: keysText(SIGNER) });
		const hot = wiringOf(judges.cosigner).keys.on('Ethereum').hotAddress();
		expect(await judges.cosigner.signReserves('Ethereum', claimNow(), BLOCK, [hot])).toEqual([]);
	});
});

describe('earnings of orders whose payouts the signer signed alone', () => {
	/** 2 % of 100 TRX at 0.25 USD, in wei at 2500 USD. */
	const AFFTAX = 2n * 10n ** 14n;
	const EARNED = 2n * TRX;
	async function earned(index: number) {
		const txId = judges.node.paid(payIn(index), 100n * TRX);
		const claim = await earnedOf({ index, deposits: [{ txId, amount: 100n * TRX }], afftax: AFFTAX });
		const of = { orderId: claim.order.id, partnerId: 'p', asset: 'ETH', amount: AFFTAX } as const;
		journalOf(judges.signer).earnings.earned(of);
		return claim;
	}
	const signerHas = (all: readonly Claim[]) => {
		judges.payoutsOf = async (orderIds) => all.filter(({ order }) => orderIds.includes(order.id));
	};
	const shown = (payouts: readonly Claim[], orderIds: readonly string[] = []) =>
		judges.cosigner.takePayouts({
			network: 'Tron',
			seen: null,
			orderIds,
			claims: JSON.parse(JSON.stringify({ ...NO_CLAIMS, payouts })),
			sweeps: [],
			stated: [],
		});

	it('are paid by both once the co-signer has judged each payout for itself, and once only', async () => {
		const all = await Promise.all([1, 2, 3].map(earned));
		signerHas(all);
		const orderIds = all.map(({ order }) => order.id);
		const outcome = await judges.sign('e1', await earningsOf('e1', orderIds, 3n * EARNED));
		expect(signedBy(outcome)).toEqual([HOT, COSIGNER_KEY.address]);
		expect(await judges.sign('e1', await earningsOf('e1', orderIds, 3n * EARNED))).toEqual(outcome);
		const again = await asked('e2', await earningsOf('e2', orderIds, 3n * EARNED), draftOf(RECIPIENT, 3n * EARNED));
		expect(again).toMatchObject({ kind: 'earnings-paid' });
	});

	it('of many orders are paid after some tries, each of which shows it a part of the payouts', async () => {
		const all = await Promise.all(Array.from({ length: 12 }, (_, index) => earned(index)));
		judges.payoutsOf = async ([orderId]) => all.filter(({ order }) => order.id === orderId);
		const orderIds = all.map(({ order }) => order.id);
		const claims = await earningsOf('e1', orderIds, 12n * EARNED);
		expect(await judges.sign('e1', claims)).toEqual({ kind: 'cosigner-waits', detail: 'it has to see 2 more payouts' });
		expect(signedBy(await judges.sign('e1', claims))).toHaveLength(2);
	});

	it('are not paid for a deposit that was paid back, nor is a deposit paid back whose earnings were paid', async () => {
		const claim = await earned(1);
		const [deposit] = claim.deposits.map(({ txId, amount }) => ({ txId, amount: BigInt(amount) }));
		if (!deposit) throw new Error('it came');
		const back = await refundOf({
			id: 'r1',
			index: 1,
			deposits: [deposit],
			amount: 99n * TRX,
			orderId: claim.order.id,
		});
		expect(await shown([claim], [claim.order.id])).toEqual([]);
		expect(await asked('r1', back, draftOf(RECIPIENT, 99n * TRX))).toMatchObject({ kind: 'deposits-paid' });

		const other = await earned(2);
		const [paid] = other.deposits.map(({ txId, amount }) => ({ txId, amount: BigInt(amount) }));
		const first = await refundOf({
			id: 'r2',
			index: 2,
			deposits: paid ? [paid] : [],
			amount: 99n * TRX,
			orderId: 'o2',
		});
		expect(signedBy(await judges.sign('r2', first))).toHaveLength(2);
		expect(await shown([other], ['o2'])).toMatchObject({ kind: 'deposits-paid' });
	});

	it.each<[string, (claim: Claim) => Promise<Claim> | Claim, string]>([
		[
			'a deposit that never came',
			(claim) => ({ ...claim, deposits: claim.deposits.map((each) => ({ ...each, txId: 'ff'.repeat(32) })) }),
			'settlement-changed',
		],
		[
			'a deposit that its node does not show',
			() => earnedOf({ index: 1, deposits: [{ txId: 'ff'.repeat(32), amount: 100n * TRX }], afftax: AFFTAX }),
			'deposits-not-final',
		],
		[
			'another entry than was sealed',
			(claim) => ({ ...claim, afftaxEntry: `-${10n ** 18n}` }),
			'order-without-earnings',
		],
		[
			'a margin above what can be set',
			(claim) => ({ ...claim, order: { ...claim.order, afftaxBps: 9_000 } }),
			'order-seal-broken',
		],
		['a refund', (claim) => ({ ...claim, payout: { ...claim.payout, kind: 'refund' } }), 'other-asset'],
	])('are not known by a payout with %s', async (_, bend, kind) => {
		const claim = await earned(1);
		expect(await shown([await bend(claim)], ['o1'])).toMatchObject({ kind });
		expect(await shown([], ['o1'])).toEqual(['o1']);
		const paying = await earningsOf('e1', ['o1'], EARNED);
		expect(await asked('e1', paying, draftOf(RECIPIENT, EARNED))).toMatchObject({ kind: 'order-without-earnings' });
	});

	it('are refused by name where the signer has no row of the payout', async () => {
		await earned(1);
		const outcome = await judges.sign('e1', await earningsOf('e1', ['o1'], EARNED));
		expect(outcome).toMatchObject({ kind: 'cosigner-refuses', detail: expect.stringContaining('earn') });
	});
});

describe('a co-signer that hangs', () => {
	afterEach(() => void vi.useRealTimers());

	it('is asked once, and the payments behind it do not wait for it', async () => {
		vi.useFakeTimers();
		let asks = 0;
		vi.stubGlobal('fetch', () => {
			asks += 1;
			return new Promise(() => undefined);
		});
		const cosigner = cosignerOf({
			COSIGNED: 'Tron',
			COSIGNER_URL: 'https://co.example/',
			COSIGNER_KEY: 'k'.repeat(43),
		});
		const hangs = expect(cosigner?.check('Tron')).rejects.toThrow('no answer within 60 s');
		await vi.waitFor(() => expect(asks).toBe(1));
		await vi.advanceTimersByTimeAsync(60_000);
		await hangs;
		await expect(cosigner?.check('Tron')).rejects.toThrow('the last call had no answer');
		expect(asks).toBe(1);
		vi.advanceTimersByTime(30_000);
		void cosigner?.check('Tron').catch(() => undefined);
		await vi.waitFor(() => expect(asks).toBe(2));
	});
});

describe('what both are configured with', () => {
	it('names networks: one that is mistyped is an error, and never a network that one judge signs alone', () => {
		expect(isCosigned({ COSIGNED: 'Tron, Litecoin' }, 'Litecoin')).toBe(true);
		expect(isCosigned({ COSIGNED: '' }, 'Tron')).toBe(false);
		expect(() => isCosigned({ COSIGNED: 'tron' }, 'Litecoin')).toThrow('COSIGNED names tron, which is no network');
	});

	it('names networks that two judges can sign, and where the keys of the other one are known', async () => {
		expect(() => judgesOf({ COSIGNED: 'Tron' }, 'Tron')).toThrow('OTHER_JUDGE_TRON is missing');
		expect(judgesOf({}, 'Tron')).toBeUndefined();
		const [alone, both] = [{}, { COSIGNED: 'Solana' }];
		const solana = (judged: object) => ({
			...judged,
			OTHER_JUDGE_SOLANA: judgeVariables(judged, SIGNER)['OTHER_JUDGE_SOLANA'] ?? '',
		});
		expect(judgesOf({ ...solana(alone), judge: 'cosigner' }, 'Solana')?.other.hot).toBe(solanaHot(SIGNER));
		expect(judgesOf(solana(both), 'Solana')?.isCosigned).toBe(true);
		expect(() => judgesOf({ ...solana(alone), ...both }, 'Solana')).toThrow('not a key and its signature');
		expect(() => judgesOf({ ...solana(both), ...alone, COSIGNED: '', judge: 'cosigner' }, 'Solana')).toThrow(
			'not an address',
		);
		const wiring = wiringOf(judges.signer);
		Object.assign(envOfJudge(judges.signer), {
			COSIGNED: 'Tron,Ethereum',
			OTHER_JUDGE_ETHEREUM: keysText(COSIGNER),
			NODE_URL_ETHEREUM: 'http://127.0.0.1:1/',
			NODE_CHAIN_ETHEREUM: 'regtest',
		});
		expect(() => wiring.keys.on('Ethereum')).toThrow('Ethereum cannot be co-signed');
	});

	it('names keys of the chain that the nodes are on: those of another one are refused by that name', async () => {
		const lines = async (env: object) => (await judgeKeyLines({ SEED: COSIGNER_SEED, ...env })).join('\n');
		const keysOf = (text: string) => /^OTHER_JUDGE_TRON=(.*)$/m.exec(text)?.[1] ?? '';
		const [main, test] = [await lines({}), await lines({ NODE_CHAIN_TRON: 'regtest' })];
		expect(main).toMatch(/^# Keys for main chains:\nOTHER_JUDGE_/);
		expect(main).not.toContain('test chains');
		expect(test).toMatch(/# Keys for test chains:\nOTHER_JUDGE_TRON=tpub\w+ tpub\w+$/);
		const judging = (keys: string, chain?: 'regtest') =>
			judgesOf({ COSIGNED: 'Tron', OTHER_JUDGE_TRON: keys, ...(chain && { NODE_CHAIN_TRON: chain }) }, 'Tron');
		expect(judging(keysOf(test), 'regtest')).toEqual(judging(keysOf(main)));
		expect(() => judging(keysOf(main), 'regtest')).toThrow(
			'OTHER_JUDGE_TRON has keys of the main chain (xpub), and this judge is on a test chain: print them with NODE_CHAIN_TRON=regtest',
		);
		expect(() => judging(keysOf(test))).toThrow(
			'OTHER_JUDGE_TRON has keys of a test chain (tpub), and this judge is on the main chain: print them without NODE_CHAIN_TRON',
		);
	});

	it.each([
		['nothing', {}, []],
		['all that is needed', { OTHER_JUDGE_TRON: keysText(COSIGNER) }, []],
		['no keys of the other one', { OTHER_JUDGE_TRON: undefined }, ['OTHER_JUDGE_TRON']],
		['no address', { COSIGNER_URL: undefined }, ['COSIGNER_URL']],
		['no key of the link', { COSIGNER_KEY: 'short' }, ['COSIGNER_KEY']],
		['no networks', { COSIGNED: undefined }, ['COSIGNED']],
		['a network that is none', { COSIGNED: 'Tronn' }, ['COSIGNED']],
	])('is shown by doctor where it is wrong: %s', (what, more, variables) => {
		const both = {
			COSIGNED: 'Tron',
			NODE_CHAIN_TRON: 'regtest',
			COSIGNER_URL: 'https://co.example/',
			COSIGNER_KEY: 'k'.repeat(43),
		};
		const given = what === 'nothing' ? {} : { ...both, OTHER_JUDGE_TRON: keysText(COSIGNER), ...more };
		expect(judgeProblems(given as unknown as SignerEnv).map(({ variable }) => variable)).toEqual(variables);
	});

	it('gives the addresses that were given out before, or no new one is made', async () => {
		const remembered = { entries: 1, nextIndex: 0 };
		const journal = journalOf(judges.signer);
		journal.addresses.remember('Tron', [{ address: payIn(3), index: 4 }]);
		await expect(judges.signer.newAddresses('Tron', 1, remembered)).rejects.toThrow('than before');
	});
});

describe('deposits on Solana, whose addresses no other judge can derive', () => {
	/** A payout of 70 TRX for a tenth of a SOL, which came to the address. */
	const forSol = (index: number, address = solanaPayIn(index), id = `p${index}`): Promise<Claims> => {
		const amount = SOL / 10n;
		const deposits = [{ txId: judges.solana.paid(address, amount), amount }];
		return payoutOf({ id, index, address, deposits, amount: 70n * TRX });
	};
	const asksFor = (id: string, claims: Claims, stated: readonly StatedAddress[]) =>
		judges.cosigner.sign({
			network: 'Tron',
			seen: null,
			payoutId: id,
			claims: JSON.parse(JSON.stringify(claims)),
			draft: draftOf(RECIPIENT, 70n * TRX, { id }),
			sweeps: [],
			stated,
		});
	const statedBy = (key: SolanaKey, index: number, { deployment = 'test', address = key.address } = {}) => {
		const stated = { network: 'Solana', index, address } as const;
		return { ...stated, signature: signText(key, addressText({ deployment, ...stated })) };
	};
	const ofSigner = (index: number) => payInKey(SIGNER, index);
	const unstated = { kind: 'payment-impossible', detail: 'no key of this pay-in address has stated that it is ours' };

	it('are paid for by both judges: the key of each address states that it is the deployment’s', async () => {
		expect(signedBy(await judges.sign('p1', await forSol(1)))).toEqual([HOT, COSIGNER_KEY.address]);
		// Told of new addresses, the co-signer compares the hot wallet's alone.
		expect(await judges.cosigner.announce('Solana', 0, [solanaPayIn(0)], solanaHot(SIGNER))).toBe(true);
		await expect(judges.cosigner.announce('Solana', 0, [], solanaPayIn(0))).rejects.toThrow('different addresses');
	});

	it('are nobody else’s: an address of somebody who has not signed for this deployment and index proves nothing', async () => {
		const [theirs, ours] = [payInKey(COSIGNER, 1).address, ofSigner(1)];
		const claims = await forSol(1, theirs);
		const honest = statedBy(ours, 1);
		for (const stated of [
			[],
			[{ ...honest, address: theirs }],
			[statedBy(ours, 1, { address: theirs })],
			[statedBy(ours, 1, { deployment: 'staging' })],
			[{ ...honest, index: 2 }],
			[{ ...honest, network: 'Tron' as const }],
			[{ ...honest, signature: 'zz' }],
		])
			expect(await asksFor('p1', claims, stated)).toMatchObject(unstated);
		expect(await asksFor('p1', claims, [honest])).toMatchObject({ kind: 'address-not-of-order' });
		expect(isRefusal(await asksFor('p1', await forSol(1), [honest]))).toBe(false);
	});

	it('prove one payment: the same coins pay for no second order, whatever the key states', async () => {
		const claims = await forSol(3);
		const stated = [statedBy(ofSigner(3), 3), statedBy(ofSigner(3), 4)];
		expect(isRefusal(await asksFor('p3', claims, stated))).toBe(false);
		const [first] = claims.payouts;
		const deposits = first?.deposits.map(({ txId, amount }) => ({ txId, amount: BigInt(amount) })) ?? [];
		const again = { id: 'p4', index: 4, address: solanaPayIn(3), deposits, amount: 70n * TRX };
		expect(await asksFor('p4', await payoutOf(again), stated)).toMatchObject({ kind: 'address-not-of-order' });
	});
});

describe('a new version', () => {
	it('is not signed by the co-signer while the last one may still be in a block', async () => {
		const { id, claims } = await owed();
		const first = (await judges.sign(id, claims)) as Signed;
		const draft = draftOf(RECIPIENT, 9n * TRX, { id: 'again' });
		const bumped = await judges.cosigner.bump('Tron', { payoutId: id, txId: first.txId, seen: null }, draft);
		expect(bumped).toMatchObject({ kind: 'may-still-confirm' });
		// The signer that lost the answer gets the newest that there is.
		const older = await judges.cosigner.bump('Tron', { payoutId: id, txId: 'older', seen: null }, draft);
		expect(older).toMatchObject({ txId: first.txId });
	});
});

interface Came {
	readonly txId: string;
	readonly amount: bigint;
}

/** An attacker who has the signer, and calls the co-signer with anything; then what the co-signer signed. */
async function attack(seed: number, calls: number) {
	const random = new Random(seed);
	const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;
	const came = new Map<string, { index: number; amount: bigint }>();
	for (let index = 0; index < 6; index++) {
		const amount = BigInt(10 + random.below(2_000)) * TRX;
		came.set(judges.node.paid(payIn(index), amount), { index, amount });
	}
	const elsewhere = judges.node.paid(RECIPIENT, 5_000n * TRX);
	const signed: { id: string; raw: string; deposits: readonly string[] }[] = [];
	/** The deposits of the orders whose payouts it took. */
	const taken = new Map<string, readonly string[]>();
	/** A payout of the signer's, with any share for the partner, who is the attacker too. */
	async function shows(index: number, deposits: readonly Came[]) {
		const orderId = pick([`o${index}`, `x${index}`, `x${index}`]);
		const afftax = (sumOf(deposits) * 10n ** 8n * pick([2n, 4n, 100n])) / 100n;
		const payout = await earnedOf({ index, deposits, afftax, orderId, id: pick([`p${index}`, `r${index}`]) });
		const claims = JSON.parse(JSON.stringify({ ...NO_CLAIMS, payouts: [payout] }));
		const orderIds = [orderId];
		const before = await judges.cosigner.takePayouts({
			network: 'Tron',
			seen: null,
			orderIds,
			claims: NO_CLAIMS,
			sweeps: [],
			stated: [],
		});
		const after = await judges.cosigner.takePayouts({
			network: 'Tron',
			seen: null,
			orderIds,
			claims,
			sweeps: [],
			stated: [],
		});
		if (!isRefusal(before) && before.length === 1 && !isRefusal(after) && after.length === 0)
			taken.set(
				orderId,
				deposits.map(({ txId }) => txId),
			);
	}
	async function asksEarnings(id: string) {
		const orderIds = [...taken.keys()].filter(() => random.below(2) === 0);
		const deposits = orderIds.flatMap((orderId) => taken.get(orderId) ?? []);
		const sum = deposits.reduce((all, txId) => all + (came.get(txId)?.amount ?? 0n), 0n);
		const amount = (sum * pick([2n, 4n, 4n, 5n, 100n])) / 100n;
		const answer = await asked(id, await earningsOf(id, orderIds, amount), draftOf(RECIPIENT, amount, { id }));
		if (!isRefusal(answer)) signed.push({ id, raw: answer.raw, deposits });
	}
	for (let call = 0; call < calls; call++) {
		const id = `r${random.below(8)}`;
		const index = random.below(6);
		const deposits = [...came]
			.filter(([, each]) => each.index === index || random.below(6) === 0)
			.map(([txId, { amount }]) => ({ txId, amount }));
		if (random.below(5) === 0) deposits.push({ txId: pick([elsewhere, 'ff'.repeat(32)]), amount: 5_000n * TRX });
		if (random.below(3) === 0) {
			await (random.below(2) === 0 ? shows(index, deposits) : asksEarnings(`e${random.below(4)}`)).catch(() => null);
			continue;
		}
		const sum = sumOf(deposits);
		const amount = pick([sum, sum - TRX, sum / 2n, sum * 2n, 1n]);
		const to = pick([RECIPIENT, payIn(3), addressOf('ab'.repeat(20))]);
		const refund = { id, index, deposits, amount, to, orderId: pick([`o${index}`, `o${index}`, 'other']) };
		const claims = await refundOf(random.below(6) === 0 ? { ...refund, toAddress: RECIPIENT } : refund);
		const drafted = pick([amount, amount, amount, amount + 1n, 10n ** 12n]);
		const draft = pick([
			draftOf(to, drafted, { id }),
			draftOf(to, drafted, { id }),
			draftOf(to, drafted, { id: String(call) }),
			draftOf(pick([to, addressOf('ee'.repeat(20))]), drafted, { id }),
			draftOf(to, drafted, { id, permission: 0 }),
			draftOf(to, drafted, { id, from: payIn(0) }),
			draftOf(to, drafted, { id, life: 10 ** 8 }),
			'00',
		]);
		const kind = random.below(8);
		const answer = await (kind === 0
			? judges.cosigner.bump(
					'Tron',
					{ payoutId: id, seen: null, txId: pick(['', transactionId(partsOfSigned(draft)?.raw ?? new Uint8Array())]) },
					draft,
				)
			: asked(id, kind === 1 ? { ...claims, withdrawals: claims.payouts.map(({ payout }) => payout) } : claims, draft)
		).catch(() => null);
		if (answer && !isRefusal(answer)) signed.push({ id, raw: answer.raw, deposits: deposits.map(({ txId }) => txId) });
	}
	return { signed, came };
}

/** What is wrong with what it signed, a sentence each. */
function wrongIn({ signed, came }: Awaited<ReturnType<typeof attack>>): string[] {
	const wrong: string[] = [];
	const byId = new Map<string, string>();
	const answered = new Map<string, string>();
	let sun = 0n;
	for (const { id, raw, deposits } of signed) {
		const { txId, owner, amount, kind, permissionId, signers } = readSigned(raw);
		if ((byId.get(id) ?? txId) !== txId) wrong.push(`${id} has two transactions`);
		if (byId.has(id)) continue;
		byId.set(id, txId);
		if (addressOf(owner) !== HOT || kind !== 'TransferContract' || permissionId !== 2)
			wrong.push(`${id} is no payment`);
		if (signers.length !== 1) wrong.push(`${id} is whole`);
		const sum = deposits.reduce((all, each) => all + (came.get(each)?.amount ?? 0n), 0n);
		if (amount > sum) wrong.push(`${id} pays ${amount} for ${sum}`);
		for (const each of deposits) {
			if (answered.has(each)) wrong.push(`${each} is paid for by ${id} and ${answered.get(each)}`);
			answered.set(each, id);
		}
		if (id.startsWith('r')) sun += amount;
		else if (amount * 24n > sum) wrong.push(`${id} pays more than twice the partner's share and the tolerance`);
	}
	// The day's cap of refunds, at 0.25 USD.
	if (sun > 4_000n * TRX) wrong.push(`${sun} sun are above the cap`);
	return wrong;
}

describe('a signer that an attacker owns whole gets of an honest co-signer', () => {
	it('nothing beyond what is proven by final deposits, once each, within the cap', async () => {
		let [payments, earnings] = [0, 0];
		for (let seed = 1; seed <= 6; seed++) {
			judges = await startJudges();
			const outcome = await attack(seed, 60);
			payments += outcome.signed.length;
			earnings += outcome.signed.filter(({ id }) => id.startsWith('e')).length;
			expect(wrongIn(outcome), `seed ${seed}`).toEqual([]);
		}
		// The attacker hits what an honest signer would ask as well: the test is about the rest.
		expect(payments).toBeGreaterThan(10);
		expect(earnings).toBeGreaterThan(2);
	});

	it('more where it signs whatever it is sent: the attack finds a co-signer that does not compare the draft', async () => {
		const { wiring } = judges.cosigner as unknown as {
			wiring: { keys: { on(network: NetworkName): { approve: unknown } } };
		};
		wiring.keys.on('Tron').approve = async ({ raw }: { readonly raw: string }) => {
			const bytes = partsOfSigned(raw)?.raw ?? new Uint8Array();
			const txId = transactionId(bytes);
			return {
				raw: signedTransaction(bytes, signatureOf(hex.decode(txId), COSIGNER_KEY.privateKey)),
				txId,
				spends: [],
				fee: 0n,
			};
		};
		expect(wrongIn(await attack(1, 60))).not.toEqual([]);
	});

	it('gas for a sweep, as much as it takes and a few times a day, and no coins at another address', async () => {
		const asksGas = (id: string, index: number, amount: bigint, to = payIn(index)) =>
			asked(id, gasOf(id, index, amount), draftOf(to, amount, { id }));
		expect(await asksGas('g1', 1, 10n * TRX)).toMatchObject({ kind: 'gas-too-much' });
		expect(await asksGas('g1', 1, 800_000n, RECIPIENT)).toMatchObject({ kind: 'payment-impossible' });
		journalOf(judges.signer).sweeps.allowRetry('Tron', payIn(1), 'USDTTRC20', Date.now());
		expect(signedBy(await judges.sign('g1', gasOf('g1', 1, 800_000n)))).toHaveLength(2);
		for (const id of ['g2', 'g3', 'g4', 'g5', 'g6', 'g7']) await asksGas(id, 1, 800_000n);
		expect(await asksGas('g8', 1, 800_000n)).toMatchObject({ kind: 'gas-too-often' });
		const sweep = gasOf('s1', 2, 800_000n);
		const rows = sweep.movements.map((row) => ({ ...row, kind: 'sweep', asset: 'USDTTRC20', toAddress: HOT }));
		expect(await asked('s1', { ...sweep, movements: rows }, draftOf(HOT, 1n))).toMatchObject({
			kind: 'no-such-transaction',
		});
	});

	it.each([
		['a row with a list in the place of a text', (row: object) => ({ ...row, amount: ['1'] })],
		['a row that lacks a column', ({ amount: _, ...row }: { readonly amount?: unknown }) => row],
		['a number that is none', (row: object) => ({ ...row, plannedAt: 1.5 })],
	])('a refusal for %s', async (_, bend) => {
		const { id, claims } = await owed();
		const payouts = claims.payouts.map((claim) => ({ ...claim, payout: bend(claim.payout) }));
		const outcome = await asked(id, { ...claims, payouts }, draftOf(RECIPIENT, 9n * TRX));
		expect(outcome).toMatchObject({ kind: 'failed', detail: expect.stringContaining('the signer sent no') });
	});

	it('a refusal for a payment that stands among the withdrawals, which persons would have to confirm', async () => {
		const { id, claims } = await owed();
		const rows = claims.payouts.map(({ payout }) => ({ ...payout, kind: 'payout' }));
		const outcome = await asked(id, { ...claims, payouts: [], withdrawals: rows }, draftOf(RECIPIENT, 9n * TRX));
		expect(outcome).toMatchObject({ kind: 'no-such-transaction' });
	});
});

describe('a co-signer that an attacker owns whole gets of an honest signer', () => {
	const theirs = (draft: string, ...more: Uint8Array[]): Signed => {
		const raw = partsOfSigned(draft)?.raw ?? new Uint8Array();
		const txId = transactionId(raw);
		const signature = signatureOf(hex.decode(txId), COSIGNER_KEY.privateKey);
		return { raw: signedTransaction(raw, signature, ...more), txId };
	};
	const given = (call: { readonly given: readonly unknown[] }) => (call.given[0] as { readonly draft: string }).draft;

	it.each([
		['another recipient', () => theirs(draftOf(addressOf('ee'.repeat(20)), 9n * TRX))],
		['another amount', () => theirs(draftOf(RECIPIENT, 10n * TRX))],
		['the permission of the owner', () => theirs(draftOf(RECIPIENT, 9n * TRX, { permission: 0 }))],
		['a transaction that is valid for days', () => theirs(draftOf(RECIPIENT, 9n * TRX, { life: 10 ** 8 }))],
		['the draft without a signature', (draft: string) => ({ raw: draft, txId: '' })],
		[
			'a signature of the signer’s in the place of its own',
			(draft: string) => {
				const raw = partsOfSigned(draft)?.raw ?? new Uint8Array();
				const own = signatureOf(hex.decode(transactionId(raw)), SIGNER_KEY.privateKey);
				return { raw: signedTransaction(raw, own), txId: '' };
			},
		],
		['bytes that are none', () => ({ raw: 'zz', txId: '' })],
		['an answer that is none', () => ({}) as Signed],
	])('no signature for %s', async (_, answer) => {
		const { id, claims } = await owed();
		judges.wire = async (call) => answer(given(call));
		expect(isRefusal(await judges.sign(id, claims))).toBe(true);
		// Nothing is on record either.
		judges.wire = (call, honest) => honest(call);
		expect(signedBy(await judges.sign(id, claims))).toHaveLength(2);
	});

	it('no second payment with the transaction of the first one', async () => {
		const [first, second] = [await owed('r1', 1), await owed('r2', 2)];
		let kept: Cosigned | null = null;
		judges.wire = async (call) => {
			kept ??= { ...theirs(given(call)), journal: { begunAt: 1, entries: 1 } };
			return kept;
		};
		expect(signedBy(await judges.sign(first.id, first.claims))).toHaveLength(2);
		expect(await judges.sign(second.id, second.claims)).toMatchObject({
			kind: 'payment-impossible',
			detail: expect.stringContaining('another payment'),
		});
	});
});
