/**
 * A Solana node for a test file: JSON-RPC in front of litesvm, which is the real virtual machine with the real System,
 * Token and Associated Token programs. The rest of a validator is a stand-in of ours: slots, commitments, the 150 slots
 * for which a blockhash is valid, history, and a fork that drops the last slots. Each slot has one transaction.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
	address,
	type EncodedAccount,
	getAddressEncoder,
	getBase58Decoder,
	getBase64Encoder,
	getCompiledTransactionMessageDecoder,
	getTransactionDecoder,
	lamports,
	type Transaction,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';

export interface SolanaNodeOptions {
	/** What `getGenesisHash` answers. */
	readonly genesis?: string;
	/** Slots until a transaction is `confirmed` and `finalized`. */
	readonly confirmedAfter?: number;
	readonly finalizedAfter?: number;
	/** How often a new slot comes; without it, slots come with each transaction and from `advance`. */
	readonly slotMilliseconds?: number;
}

interface Placed {
	readonly owner: string;
	readonly lamports: bigint;
	readonly data?: Uint8Array;
}

export interface SolanaNode {
	readonly url: string;
	slot(): number;
	advance(slots: number): void;
	/** Stops and restarts the slots that come by time. */
	setTicking(on: boolean): void;
	/** Forgets the blocks below a slot, with their transactions. */
	prune(before: number): void;
	/** Removes the transactions and blockhashes of the last slots; time goes on in new slots. */
	fork(slots: number): void;
	/** Puts an account there as if it had always existed. */
	place(at: string, account: Placed): void;
	/** A mint at a mint's real address. */
	placeMint(mint: string, decimals: number, authority: string): void;
	accountOf(at: string): EncodedAccount | null;
	/** What recent transactions offered per unit, micro-lamports; `writing`: those that write this account. */
	setRecentPrices(prices: readonly bigint[], writing?: string): void;
	/** Sends a signed transaction, as anybody can; returns its id. @throws Error where the node refuses it. */
	send(wire: string, options?: { readonly skipPreflight?: boolean }): string;
	latestBlockhash(): string;
	stop(): Promise<void>;
}

interface Recorded {
	readonly slot: number;
	readonly err: unknown;
	readonly keys: readonly string[];
	/** Unix seconds. */
	readonly blockTime: number;
	readonly meta: Record<string, unknown>;
	/** Base64. */
	readonly wire: string;
}

type Commitment = 'processed' | 'confirmed' | 'finalized';
/** The options of all methods below, after the first parameter. */
interface Options {
	readonly commitment?: Commitment;
	readonly encoding?: string;
	readonly before?: string;
	readonly limit?: number;
	readonly sigVerify?: boolean;
	readonly skipPreflight?: boolean;
	/** From the beginning. */
	readonly dataSlice?: { readonly length: number };
	readonly programId?: string;
}
type Parameters = readonly [string & readonly string[] & Options, Options, Options?];

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const DEVNET_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const BLOCKHASH_SLOTS = 150;
const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
const FIRST_SLOT = 1_000;

class Refusal extends Error {
	readonly code: number;
	readonly data: unknown;
	constructor(code: number, message: string, data?: unknown) {
		super(message);
		this.code = code;
		this.data = data;
	}
}

const UNSIGNED = /SignatureFailure/i;
const unsigned = (): Refusal => new Refusal(-32003, 'Transaction signature verification failure');

