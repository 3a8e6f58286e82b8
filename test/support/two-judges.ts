/**
 * A signer and a co-signer of Tron in one process, each with its own journal and a node on paper, which has the blocks, deposits
 * and balances that a test says. The wire between them is the test's: it sees each call and gives the answer.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { vi } from 'vitest';
import { keyOn } from '../../src/chains/judges.ts';
import { payInAddress as solanaAddress, hotAddress as solanaHot } from '../../src/chains/solana/keys.ts';
import { judgeText } from '../../src/chains/solana/shared-key.ts';
import { hashOf } from '../../src/chains/tron/address.ts';
import { hotKey, judgeKeys, payInAddress } from '../../src/chains/tron/keys.ts';
import { OPERATIONS } from '../../src/chains/tron/permissions.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealEarned, sealOrder, sealPayoutAddress, sealSettlement } from '../../src/orders/seal.ts';
import type { DepositRow, OrderRow } from '../../src/orders/table.ts';
import { COSIGNER_CALLS } from '../../src/ports/cosigner.ts';
import type { Signed } from '../../src/ports/signer.ts';
import { type Claims, NO_CLAIMS } from '../../src/signer/claims.ts';
import { cosigned } from '../../src/signer/cosigned.ts';
import { Vault as CosignerVault } from '../../src/signer/cosigner/vault.ts';
import type { SignerEnv } from '../../src/signer/env.ts';
import type { Journal } from '../../src/signer/journal/journal.ts';
import { JournalVolume } from '../../src/signer/journal/volume.ts';
import type { Claim, OrderPaymentRow } from '../../src/signer/payouts/judge.ts';
import { attempt } from '../../src/signer/refusal.ts';
import { signablesOf, signOne } from '../../src/signer/sign.ts';
import type { MovementRow } from '../../src/signer/sweeps/judge.ts';
import { Vault } from '../../src/signer/vault.ts';
import type { Wiring } from '../../src/signer/wiring.ts';
import type { SignerRefusal } from '../../src/treasury/signer-refusal.ts';
import type { TransactionRow } from '../../src/treasury/table.ts';
import { type PaperSolana, paperSolana } from './paper-solana.ts';
import { sqliteStorage } from './sqlite-storage.ts';

export const SIGNER_SEED = `${'abandon '.repeat(11)}about`;
export const COSIGNER_SEED = `${'zoo '.repeat(11)}wrong`;
export const SIGNER = mnemonicToSeedSync(SIGNER_SEED);
export const COSIGNER = mnemonicToSeedSync(COSIGNER_SEED);
export const SIGNER_KEY = hotKey(SIGNER);
export const COSIGNER_KEY = hotKey(COSIGNER);
export const HOT = SIGNER_KEY.address;
/** Of nobody here. */
export const RECIPIENT = 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ';
export const payIn = (index: number): string => payInAddress(SIGNER, index);
const SEALS = { SEAL_KEY: 's'.repeat(43), DEPLOYMENT: 'test' };
export const TRX = 1_000_000n;
const NODE = 'http://127.0.0.1:1/';
const SOLANA_NODE = 'http://127.0.0.1:1/solana';
const SOLANA_HOT = solanaHot(SIGNER);
export const solanaPayIn = (index: number): string => solanaAddress(SIGNER, index);
export const SOL = 1_000_000_000n;
const SOLID = 1_000;

/** A node that says what a test has told it. */
export interface PaperNode {
	/** Unix milliseconds of its newest block, which is irreversible. */
	now: number;
	/** Sun at the hot wallet. */
	balance: bigint;
	/** The keys that the account needs. */
	keys: readonly string[];
	/** Coins that came to an address: the id of the transaction. */
	paid(to: string, amount: bigint): string;
	answer(path: string, body: Readonly<Record<string, unknown>>): unknown;
}

