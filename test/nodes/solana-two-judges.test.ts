/**
 * Two judges who pay together on Solana, on its virtual machine (litesvm): what one of them gets of an honest other one, by the
 * drafts and answers that they send each other.
 */
import { base64 } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChainUnavailable, MayStillConfirm, PaymentImpossible, SigningBlocked } from '../../src/chains/errors.ts';
import type { Chain } from '../../src/chains/port.ts';
import type { ChainSigner, Draft, Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { readDraft } from '../../src/chains/solana/draft.ts';
import { solanaChain } from '../../src/chains/solana/family.ts';
import { computeBudget, transferLamports } from '../../src/chains/solana/instructions.ts';
import { payInKey } from '../../src/chains/solana/keys.ts';
import { compileMessage, type Instruction, signMessage, unsignedWire } from '../../src/chains/solana/message.ts';
import { chosenIn } from '../../src/chains/solana/message-reader.ts';
import { payoutPlan } from '../../src/chains/solana/plan.ts';
import { rawOf, readRaw } from '../../src/chains/solana/raw.ts';
import { judgeText, type SharedKey, sharedKey } from '../../src/chains/solana/shared-key.ts';
import { solanaSigner } from '../../src/chains/solana/signing.ts';
import { type Relay, startRelay } from '../support/anvil.ts';
import { addressOf, COIN, payment, SEED, SOLANA, signing, USDT, WALLET_RENT } from '../support/solana.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import {
	placeTokens,
	type SolanaWallet,
	SYSTEM_PROGRAM,
	solanaWallet,
	tokenAccountOf,
	tokensOf,
} from '../support/solana-wallet.ts';

const COSIGNER_SEED = mnemonicToSeedSync(`${'zoo '.repeat(11)}wrong`);
const judgesOf = (role: 'signer' | 'cosigner', other: Uint8Array) =>
	({ role, isCosigned: true, other: { payIn: '', hot: judgeText(other) } }) as const;
/** The signer's end of the key, as an attacker has it. */
const OWNED: SharedKey = sharedKey(SEED, judgesOf('signer', COSIGNER_SEED));
const HOT = OWNED.address;
/** Blocks after which no block can hold a draft by the co-signer's reckoning, and none of them can be undone. */
const DEAD = 340;
const MANY_TIMES = 10n;

let node: SolanaNode;
let relay: Relay;
let chain: Chain;
let signer: ChainSigner;
let cosigner: ChainSigner;
let recipient: SolanaWallet;

beforeAll(async () => {
	node = await startSolanaNode();
	node.placeMint(USDT, 6, addressOf(0));
	relay = await startRelay(node.url);
	const own = { urls: [relay.url], chain: 'regtest' } as const;
	chain = solanaChain(SOLANA, own, HOT);
	signer = solanaSigner(SOLANA, own, SEED, judgesOf('signer', COSIGNER_SEED));
	cosigner = solanaSigner(SOLANA, own, COSIGNER_SEED, judgesOf('cosigner', SEED));
});
afterAll(async () => {
	await relay?.stop();
	await node?.stop();
});
beforeEach(async () => {
	relay.intercept(() => undefined);
	node.setRecentPrices([]);
	node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: 100n * COIN });
	await placeTokens(node, USDT, HOT, 1_000_000n);
	recipient = await solanaWallet(node, COIN);
});

const approved = async (judge: ChainSigner, draft: Partial<Draft> & Pick<Draft, 'raw'>) => {
	const transaction = await judge.approve?.({ payment: null, previous: null, ...draft }, signing());
	if (!transaction) throw new TypeError('no second judge');
	return transaction;
};
/** Both judges, one after the other: what the co-signer answered, and the whole. */
async function paid(
	what: Payment,
	previous: { readonly own: SignedTransaction; readonly theirs: SignedTransaction } | null = null,
) {
	const draft = previous
		? await signer.replace(previous.own, what, signing(), false)
		: await signer.sign(what, signing());
	const raw = draft?.raw ?? '';
	const theirs = await approved(cosigner, { raw, payment: what, previous: previous?.theirs ?? null });
	return { theirs, own: await approved(signer, { raw: theirs.raw, payment: what, previous: previous?.own ?? null }) };
}

/** A draft of an attacker's, and how they make the co-signer's answer whole. */
function attackers(instructions: readonly Instruction[], { blockhash = node.latestBlockhash(), lastValid = 1 } = {}) {
	const one = OWNED.begin();
	const message = compileMessage(HOT, blockhash, instructions);
	const raw = `${lastValid}:${base64.encode(unsignedWire(message))}:${one.commitment}`;
	const whole = (answer: string): string => {
		const theirs = readDraft(answer)?.answer;
		if (!theirs) throw new TypeError('no answer');
		return base64.encode(signMessage(message, [], one.whole(message.bytes, theirs)).wire);
	};
	return { raw, whole };
}
/** The instructions of the payment, as an honest draft has them. */
const honest = (what: Payment, units = 1_000, price = 100_000n): Instruction[] => [
	...computeBudget(units, price),
	...payoutPlan(HOT, what, { wallet: WALLET_RENT, tokenAccount: 0n }).instructions,
];
let payments = 0;
const owed = (amount = COIN, more: Partial<Payment> = {}): Payment => {
	payments += 1;
	return payment(recipient.address, amount, { id: `payout-${payments}`, ...more });
};