export async function startSolanaNode(options: SolanaNodeOptions = {}): Promise<SolanaNode> {
	const { genesis = DEVNET_GENESIS, confirmedAfter = 1, finalizedAfter = 32, slotMilliseconds } = options;
	const svm = new LiteSVM().withTransactionHistory(0n).withBlockhashCheck(false);
	const transactions = new Map<string, Recorded>();
	/** Each account after each change, oldest first; the first entry is its state before all changes. */
	const versions = new Map<string, { slot: number; account: EncodedAccount | null }[]>();
	const blockhashes = new Map<string, number>();
	let recentPrices: readonly bigint[] = [];
	const pricesOf = new Map<string, readonly bigint[]>();
	let firstKept = 0;
	let slot = FIRST_SLOT;

	const base58Of = getBase58Decoder();
	const bounds: Record<Commitment, () => number> = {
		processed: () => slot,
		confirmed: () => slot - confirmedAfter,
		finalized: () => slot - finalizedAfter,
	};
	const boundOf = (commitment: Commitment = 'finalized'): number => bounds[commitment]();

	function tick(): void {
		slot += 1;
		svm.warpToSlot(BigInt(slot));
		svm.expireBlockhash();
		blockhashes.set(svm.latestBlockhash(), slot);
	}

	const now = (at: string): EncodedAccount | null => {
		const account = svm.getAccount(address(at));
		return account.exists ? account : null;
	};

	function put(at: string, account: EncodedAccount | null): void {
		const empty = { executable: false, data: new Uint8Array(), programAddress: address('1'.repeat(32)), space: 0n };
		svm.setAccount(account ?? { ...empty, address: address(at), lamports: lamports(0n) });
	}

	function remember(at: string, before: EncodedAccount | null, after: EncodedAccount | null): void {
		const known = versions.get(at) ?? [{ slot: -1, account: before }];
		known.push({ slot, account: after });
		versions.set(at, known);
	}

	const at = (key: string, commitment?: Commitment): EncodedAccount | null => {
		const known = versions.get(key);
		return known ? (known.findLast((version) => version.slot <= boundOf(commitment))?.account ?? null) : now(key);
	};

	const tokensIn = (account: EncodedAccount | null) => {
		if (account?.programAddress !== TOKEN_PROGRAM || account.data.length !== TOKEN_ACCOUNT_BYTES) return null;
		const data = Buffer.from(account.data);
		const mint = base58Of.decode(data.subarray(0, 32));
		const amount = data.readBigUInt64LE(64).toString();
		const decimals = now(mint)?.data[44] ?? 0;
		const ui = { amount, decimals, uiAmount: Number(amount) / 10 ** decimals, uiAmountString: amount };
		return { mint, owner: base58Of.decode(data.subarray(32, 64)), programId: TOKEN_PROGRAM, uiTokenAmount: ui };
	};

	function execute(transaction: Transaction, keys: readonly string[], txId: string, wire: string): void {
		const before = keys.map(now);
		const result = svm.sendTransaction(transaction);
		const failed = result instanceof FailedTransactionMetadata;
		if (failed && UNSIGNED.test(result.toString())) throw unsigned();
		const after = keys.map(now);
		for (const [index, key] of keys.entries()) remember(key, before[index] ?? null, after[index] ?? null);
		const held = (accounts: readonly (EncodedAccount | null)[]) => accounts.map((account) => account?.lamports ?? 0n);
		const tokens = (accounts: readonly (EncodedAccount | null)[]) =>
			accounts.flatMap((account, accountIndex) => {
				const row = tokensIn(account);
				return row ? [{ accountIndex, ...row }] : [];
			});
		const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
		const err = failed ? { InstructionError: [0, result.err().toString()] } : null;
		transactions.set(txId, {
			slot,
			err,
			keys,
			wire,
			blockTime: Math.floor(Date.now() / 1000),
			meta: {
				err,
				// Lamports are neither made nor lost but for the fee.
				fee: sum(held(before)) - sum(held(after)),
				preBalances: held(before),
				postBalances: held(after),
				preTokenBalances: tokens(before),
				postTokenBalances: tokens(after),
				loadedAddresses: { writable: [], readonly: [] },
				logMessages: failed ? result.meta().logs() : result.logs(),
				innerInstructions: [],
			},
		});
		tick();
	}

	function simulated(transaction: Transaction) {
		const result = svm.simulateTransaction(transaction);
		const failed = result instanceof FailedTransactionMetadata;
		const meta = result.meta();
		const err = failed ? { InstructionError: [0, result.err().toString()] } : null;
		return {
			err,
			text: failed ? result.toString() : '',
			logs: meta.logs(),
			unitsConsumed: meta.computeUnitsConsumed(),
		};
	}

	function decoded(wire: string) {
		try {
			const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(wire));
			const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
			return { transaction, keys: [...message.staticAccounts] as string[], blockhash: message.lifetimeToken };
		} catch {
			throw new Refusal(-32602, 'failed to deserialize transaction');
		}
	}

	const isAlive = (blockhash: string): boolean => slot - (blockhashes.get(blockhash) ?? -1) <= BLOCKHASH_SLOTS;

	function send(wire: string, { skipPreflight = false }: { readonly skipPreflight?: boolean } = {}): string {
		const { transaction, keys, blockhash } = decoded(wire);
		const [signature] = Object.values(transaction.signatures);
		if (!signature) throw unsigned();
		const txId = base58Of.decode(signature);
		const preflight = 'Transaction simulation failed: ';
		if (transactions.has(txId))
			throw new Refusal(-32002, `${preflight}This transaction has already been processed`, { err: 'AlreadyProcessed' });
		if (!isAlive(blockhash))
			throw new Refusal(-32002, `${preflight}Blockhash not found`, { err: 'BlockhashNotFound', logs: [] });
		if (!skipPreflight) {
			const { err, text, logs } = simulated(transaction);
			if (UNSIGNED.test(text)) throw unsigned();
			if (err) throw new Refusal(-32002, preflight + text.slice(0, 300), { err, logs });
		}
		execute(transaction, keys, txId, wire);
		return txId;
	}

	const shown = (account: EncodedAccount | null, slice?: Options['dataSlice']) =>
		account && {
			lamports: account.lamports,
			owner: account.programAddress,
			executable: account.executable,
			// What all accounts say since rent is no longer collected: a number that no double holds.
			rentEpoch: 2n ** 64n - 1n,
			space: account.data.length,
			data: [Buffer.from(account.data).subarray(0, slice?.length).toString('base64'), 'base64'],
		};

	const statusOf = ({ slot: landed }: Recorded): Commitment => {
		if (landed <= boundOf('finalized')) return 'finalized';
		return landed <= boundOf('confirmed') ? 'confirmed' : 'processed';
	};

	const inContext = (value: unknown, commitment?: Commitment) => ({
		context: { apiVersion: '3.0.0', slot: boundOf(commitment) },
		value,
	});

	const methods: Record<string, (...parameters: Parameters) => unknown> = {
		getGenesisHash: () => genesis,
		getSlot: (options) => boundOf(options?.commitment),
		getBlockHeight: (options) => boundOf(options?.commitment),
		getFirstAvailableBlock: () => firstKept,
		// Each slot has a block here.
		getBlock: (asked) => {
			const [blockhash] = [...blockhashes].find(([, since]) => since === Number(asked)) ?? [];
			return { blockHeight: Number(asked), blockhash, blockTime: Math.floor(Date.now() / 1000) };
		},
		getMinimumBalanceForRentExemption: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
		getRecentPrioritizationFees: (accounts: readonly string[] = []) => {
			const prices = accounts.map((account) => pricesOf.get(account)).find((each) => each) ?? recentPrices;
			return prices.map((prioritizationFee, index) => ({ slot: index, prioritizationFee }));
		},
		getLatestBlockhash: ({ commitment }) => {
			const final =
				commitment === 'finalized' && [...blockhashes].findLast(([, since]) => since <= boundOf(commitment));
			const [blockhash, since] = final || [svm.latestBlockhash(), slot];
			return inContext({ blockhash, lastValidBlockHeight: since + BLOCKHASH_SLOTS }, commitment);
		},
		getMultipleAccounts: (keys, { commitment, dataSlice }) => {
			if (keys.length > 100) throw new Refusal(-32602, 'Too many inputs provided; max 100');
			return inContext(
				keys.map((key: string) => shown(at(key, commitment), dataSlice)),
				commitment,
			);
		},
		getTokenAccountsByOwner: (owner, { programId }, { commitment, dataSlice } = {}) => {
			const found = [...versions.keys()].flatMap((pubkey) => {
				const account = at(pubkey, commitment);
				if (!account || account.programAddress !== programId || account.data.length < TOKEN_ACCOUNT_BYTES) return [];
				const isOwned = base58Of.decode(account.data.subarray(32, 64)) === String(owner);
				return isOwned ? [{ pubkey, account: shown(account, dataSlice) }] : [];
			});
			return inContext(found, commitment);
		},
		getSignaturesForAddress: (key, { commitment, before, limit = 1_000 }) => {
			const found = [...transactions]
				.filter(([, { keys, slot: landed }]) => keys.includes(key) && landed <= boundOf(commitment))
				.map(([signature, { slot: landed, err, blockTime }]) => ({
					signature,
					slot: landed,
					err,
					memo: null,
					blockTime,
				}))
				.toReversed();
			const start = before ? found.findIndex(({ signature }) => signature === before) + 1 : 0;
			return found.slice(start, start + limit);
		},
		getTransaction: (txId, { commitment, encoding }) => {
			const found = transactions.get(txId);
			if (!found || found.slot > boundOf(commitment)) return null;
			if (encoding === 'base64') return { slot: found.slot, meta: found.meta, transaction: [found.wire, 'base64'] };
			const transaction = { signatures: [txId], message: { accountKeys: found.keys } };
			return { slot: found.slot, blockTime: null, version: 'legacy', meta: found.meta, transaction };
		},
		getSignatureStatuses: (txIds) =>
			inContext(
				txIds.map((txId: string) => {
					const found = transactions.get(txId);
					return found ? { slot: found.slot, err: found.err, confirmationStatus: statusOf(found) } : null;
				}),
				'processed',
			),
		simulateTransaction: (wire, { sigVerify }) => {
			const { transaction, blockhash } = decoded(wire);
			if (!isAlive(blockhash)) return inContext({ err: 'BlockhashNotFound', logs: [], unitsConsumed: 0 });
			svm.withSigverify(Boolean(sigVerify));
			const { err, logs, unitsConsumed } = simulated(transaction);
			svm.withSigverify(true);
			return inContext({ err, logs, unitsConsumed }, 'confirmed');
		},
		sendTransaction: (wire, options) => send(wire, options),
	};

	function answer({ id, method, params }: { id: unknown; method: string; params: Parameters }): unknown {
		try {
			const run = methods[method];
			if (!run) throw new Refusal(-32601, 'Method not found');
			return { jsonrpc: '2.0', id, result: run(...params) };
		} catch (error) {
			const { code = -32603, message, data } = error as Refusal;
			return { jsonrpc: '2.0', id, error: { code, message, data } };
		}
	}

	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
		response.setHeader('content-type', 'application/json');
		response.end(jsonOf(Array.isArray(body) ? body.map(answer) : answer(body)));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	for (let count = 0; count <= finalizedAfter; count += 1) tick();
	let ticking = true;
	const tickItself = (): void => void (ticking && tick());
	const timer = slotMilliseconds === undefined ? null : setInterval(tickItself, slotMilliseconds);

	function place(key: string, { owner, lamports: held, data = new Uint8Array() }: Placed): void {
		const fields = { executable: false, programAddress: address(owner), space: BigInt(data.length) };
		const account: EncodedAccount = { ...fields, address: address(key), lamports: lamports(held), data };
		put(key, account);
		versions.set(key, [{ slot: -1, account: now(key) }]);
	}

	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		slot: () => slot,
		advance(slots) {
			for (let count = 0; count < slots; count += 1) tick();
		},
		setTicking(on) {
			ticking = on;
		},
		fork(slots) {
			const kept = slot - slots;
			for (const [txId, { slot: landed }] of transactions) if (landed > kept) transactions.delete(txId);
			for (const [blockhash, since] of blockhashes) if (since > kept) blockhashes.delete(blockhash);
			for (const [key, known] of versions) {
				const remaining = known.filter((version) => version.slot <= kept);
				versions.set(key, remaining);
				put(key, remaining.at(-1)?.account ?? null);
			}
			tick();
		},
		place,
		placeMint(mint, decimals, authority) {
			const data = Buffer.alloc(MINT_BYTES);
			data.writeUInt32LE(1, 0);
			data.set(getAddressEncoder().encode(address(authority)), 4);
			data[44] = decimals;
			data[45] = 1;
			place(mint, { owner: TOKEN_PROGRAM, lamports: svm.minimumBalanceForRentExemption(BigInt(MINT_BYTES)), data });
		},
		accountOf: now,
		setRecentPrices(prices, writing) {
			if (writing) pricesOf.set(writing, prices);
			else recentPrices = prices;
		},
		prune(before) {
			firstKept = before;
			for (const [txId, { slot: landed }] of transactions) if (landed < before) transactions.delete(txId);
		},
		send,
		latestBlockhash: () => svm.latestBlockhash(),
		stop: () =>
			new Promise((resolve) => {
				if (timer) clearInterval(timer);
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** 64-bit numbers as a validator writes them: as numbers. */
const jsonOf = (value: unknown): string =>
	JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `bigint:${each}` : each)).replaceAll(
		/"bigint:(\d+)"/g,
		'$1',
	);