export function paperNode(): PaperNode {
	const transactions = new Map<string, { to: string; amount: bigint }>();
	const blockOf = (height: number, timestamp: number) => ({
		blockID: height.toString(16).padStart(16, '0').padEnd(64, 'b'),
		block_header: { raw_data: { number: height, timestamp } },
	});
	const node: PaperNode = {
		now: Date.now(),
		balance: 1_000_000n * TRX,
		keys: [HOT, COSIGNER_KEY.address],
		paid(to, amount) {
			const txId = hex.encode(sha256(new TextEncoder().encode(`${to} ${transactions.size}`)));
			transactions.set(txId, { to, amount });
			return txId;
		},
		answer(path, body) {
			const found = transactions.get(String(body['value']));
			const permission = { threshold: 2, keys: node.keys.map((address) => ({ address, weight: 1 })) };
			switch (path) {
				case '/wallet/getblockbynum':
					return blockOf(0, 0);
				case '/wallet/getblock':
				case '/walletsolidity/getblock':
					return blockOf(SOLID, node.now);
				case '/wallet/getchainparameters':
					return { chainParameter: [] };
				case '/wallet/getaccount':
					if (body['address'] !== HOT) return { address: body['address'], balance: 1 };
					return {
						address: HOT,
						balance: Number(node.balance),
						owner_permission: permission,
						active_permission: [{ ...permission, id: 2, operations: OPERATIONS }],
					};
				case '/wallet/gettransactioninfobyid':
					return found ? { id: body['value'], blockNumber: SOLID - 100 } : {};
				case '/wallet/gettransactionbyid': {
					if (!found) return {};
					const value = {
						owner_address: `41${'c0'.repeat(20)}`,
						to_address: `41${hashOf(found.to)}`,
						amount: Number(found.amount),
					};
					const contract = [{ type: 'TransferContract', parameter: { value } }];
					return { txID: body['value'], ret: [{ contractRet: 'SUCCESS' }], raw_data: { contract } };
				}
				// 500 of the token lie at every address, and may be moved.
				case '/wallet/triggerconstantcontract':
					return {
						result: { result: true },
						energy_used: 65_000,
						constant_result: [(500n * TRX).toString(16).padStart(64, '0')],
					};
				default:
					return {};
			}
		},
	};
	return node;
}

type Call = { readonly call: string; readonly given: readonly unknown[] };

export interface TwoJudges {
	readonly node: PaperNode;
	readonly solana: PaperSolana;
	cosigner: CosignerVault;
	readonly signer: Vault;
	/** What the signer is answered. Honest at first. */
	wire: (call: Call, honest: (call: Call) => Promise<unknown>) => Promise<unknown>;
	/** The signer's D1: payouts by their orders. */
	payoutsOf: (orderIds: readonly string[]) => Promise<readonly Claim[]>;
	/** COSIGNER_JOURNAL of the signer. */
	said: string;
	/** The signer's outcome for a transaction that D1 has so. */
	sign(payoutId: string, claims: Claims): Promise<Signed | SignerRefusal>;
}

const envOf = (more: Record<string, unknown>): SignerEnv =>
	({
		...SEALS,
		DB: {},
		LOG_LEVEL: 'error',
		SANDBOX: 'on',
		SANDBOX_PRICES: {
			getByName: () => ({ all: async () => ({ TRX: '0.25', USDT: '1', BTC: '100000', SOL: '200', ETH: '2500' }) }),
		},
		COSIGNED: 'Tron',
		NODE_URL_TRON: NODE,
		NODE_CHAIN_TRON: 'regtest',
		NODE_URL_SOLANA: SOLANA_NODE,
		NODE_CHAIN_SOLANA: 'regtest',
		SIGNER_DAILY_CAP_USD: '100000',
		SIGNER_DAILY_REFUND_CAP_USD: '1000',
		...more,
	}) as unknown as SignerEnv;

const ctxOf = () =>
	({
		storage: sqliteStorage(),
		blockConcurrencyWhile: (run: () => Promise<unknown>) => run(),
		waitUntil: () => undefined,
	}) as unknown as DurableObjectState;

/** As `OTHER_JUDGE_TRON` has them, of any network that the test asks for. */
export const keysText = (seed: Uint8Array): string => {
	const { payIn: ofPayIn, hot } = judgeKeys(seed);
	return [ofPayIn, hot].map((key) => keyOn('regtest', key)).join(' ');
};