describe('two honest judges', () => {
	it('have one hot wallet, and pay SOL from it together', async () => {
		expect(cosigner.hotAddress()).toBe(signer.hotAddress());
		const what = owed();
		const { theirs, own } = await paid(what);
		// The co-signer has no transaction, and knows no id of one.
		expect(readRaw(theirs.raw)).toBeNull();
		expect(theirs.txId).not.toBe(own.txId);
		await chain.broadcast(own.raw);
		expect(node.accountOf(recipient.address)?.lamports).toBe(2n * COIN);
		expect(await signer.hasPaid(own.txId, what)).toBe(true);
		expect(own.spends.map((each) => 'amount' in each && each.amount)).toEqual([COIN + own.fee]);
		expect(theirs.fee).toBe(own.fee);
	});

	it('use a blockhash that is final, which a node of the other judge that is behind knows too', async () => {
		const what = owed();
		node.advance(40);
		const draft = readDraft((await signer.sign(what, signing())).raw);
		const { blockhash } = (draft && chosenIn(draft.message)) ?? {};
		expect(blockhash).not.toBe(node.latestBlockhash());
		expect((draft?.lastValidHeight ?? 0) - node.slot()).toBe(150 - 32);
	});

	it('pay tokens together, and open the recipient’s account', async () => {
		const { own } = await paid(owed(250_000n, { asset: 'USDTSOL' }));
		await chain.broadcast(own.raw);
		expect(await tokensOf(node, USDT, recipient.address)).toBe(250_000n);
	});

	it('sweep SOL and tokens to the hot wallet together', async () => {
		await recipient.pay(addressOf(1), COIN / 2n);
		await placeTokens(node, USDT, addressOf(2), 500n);
		for (const [index, asset, amount] of [
			[1, 'SOL', COIN / 2n],
			[2, 'USDTSOL', 500n],
		] as const) {
			const sweep = { id: `sweep-${index}`, asset, index };
			const draft = await signer.sweep?.(sweep, signing());
			const drafted = { sweep, address: addressOf(index) };
			const theirs = await approved(cosigner, { raw: draft?.raw ?? '', sweep: drafted });
			const own = await approved(signer, { raw: theirs.raw });
			expect([theirs.amount, own.amount]).toEqual([amount, amount]);
			await chain.broadcast(own.raw);
		}
		expect(node.accountOf(addressOf(1))).toBeNull();
		expect(await tokensOf(node, USDT, HOT)).toBe(1_000_500n);
		expect(node.accountOf(await tokenAccountOf(addressOf(2), USDT))).toBeNull();
	});

	it('sign another version once no block can hold the first one, by the nodes of both', async () => {
		const what = owed();
		const first = await paid(what);
		await expect(paid(what, first)).rejects.toThrow(MayStillConfirm);
		node.advance(DEAD);
		const second = await paid(what, first);
		expect(second.own.spends.length).toBe(2);
		expect(second.theirs.spends.length).toBe(2);
		await chain.broadcast(second.own.raw);
		expect(node.accountOf(recipient.address)?.lamports).toBe(2n * COIN);
	});
});

