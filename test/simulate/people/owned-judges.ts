/**
 * Somebody who owns one of two judges whole: its seed, its end of the link, and all that it was ever sent. Beside what the judge
 * does honestly, the owner asks for more, or answers with anything. SEAL_KEY is not used: what that can is another's
 * (`outsider.ts`).
 */
import { createHmac } from 'node:crypto';
import { hex } from '@scure/base';
import { signatureOf } from '../../../src/chains/account-message.ts';
import {
	chosenIn,
	type Frame,
	JUDGES_PERMISSION,
	partsOfSigned,
	rawTransfer,
	signedTransaction,
	transactionId,
} from '../../../src/chains/tron/transaction.ts';
import { HEADERS, LINK_VERSION } from '../../../src/link/signature.ts';
import type { Cosigned, Cosigning } from '../../../src/ports/cosigner.ts';
import type { TransactionRow } from '../../../src/treasury/table.ts';
import { addressOf } from '../../support/tron-abi.ts';
import { readSigned } from '../../support/tron-protobuf.ts';
import type { TronNode } from '../platform/tron-node.ts';
import { COSIGNER, COSIGNER_KEY, HOT_TRON, JUDGE_KEYS } from '../settings.ts';
import type { Owner, World } from '../world.ts';

/** Nothing may ever reach it. */
export const THIEF = addressOf('ee'.repeat(20));
const [SIGNER_KEY, THEIR_KEY] = JUDGE_KEYS;
/** Turns of the machine until the bodies of a call and of its answer are read. */
const BODY_TURNS = 12;
const LATEST_MILLISECONDS = 60_000;
/** Of the calls that a judge's owner sees, so many are an occasion; of each call of the signer's some attacks may come. */
const SHARE = 0.4;
const MOST_ATTACKS = 4;
const SOMEBODY: Owner = { alive: true, durableAt: 0, crash: () => undefined };

export interface Call {
	readonly call: string;
	readonly given: readonly unknown[];
}
interface Row {
	readonly payout: TransactionRow;
	readonly order: { readonly id: string; readonly toAddress: string };
	readonly deposits: readonly object[];
}
type Asked = Cosigning & { readonly claims: Record<string, readonly unknown[]> & { readonly payouts: readonly Row[] } };

const signed = (text: string): string => createHmac('sha256', COSIGNER_KEY).update(text).digest('hex');

/** A transfer in the frame of a draft, with what differs from it. */
function transferLike(draft: string, { to, amount, frame }: Partial<Terms>): string {
	const seen = readSigned(draft);
	const made = { from: HOT_TRON, to: to ?? addressOf(seen.to), amount: amount ?? seen.amount };
	const base = { permission: JUDGES_PERMISSION, ...chosenIn(draft)?.frame } as Frame;
	return signedTransaction(rawTransfer(made, { ...base, ...frame }));
}

interface Terms {
	readonly to: string;
	readonly amount: bigint;
	readonly frame: Partial<Frame>;
}

/** With one judge's signature in the place of all others, or before the other one's. */
function withSignature(raw: string, key: (typeof JUDGE_KEYS)[number], isAlone: boolean): string {
	const parts = partsOfSigned(raw);
	if (!parts) return raw;
	const own = signatureOf(hex.decode(transactionId(parts.raw)), key.privateKey);
	return signedTransaction(parts.raw, own, ...(isAlone ? [] : parts.signatures));
}

/** @throws where there is none at all */
function entryAt<T>(all: Readonly<Record<string, T>>, place: number): readonly [name: string, value: T] {
	const entries = Object.entries(all);
	const found = entries[place % entries.length];
	if (!found) throw new Error('nothing to choose from');
	return found;
}

type Attack = (seen: Asked, other: Asked, fresh: string) => Call;

const asking = (seen: Asked, changed: Partial<Asked>): Call => ({ call: 'sign', given: [{ ...seen, ...changed }] });

/** The rows of the payment, with what differs. */
const claiming = ({ claims }: Asked, payout: object, more: object = {}): Asked['claims'] => ({
	...claims,
	payouts: claims.payouts.map((row) => ({ ...row, ...more, payout: { ...row.payout, ...payout } })),
});

const tripled = (draft: string): bigint => 3n * readSigned(draft).amount;
const later = (draft: string): string => {
	const frame = chosenIn(draft)?.frame;
	return transferLike(draft, { frame: { timestamp: (frame?.timestamp ?? 0) + 1 } });
};