/** What a judge keeps to itself. */
export const wiringOf = (judge: object): Wiring => (judge as { readonly wiring: Wiring }).wiring;
export const envOfJudge = (judge: object): object => (judge as { readonly env: object }).env;
export const journalOf = (judge: object): Journal => (judge as { readonly journal: Journal }).journal;

/** With an empty journal, as after a loss. `more`: of its own configuration. */
export async function newCosigner(more: Record<string, unknown> = {}): Promise<CosignerVault> {
	const volumes = new Map<string, JournalVolume>();
	const volumeNamed = (name: string): JournalVolume => {
		const volume = volumes.get(name) ?? new JournalVolume(ctxOf(), envOf({}));
		volumes.set(name, volume);
		return volume;
	};
	const signersKeys = { OTHER_JUDGE_TRON: keysText(SIGNER), OTHER_JUDGE_SOLANA: SOLANA_HOT };
	const own = { SEED: COSIGNER_SEED, JOURNAL_VOLUME: { getByName: volumeNamed }, ...signersKeys };
	const cosigner = new CosignerVault(ctxOf(), envOf({ ...own, ...more }));
	await wiringOf(cosigner).keys.derive();
	return cosigner;
}

/** Stubs `fetch`: unstub it after each test. `solanaUrl`: a node of Solana, where both sign in the place of Tron. */
export async function startJudges(solanaUrl?: string): Promise<TwoJudges> {
	const network = solanaUrl === undefined ? 'Tron' : 'Solana';
	const real = fetch;
	const node = paperNode();
	const solana = paperSolana();
	const chosen = solanaUrl === undefined ? {} : { COSIGNED: network, NODE_URL_SOLANA: solanaUrl };
	const solanaKey = (seed: Uint8Array) => (solanaUrl === undefined ? SOLANA_HOT : judgeText(seed));
	const cosigner = await newCosigner({ OTHER_JUDGE_SOLANA: solanaKey(SIGNER), ...chosen });
	const theirs = { OTHER_JUDGE_TRON: keysText(COSIGNER), OTHER_JUDGE_SOLANA: solanaKey(COSIGNER) };
	const own = { SEED: SIGNER_SEED, ...theirs, ...chosen };
	const linked = { COSIGNER_URL: 'https://cosigner.example/', COSIGNER_KEY: 'k'.repeat(43) };
	const signer = new Vault(ctxOf(), envOf({ ...own, ...linked }));
	vi.stubGlobal('fetch', async (url: string, more: { readonly body?: string } = {}) => {
		const { body = '{}' } = more;
		const { pathname } = new URL(url);
		if (solanaUrl !== undefined && url.startsWith(solanaUrl)) return real(url, more);
		const asked = JSON.parse(body);
		return Response.json(pathname === '/solana' ? solana.answer(asked) : node.answer(pathname, asked));
	});
	const honest = async ({ call, given }: Call): Promise<unknown> => {
		const calls = judges.cosigner as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>;
		const answer = (await calls[call]?.(...(JSON.parse(JSON.stringify(given)) as unknown[]))) ?? null;
		return JSON.parse(JSON.stringify(answer)) as unknown;
	};
	const wiring = wiringOf(signer);
	const judges: TwoJudges = {
		node,
		solana,
		cosigner,
		signer,
		wire: (call, answer) => answer(call),
		payoutsOf: async () => [],
		said: '',
		sign: (payoutId, claims) =>
			attempt({ what: 'signing', payoutId, network }, () => {
				const signing = cosigned(
					{ ...wiring.signing(network, Date.now()), payoutsOf: judges.payoutsOf },
					wiring.cosigner,
					{ payoutId, claims },
					judges.said,
				);
				return signOne(signing, payoutId, signablesOf(claims).get(payoutId));
			}),
	};
	// The link has tests of its own (test/unit/link.test.ts).
	for (const call of COSIGNER_CALLS)
		Object.assign(wiring.cosigner ?? {}, {
			[call]: (...given: readonly unknown[]) => judges.wire({ call, given }, honest),
		});
	await wiring.keys.derive();
	return judges;
}

export interface Refund {
	readonly id: string;
	readonly index: number;
	readonly deposits: readonly { readonly txId: string; readonly amount: bigint }[];
	readonly amount: bigint;
	readonly to?: string;
	/** Of the row; the order's own where it is left out. */
	readonly toAddress?: string;
	readonly orderId?: string;
}