describe('the owner of the signer gets of an honest co-signer', () => {
	it('the payment that it judges, and the network takes nothing that lacks its share', async () => {
		const what = owed();
		const { raw, whole } = attackers(honest(what));
		const answer = await approved(cosigner, { raw, payment: what });
		node.send(whole(answer.raw));
		expect(node.accountOf(recipient.address)?.lamports).toBe(2n * COIN);
		const alone = compileMessage(HOT, node.latestBlockhash(), honest(owed()));
		const forged = signMessage(alone, [], new Uint8Array(64).fill(1));
		await expect(chain.broadcast(rawOf(forged.wire, node.slot() + 100))).rejects.toThrow('signature');
	});

	it.each<[string, (what: Payment) => ReturnType<typeof attackers>, typeof PaymentImpossible | typeof SigningBlocked]>([
		['to another recipient', (what) => attackers(honest({ ...what, to: addressOf(7) })), PaymentImpossible],
		['of another amount', (what) => attackers(honest({ ...what, amount: what.amount + 1n })), PaymentImpossible],
		['under another id', (what) => attackers(honest({ ...what, id: 'other' })), PaymentImpossible],
		['of another asset', (what) => attackers(honest({ ...what, asset: 'USDTSOL' })), PaymentImpossible],
		[
			'with a second transfer',
			(what) => attackers([...honest(what), transferLamports(HOT, addressOf(7), 1n, addressOf(8))]),
			PaymentImpossible,
		],
		['without a compute budget', (what) => attackers(honest(what).slice(2)), PaymentImpossible],
		['at many times the price', (what) => attackers(honest(what, 1_000, MANY_TIMES * 100_000n)), SigningBlocked],
		['with many units', (what) => attackers(honest(what, 1_000_000)), PaymentImpossible],
		['that is no transaction', () => ({ ...attackers([]), raw: 'zz' }), PaymentImpossible],
	])('no share of a draft %s', async (_, make, error) => {
		const what = owed();
		await expect(approved(cosigner, { raw: make(what).raw, payment: what })).rejects.toThrow(error);
	});

	it('no share of a draft that could be sent later than its own node knows', async () => {
		const what = owed();
		const unknown = attackers(honest(what), { blockhash: addressOf(9) });
		await expect(approved(cosigner, { raw: unknown.raw, payment: what })).rejects.toThrow(ChainUnavailable);
		// What the draft says of its last height counts for nothing.
		const { raw } = attackers(honest(what), { lastValid: 1 });
		const theirs = await approved(cosigner, { raw, payment: what });
		const again = attackers(honest(what));
		await expect(approved(cosigner, { raw: again.raw, payment: what, previous: theirs })).rejects.toThrow(
			'is its last',
		);
	});

	it.each([
		['paid', false],
		['failed in a block', true],
	])('no share of another draft where the first one %s, and nobody was told', async (_, fails) => {
		const what = owed();
		const { raw, whole } = attackers(honest(what));
		const theirs = await approved(cosigner, { raw, payment: what });
		if (fails) node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN / 2n });
		node.send(whole(theirs.raw), { skipPreflight: true });
		expect(node.accountOf(recipient.address)?.lamports).toBe(fails ? COIN : 2n * COIN);
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: 100n * COIN });
		// Others come after it.
		await recipient.pay(HOT, COIN / 4n);
		node.advance(DEAD);
		const again = { raw: attackers(honest(what)).raw, payment: what, previous: theirs };
		await expect(approved(cosigner, again)).rejects.toThrow('the node has it as');
	});

	it('no share of another draft by a node that may have forgotten the first one', async () => {
		const what = owed();
		const theirs = await approved(cosigner, { raw: attackers(honest(what)).raw, payment: what });
		await recipient.pay(HOT, COIN / 4n);
		node.advance(DEAD);
		const again = () => approved(cosigner, { raw: attackers(honest(what)).raw, payment: what, previous: theirs });
		relay.intercept(({ method }) => (method === 'getTransaction' ? { result: null } : undefined));
		await expect(again()).rejects.toThrow(ChainUnavailable);
		relay.intercept(({ method }) => (method === 'getFirstAvailableBlock' ? { result: node.slot() - 10 } : undefined));
		await expect(again()).rejects.toThrow('the node has kept no block before');
		relay.intercept(() => undefined);
		expect((await again()).txId).not.toBe(theirs.txId);
	});

	it('no sweep to another wallet, and none of an address whose key has not stated it', async () => {
		await recipient.pay(addressOf(3), COIN / 2n);
		const sweep = { id: 'sweep-3', asset: 'SOL', index: 3 } as const;
		const draftTo = (to: string) => {
			const message = compileMessage(HOT, node.latestBlockhash(), [
				...computeBudget(1_000, 100_000n),
				transferLamports(addressOf(3), to, COIN / 2n, addressOf(8)),
			]);
			return `1:${base64.encode(unsignedWire(message))}:${OWNED.begin().commitment}`;
		};
		const drafted = { sweep, address: addressOf(3) };
		await expect(approved(cosigner, { raw: draftTo(addressOf(7)), sweep: drafted })).rejects.toThrow(
			'not that payment',
		);
		const draft = await signer.sweep?.(sweep, signing());
		const other = { sweep, address: addressOf(4) };
		await expect(approved(cosigner, { raw: draft?.raw ?? '', sweep: other })).rejects.toThrow('insufficient lamports');
		expect(() => cosigner.payInAddress(3)).toThrow('no key of this pay-in address');
	});
});

describe('the owner of the co-signer gets of an honest signer', () => {
	it('no transaction by a wrong share, an answer to an earlier draft, or one that was used', async () => {
		const what = owed();
		const [first, second] = [await signer.sign(what, signing()), await signer.sign(what, signing())];
		const earlier = await approved(cosigner, { raw: first.raw, payment: what });
		await expect(approved(signer, { raw: earlier.raw, payment: what })).rejects.toThrow(MayStillConfirm);
		const theirs = await approved(cosigner, { raw: second.raw, payment: what });
		expect(signer.isAnswerTo?.(second.raw, theirs.raw)).toBe(true);
		expect(signer.isAnswerTo?.(second.raw, earlier.raw)).toBe(false);
		const parts = theirs.raw.split(':');
		const wrong = parts.with(4, '01'.repeat(32)).join(':');
		await expect(approved(signer, { raw: wrong, payment: what })).rejects.toThrow(PaymentImpossible);
		// Its nonces are gone with that.
		await expect(approved(signer, { raw: theirs.raw, payment: what })).rejects.toThrow(MayStillConfirm);
	});

	it('no coins of a pay-in address, whose key the signer has alone', () => {
		expect(payInKey(COSIGNER_SEED, 1).address).not.toBe(signer.payInAddress(1));
		expect(signer.payInAddress(1)).toBe(addressOf(1));
	});
});