const ATTACKS: Readonly<Record<string, Attack>> = {
	'another recipient in the draft': (seen) => asking(seen, { draft: transferLike(seen.draft, { to: THIEF }) }),
	'another amount in the draft': (seen) =>
		asking(seen, { draft: transferLike(seen.draft, { amount: tripled(seen.draft) }) }),
	'the permission of the owner': (seen) =>
		asking(seen, { draft: transferLike(seen.draft, { to: THIEF, frame: { permission: 0 } }) }),
	'another recipient of all': (seen) =>
		asking(seen, { draft: transferLike(seen.draft, { to: THIEF }), claims: claiming(seen, { toAddress: THIEF }) }),
	'another recipient of the order too': (seen) =>
		asking(seen, {
			draft: transferLike(seen.draft, { to: THIEF }),
			claims: {
				...seen.claims,
				payouts: claiming(seen, { toAddress: THIEF }).payouts.map((row) => ({
					...row,
					order: { ...row.order, toAddress: THIEF, refundAddress: THIEF },
				})),
			},
		}),
	'another amount of all': (seen) =>
		asking(seen, {
			draft: transferLike(seen.draft, { amount: tripled(seen.draft) }),
			claims: claiming(seen, { amount: String(tripled(seen.draft)) }),
		}),
	'the same payment again': (seen, _, fresh) =>
		asking(seen, { payoutId: fresh, claims: claiming(seen, { id: fresh }), draft: later(seen.draft) }),
	'another draft of the same payment': (seen) => asking(seen, { draft: later(seen.draft) }),
	'the rows of another payment': (seen, other) => asking(seen, { claims: other.claims }),
	'the deposits of another order': (seen, other) =>
		asking(seen, { claims: claiming(seen, {}, { deposits: other.claims.payouts[0]?.deposits ?? [] }) }),
	'no deposits': (seen) => asking(seen, { claims: claiming(seen, {}, { deposits: [] }) }),
	'a payment as a withdrawal': (seen, _, fresh) =>
		asking(seen, {
			payoutId: fresh,
			draft: transferLike(seen.draft, { to: THIEF }),
			claims: {
				...seen.claims,
				payouts: [],
				withdrawals: seen.claims.payouts.map(({ payout }) => ({
					...payout,
					id: fresh,
					kind: 'withdrawal',
					orderId: null,
					toAddress: THIEF,
				})),
			},
		}),
	'a new version': (seen) => ({
		call: 'bump',
		given: [seen.network, { payoutId: seen.payoutId, txId: readSigned(seen.draft).txId }, later(seen.draft)],
	}),
	'a new version to another recipient': (seen) => ({
		call: 'bump',
		given: [
			seen.network,
			{ payoutId: seen.payoutId, txId: readSigned(seen.draft).txId },
			transferLike(seen.draft, { to: THIEF }),
		],
	}),
	'to give it up': ({ payoutId, claims }) => ({
		call: 'giveUp',
		given: [payoutId, claims.payouts[0]?.order.id ?? null],
	}),
};

/** Has the signer's seed, and asks the co-signer for whatever it likes. What it gets, it completes and sends. */
export class OwnedSigner {
	readonly #world: World;
	readonly #tron: TronNode;
	readonly #ask: (request: Request) => Promise<Response>;
	readonly #seen: Asked[] = [];
	/** Questions of its own. */
	asked = 0;
	isAwake = true;

	constructor(world: World, tron: TronNode, ask: (request: Request) => Promise<Response>) {
		this.#world = world;
		this.#tron = tron;
		this.#ask = ask;
	}

	/** A call of the signer's honest code. Some questions come before it, and hold it up; some come later. */
	async noted({ call, given }: Call): Promise<void> {
		const { random } = this.#world;
		if (call !== 'sign' || !this.isAwake) return;
		this.#seen.push(given[0] as Asked);
		for (let times = 0; times < MOST_ATTACKS; times++) {
			const drawn = random.next();
			if (drawn < SHARE) await this.#attack();
			else if (drawn < 2 * SHARE)
				this.#world.after(random.next() ** 2 * LATEST_MILLISECONDS, () => void this.#attack());
		}
	}