/** A payment on Tron for deposits of SOL. `address`: where they came. */
interface Payout extends Refund {
	readonly address: string;
}

/** The rows of a refund, sealed as the API Worker would: anyone who has SEAL_KEY can. */
export const refundOf = (refund: Refund): Promise<Claims> =>
	claimsOf({ ...refund, address: payIn(refund.index) }, { kind: 'refund', network: 'Tron', asset: 'TRX', pays: 'TRX' });

/** The rows of a refund of SOL, in the same way. */
export const solRefundOf = (refund: Refund): Promise<Claims> =>
	claimsOf(
		{ ...refund, address: solanaPayIn(refund.index) },
		{ kind: 'refund', network: 'Solana', asset: 'SOL', pays: 'SOL' },
	);

/** The rows of a payout of TRX, in the same way. */
export const payoutOf = (payout: Payout): Promise<Claims> =>
	claimsOf(payout, { kind: 'payout', network: 'Solana', asset: 'SOL', pays: 'TRX' });

interface Came {
	readonly kind: 'refund' | 'payout';
	readonly network: 'Tron' | 'Solana';
	readonly asset: 'TRX' | 'SOL';
	/** What the row pays. */
	readonly pays: 'TRX' | 'SOL';
}

async function claimsOf(
	{ id, index, deposits, amount, address, to = RECIPIENT, toAddress, orderId = `o${index}` }: Payout,
	{ kind, network, asset, pays }: Came,
): Promise<Claims> {
	const keys = keyRing(SEALS, 'SEAL_KEY');
	const rows = deposits.map(
		({ txId, amount: units }): DepositRow => ({
			network,
			txId,
			position: 'native',
			orderId,
			address,
			asset,
			amount: units.toString(),
			state: 'final',
			dust: false,
			payoutId: id,
			firstSeenAt: 1,
			lastSeenAt: 1,
			setAside: false,
		}),
	);
	const terms = {
		id: orderId,
		partnerId: 'p',
		fromAsset: asset,
		toAsset: kind === 'payout' ? 'TRX' : 'USDTTRC20',
		toAddress: to,
		refundAddress: to,
		payInAddress: address,
		payInIndex: index,
		baseFeeBps: 50,
		leanBps: 0,
		afftaxBps: 0,
		fromAmount: '10',
		minToAmount: null,
	} as const;
	const order = { ...ORDER, ...terms, fromNetwork: network, seal: await sealOrder(keys, terms) } as OrderRow;
	const planned = { payoutId: id, orderId, kind, asset: pays, amount: amount.toString(), plannedAt: 1 } as const;
	const settlementSeal = await sealSettlement(keys, { ...planned, deposits: rows });
	const payout = {
		...TRANSACTION,
		kind,
		network: pays === 'TRX' ? 'Tron' : 'Solana',
		asset: pays,
		id,
		orderId,
		amount: amount.toString(),
		toAddress: toAddress ?? to,
		settlementSeal,
	} as OrderPaymentRow;
	const raised = { confirmations: 0, aboveUsd: null, confirmationsAbove: null };
	return { ...NO_CLAIMS, payouts: [{ payout, order, deposits: rows, afftaxEntry: '0', raised }] };
}

export interface Earned {
	readonly index: number;
	readonly deposits: readonly { readonly txId: string; readonly amount: bigint }[];
	/** Wei, as the books credit the partner. */
	readonly afftax: bigint;
	readonly orderId?: string;
	/** Of the payout. */
	readonly id?: string;
}

/** The rows of a payout on Ethereum, which the signer signs alone, for TRX that came; 2 % of it are the partner's. */
export async function earnedOf({ index, deposits, afftax, orderId = `o${index}`, id = `p-${orderId}` }: Earned) {
	const keys = keyRing(SEALS, 'SEAL_KEY');
	const { payouts } = await refundOf({ id, index, deposits, amount: 1n, orderId });
	const [claim] = payouts;
	if (!claim) throw new Error('a refund has one row');
	const to = `0x${'ab'.repeat(20)}`;
	const terms = { ...claim.order, toAsset: 'ETH', toAddress: to, afftaxBps: 200, partnerId: 'p' } as const;
	const order = { ...terms, toNetwork: 'Ethereum', seal: await sealOrder(keys, terms) } as OrderRow;
	const asked = { payoutId: id, orderId, plannedAt: 1 } as const;
	const settled = { ...asked, kind: 'payout', asset: 'ETH', amount: '1000', deposits: claim.deposits } as const;
	const payout = {
		...claim.payout,
		kind: 'payout',
		network: 'Ethereum',
		asset: 'ETH',
		amount: '1000',
		toAddress: to,
		state: 'final',
		txId: `0x${id.padStart(64, '0')}`,
		settlementSeal: await sealSettlement(keys, settled),
		earnedSeal: await sealEarned(keys, { ...asked, afftax }),
	} as OrderPaymentRow;
	return { ...claim, payout, order, afftaxEntry: `-${afftax}` };
}

/** The rows of a payment of these orders' earnings in TRX. `amount`: sun. */
export async function earningsOf(id: string, orderIds: readonly string[], amount: bigint, to = RECIPIENT) {
	const terms = { partnerId: 'p', asset: 'TRX', address: to, changedAt: 1 } as const;
	const payout = { ...TRANSACTION, id, orderId: null, kind: 'earnings', amount: amount.toString(), toAddress: to };
	const paidTo = {
		partnerId: 'p',
		payoutAsset: 'TRX',
		payoutAddress: to,
		payoutAddressChangedAt: 1,
		payoutSeal: await sealPayoutAddress(keyRing(SEALS, 'SEAL_KEY'), terms),
	};
	const row = { ...payout, settlementSeal: null } as TransactionRow;
	return { ...NO_CLAIMS, earnings: [{ payout: row, paidTo, orderIds }] } as Claims;
}

/** The row of gas to a pay-in address, for the sweep of the token that lies there. */
export const gasOf = (id: string, index: number, amount: bigint): Claims => ({
	...NO_CLAIMS,
	movements: [
		{
			...TRANSACTION,
			id,
			orderId: null,
			kind: 'gas',
			amount: amount.toString(),
			toAddress: payIn(index),
			payInAddress: payIn(index),
			payInIndex: index,
			sweepAsset: 'USDTTRC20',
			settlementSeal: null,
		} as MovementRow,
	],
});

const ORDER = {
	fromNetwork: 'Tron',
	toNetwork: 'Tron',
	direction: 'from',
	tokenHash: '',
	idempotencyKey: null,
	requestHash: '',
	toAmount: '1',
	rate: '1',
	networkFee: '0',
	usdCents: 1,
	capDay: '2026-01-01',
	holdsCap: false,
	status: 'EMERGENCY',
	sequence: 0,
	emergencyReasons: [],
	limitSide: null,
	emergencyChoice: null,
	factsAt: 0,
	depositTxId: null,
	depositAmount: null,
	payoutTxId: null,
	payoutAmount: null,
	refundTxId: null,
	createdAt: 1,
	expiresAt: 2,
	watchUntil: 3,
	updatedAt: 1,
	finishedAt: null,
	deletedAt: null,
	referenceCode: null,
	dustCount: 0,
	dustSum: '0',
	externalId: null,
	externalIdUnique: false,
	paidCents: 0,
	strays: null,
	named: 0,
	dustBelow: '0',
	chosenAt: null,
	refundAskedAt: null,
	refundAskedBy: null,
	reports: null,
	reportedAt: null,
	appKey: null,
};

const TRANSACTION = {
	kind: 'refund',
	network: 'Tron',
	asset: 'TRX',
	usdCents: 1,
	payInAddress: null,
	payInIndex: null,
	sweepAsset: null,
	state: 'planned',
	raw: null,
	txId: null,
	fee: null,
	blockedKind: null,
	blockedFacts: null,
	plannedAt: 1,
	signedAt: null,
	sentAt: null,
	finalAt: null,
	nextAttemptAt: 1,
	attempts: 0,
	settledTxId: null,
	waitsKind: null,
	waitsFacts: null,
	waitsSince: null,
	earnedSeal: null,
};