	async #attack(): Promise<void> {
		const { random } = this.#world;
		// What it saw last is most often not decided yet.
		const seen = (random.chance(0.7) && this.#seen.at(-1)) || random.pick(this.#seen);
		// Each in its turn: what works once is tried.
		const [name, attack] = entryAt(ATTACKS, this.asked);
		this.#world.note(`the signer's owner asks for ${name}`);
		const fresh = `${random.below(1e9).toString(16).padStart(8, '0')}-0000-4000-a000-000000000000`;
		const body = JSON.stringify(attack(seen, random.pick(this.#seen), fresh));
		this.asked += 1;
		const said = await this.#world.effect(SOMEBODY, 'ask of an owned signer', () => this.#post(body)).catch(() => null);
		const raw = said?.answer?.raw;
		if (!raw) return;
		this.#tron.answer('/wallet/broadcasthex', JSON.stringify({ transaction: withSignature(raw, SIGNER_KEY, false) }));
	}

	async #post(body: string): Promise<{ readonly answer?: Partial<Cosigned> }> {
		const { random, now } = this.#world;
		const bytes = new Uint8Array(16);
		random.bytes(bytes);
		const nonce = hex.encode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
		const time = String(Math.floor(now));
		const question = ['question', LINK_VERSION, 'cosigner', 'POST', '/', '', time, nonce, body].join('\n');
		const headers = {
			[HEADERS.version]: LINK_VERSION,
			[HEADERS.time]: time,
			[HEADERS.nonce]: nonce,
			[HEADERS.signature]: signed(question),
		};
		this.#world.turns = BODY_TURNS;
		const response = await this.#ask(new Request(COSIGNER, { method: 'POST', headers, body }));
		this.#world.turns = BODY_TURNS;
		return JSON.parse(await response.text().catch(() => '{}')) as object;
	}
}

type Lie = (draft: string, honest: Cosigned, older: readonly Cosigned[]) => unknown;

const LIES: Readonly<Record<string, Lie>> = {
	'another recipient': (draft) => bySecond(transferLike(draft, { to: THIEF })),
	'another amount': (draft) => bySecond(transferLike(draft, { amount: tripled(draft) })),
	'the permission of the owner': (draft) => bySecond(transferLike(draft, { frame: { permission: 0 } })),
	'a transaction that is valid for days': (draft) =>
		bySecond(transferLike(draft, { frame: { expiration: (chosenIn(draft)?.frame.expiration ?? 0) + 10 ** 8 } })),
	'the draft without a signature': (draft) => ({ raw: draft, txId: readSigned(draft).txId }),
	'older bytes': (_, honest, older) => older.at(-2) ?? older.at(0) ?? honest,
	'bytes that are none': () => ({ raw: 'zz', txId: '' }),
	'nothing that is an answer': () => ({}),
	'a refusal': () => ({ kind: 'order-seal-broken' }),
	'an honest signature that it does not record': (draft) => bySecond(draft),
};

const bySecond = (raw: string) => {
	const whole = withSignature(raw, THEIR_KEY, true);
	return { raw: whole, txId: readSigned(whole).txId };
};

/** Has the co-signer's seed, and answers with whatever it likes. */
export class OwnedCosigner {
	readonly #world: World;
	readonly #tron: TronNode;
	readonly #older: Cosigned[] = [];
	/** Answers in the place of honest ones. */
	answered = 0;
	isAwake = true;

	constructor(world: World, tron: TronNode) {
		this.#world = world;
		this.#tron = tron;
	}

	/** What the call is answered in the place of the honest answer. */
	async answer(request: Request, honestly: (request: Request) => Promise<Response>): Promise<Response> {
		this.#world.turns = BODY_TURNS;
		const [{ url, headers }, body] = [request, await request.text()];
		const { call, given } = JSON.parse(body) as Call;
		const draft = call === 'sign' ? (given[0] as Asked).draft : call === 'bump' ? String(given[2]) : null;
		const honest = () => honestly(new Request(url, { method: 'POST', headers, body }));
		if (draft === null || !this.isAwake || !this.#world.random.chance(SHARE)) return this.#heard(await honest());
		// The half that the owner has: no node takes it.
		this.#tron.answer('/wallet/broadcasthex', JSON.stringify({ transaction: bySecond(draft).raw }));
		const mark = this.#older.at(-1);
		if (!mark) return this.#heard(await honest());
		const [name, lie] = entryAt(LIES, this.answered);
		this.#world.note(`the co-signer's owner answers with ${name}`);
		this.answered += 1;
		const said = { journal: mark.journal, ...(lie(draft, mark, this.#older) as object) };
		const text = JSON.stringify({ answer: said });
		const nonce = request.headers.get(HEADERS.nonce) ?? '';
		const signature = signed(['answer', LINK_VERSION, 'cosigner', '', nonce, 200, text].join('\n'));
		return new Response(text, { headers: { [HEADERS.version]: LINK_VERSION, [HEADERS.signature]: signature } });
	}

	async #heard(response: Response): Promise<Response> {
		const [{ status, headers }, text] = [response, await response.text()];
		const { answer } = (text.startsWith('{') ? JSON.parse(text) : {}) as { readonly answer?: Partial<Cosigned> };
		if (answer?.raw && answer.journal) this.#older.push(answer as Cosigned);
		return new Response(text, { status, headers });
	}
}
