/**
 * A Tron full node of the simulated world, as far as the service asks one: coins alone, and accounts with their permissions.
 * It reads signed transactions as the stand-in for a node does (`test/support/tron-protobuf.ts`).
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { hash20 } from '../../support/tron-abi.ts';
import { type Permissions, readSigned, type SignedTron } from '../../support/tron-protobuf.ts';
import {
	ownPermissions,
	PRICES,
	permissionOf,
	Refusal,
	SOLID_BLOCKS,
	signatureFault,
} from '../../support/tron-rules.ts';

/** Its producers miss three slots of four: a block that holds nothing shows nothing. */
const BLOCK_MILLISECONDS = 12_000;
/** After a leap of the clock so many come at most: meanwhile nobody produced. */
const MOST_BLOCKS = 40;
const FIRST_HEIGHT = 1_000;
const DAY_MILLISECONDS = 24 * 3_600_000;
const RESULT_BYTES = 64;

export interface TronPayment {
	readonly txId: string;
	/** Hashes of addresses. */
	readonly owner: string;
	readonly to: string;
	/** Sun. */
	readonly amount: bigint;
	readonly netFee: bigint;
	/** Unix milliseconds. */
	readonly enteredAt: number;
	readonly expiration: number;
	/** A payer's: its sender's balance does not matter. */
	readonly isForeign: boolean;
}

interface Block {
	/** Unix milliseconds. */
	readonly madeAt: number;
	readonly holds: readonly TronPayment[];
}

export interface SavedTron {
	readonly startedAt: number;
	readonly blocks: readonly Block[];
	readonly waiting: readonly TronPayment[];
	readonly balances: ReadonlyMap<string, bigint>;
	readonly permissions: ReadonlyMap<string, Permissions>;
	readonly foreign: number;
}

type Body = Readonly<Record<string, unknown>>;

export class TronNode {
	readonly #now: () => number;
	readonly #startedAt: number;
	readonly #blocks: Block[];
	readonly #balances: Map<string, bigint>;
	readonly #permissions: Map<string, Permissions>;
	readonly #mined = new Map<string, { readonly paid: TronPayment; readonly height: number }>();
	#waiting: TronPayment[];
	#foreign: number;

	/** `saved`: what another run had. */
	constructor(now: () => number, saved: SavedTron | null = null) {
		this.#now = now;
		this.#startedAt = saved?.startedAt ?? now();
		this.#blocks = [...(saved?.blocks ?? [])];
		this.#balances = new Map(saved?.balances);
		this.#permissions = new Map(saved?.permissions);
		this.#waiting = [...(saved?.waiting ?? [])];
		this.#foreign = saved?.foreign ?? 0;
		for (const [at, { holds }] of this.#blocks.entries())
			for (const paid of holds) this.#mined.set(paid.txId, { paid, height: FIRST_HEIGHT + 1 + at });
	}

	save(): SavedTron {
		const [balances, permissions] = [new Map(this.#balances), new Map(this.#permissions)];
		const [blocks, waiting] = [[...this.#blocks], [...this.#waiting]];
		return { startedAt: this.#startedAt, blocks, waiting, balances, permissions, foreign: this.#foreign };
	}

	/** The coins that an account has from the beginning, in sun, and who signs for it. */
	open(address: string, sun: bigint, permissions: Permissions): void {
		this.#balances.set(hash20(address), sun);
		this.#permissions.set(hash20(address), permissions);
	}

	/** A payer sends coins, in sun. Returns the id of the transaction. */
	deposit(address: string, amount: bigint): string {
		this.#advance();
		const txId = hashOf(`deposit ${this.#foreign++} ${address}`);
		const owner = hashOf(`payer ${this.#foreign}`).slice(0, 40);
		const [enteredAt, expiration] = [this.#now(), Number.POSITIVE_INFINITY];
		this.#waiting.push({
			txId,
			owner,
			to: hash20(address),
			amount,
			netFee: 0n,
			enteredAt,
			expiration,
			isForeign: true,
		});
		return txId;
	}

	/** What left an address and is in a block. */
	payments(from: string): TronPayment[] {
		this.#advance();
		return [...this.#mined.values()].flatMap(({ paid }) => (paid.owner === hash20(from) ? [paid] : []));
	}

	/** What payers sent and is in a block. */
	deposits(): TronPayment[] {
		this.#advance();
		return [...this.#mined.values()].flatMap(({ paid }) => (paid.isForeign ? [paid] : []));
	}

	/** The answer to a request. */
	answer(path: string, body: string): unknown {
		this.#advance();
		return this.#answerTo(path, (body === '' ? {} : JSON.parse(body)) as Body);
	}

	get #height(): number {
		return FIRST_HEIGHT + this.#blocks.length;
	}

	#madeAt(height: number): number {
		const known = this.#blocks[height - FIRST_HEIGHT - 1];
		return Math.floor(known?.madeAt ?? Math.max(0, this.#startedAt - (FIRST_HEIGHT - height) * BLOCK_MILLISECONDS));
	}

	/** Makes the blocks that are due. */
	#advance(): void {
		const slots = Math.floor((this.#now() - this.#startedAt) / BLOCK_MILLISECONDS);
		const last = Math.round((this.#madeAt(this.#height) - this.#startedAt) / BLOCK_MILLISECONDS);
		for (let slot = Math.max(last, slots - MOST_BLOCKS) + 1; slot <= slots; slot++)
			this.#mine(this.#startedAt + slot * BLOCK_MILLISECONDS);
	}

	#mine(madeAt: number): void {
		const before = this.#madeAt(this.#height);
		const due = this.#waiting.filter(({ enteredAt }) => enteredAt < madeAt);
		const holds = due.filter((paid) => paid.expiration > before && this.#pay(paid));
		this.#waiting = this.#waiting.filter((paid) => !due.includes(paid));
		this.#blocks.push({ madeAt, holds });
		for (const paid of holds) this.#mined.set(paid.txId, { paid, height: this.#height });
	}

	#pay({ owner, to, amount, netFee, isForeign }: TronPayment): boolean {
		const held = this.#balances.get(owner) ?? 0n;
		if (!isForeign && held < amount + netFee) return false;
		if (!isForeign) this.#balances.set(owner, held - amount - netFee);
		this.#balances.set(to, (this.#balances.get(to) ?? 0n) + amount);
		return true;
	}

	#answerTo(path: string, body: Body): unknown {
		const found = this.#mined.get(String(body['value']));
		switch (path) {
			case '/wallet/getblock':
				return this.#header(body['id_or_num'] === undefined ? this.#height : Number(body['id_or_num']));
			case '/walletsolidity/getblock':
				return this.#header(this.#height - SOLID_BLOCKS);
			case '/wallet/getblockbynum':
				return this.#block(Number(body['num']));
			case '/wallet/getblockbylimitnext':
				return { block: this.#range(Number(body['startNum']), Number(body['endNum'])) };
			case '/wallet/gettransactioninfobyid':
				return found ? infoOf(found) : {};
			case '/wallet/gettransactionbyid':
				return found ? transactionOf(found.paid, true) : {};
			case '/wallet/gettransactionfrompending':
				return this.#pending(String(body['value']));
			case '/wallet/gettransactioninfobyblocknum':
				return this.#inBlock(Number(body['num'])).map((paid) => infoOf({ paid, height: Number(body['num']) }));
			case '/wallet/getaccount':
				return this.#account(String(body['address']));
			case '/wallet/getchainparameters':
				return { chainParameter: PARAMETERS };
			case '/wallet/triggerconstantcontract':
				return { result: { code: 'CONTRACT_VALIDATE_ERROR', message: asHex('Smart contract is not exist.') } };
			case '/jsonrpc':
				return { jsonrpc: '2.0', id: body['id'], result: [] };
			case '/wallet/broadcasthex':
				return this.#broadcast(String(body['transaction']));
			default:
				throw new Error(`the node does not know ${path}`);
		}
	}

	#header(height: number) {
		if (height > this.#height || height < 0) return {};
		const raw_data = {
			...(height > 0 && { number: height, parentHash: blockIdOf(height - 1) }),
			timestamp: this.#madeAt(height),
		};
		return { blockID: blockIdOf(height), block_header: { raw_data } };
	}

	#inBlock = (height: number): readonly TronPayment[] => this.#blocks[height - FIRST_HEIGHT - 1]?.holds ?? [];

	#block(height: number) {
		const transactions = this.#inBlock(height).map((paid) => transactionOf(paid, true));
		return transactions.length > 0 ? { ...this.#header(height), transactions } : this.#header(height);
	}

	#range(start: number, end: number): unknown[] {
		const count = Math.max(0, Math.min(end, this.#height + 1, start + 100) - start);
		return Array.from({ length: count }, (_, at) => this.#block(start + at));
	}

	#pending(txId: string) {
		const paid = this.#waiting.find((each) => each.txId === txId);
		return paid ? transactionOf(paid, false) : {};
	}

	#account(address: string) {
		const hash = hash20(address);
		const balance = this.#balances.get(hash);
		if (balance === undefined) return {};
		const { owner, actives } = this.#permissionsOf(hash);
		return {
			address,
			...(balance > 0n && { balance: Number(balance) }),
			owner_permission: permissionOf(owner),
			active_permission: actives.map((active) => ({ type: 'Active', ...permissionOf(active) })),
		};
	}

	#permissionsOf = (hash: string): Permissions => this.#permissions.get(hash) ?? ownPermissions(hash);

	#broadcast(text: string) {
		try {
			return { result: true, txid: this.#take(readSigned(text)) };
		} catch (error) {
			if (error instanceof Refusal) return { code: error.code, message: asHex(error.message) };
			if (error instanceof RangeError) return { code: 'OTHER_ERROR', message: asHex('no transaction') };
			throw error;
		}
	}

	/** @throws Refusal */
	#take(signed: SignedTron): string {
		const { txId, owner, to, amount, kind, bytes, signers, expiration } = signed;
		const fault = signatureFault(signed, this.#permissionsOf(owner));
		if (fault) throw new Refusal('SIGERROR', `Validate signature error: ${fault}`);
		if (this.#mined.has(txId) || this.#waiting.some((each) => each.txId === txId))
			throw new Refusal('DUP_TRANSACTION_ERROR', 'Dup transaction.');
		if (kind !== 'TransferContract') throw new Refusal('CONTRACT_VALIDATE_ERROR', 'coins alone can be sent here');
		this.#requireInTime(signed);
		const isNew = !this.#balances.has(to);
		const bandwidth = BigInt(bytes + RESULT_BYTES) * PRICES.bandwidth;
		const second = signers.length > 1 ? PRICES.multiSign : 0n;
		const netFee = second + (isNew ? PRICES.createAccount + PRICES.createSystem : bandwidth);
		const leaving = this.#waiting.filter((each) => each.owner === owner);
		const held = leaving.reduce((left, each) => left - each.amount - each.netFee, this.#balances.get(owner) ?? 0n);
		if (held < amount + netFee)
			throw new Refusal('CONTRACT_VALIDATE_ERROR', 'Validate TransferContract error, balance is not sufficient.');
		const enteredAt = this.#now();
		this.#waiting.push({ txId, owner, to, amount, netFee, enteredAt, expiration, isForeign: false });
		return txId;
	}

	/** @throws Refusal */
	#requireInTime({ expiration, refBlock, refHash }: SignedTron): void {
		const now = this.#madeAt(this.#height);
		if (expiration <= now || expiration > now + DAY_MILLISECONDS)
			throw new Refusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
		const height = this.#height - ((this.#height - Number.parseInt(refBlock, 16)) & 0xffff);
		if (height < 0 || blockIdOf(height).slice(16, 32) !== refHash)
			throw new Refusal('TAPOS_ERROR', 'Tapos check error');
	}
}

const hashOf = (text: string): string => hex.encode(sha256(new TextEncoder().encode(text)));
const asHex = (text: string): string => Buffer.from(text).toString('hex');
const blockIdOf = (height: number): string =>
	height.toString(16).padStart(16, '0') + hashOf(`block ${height}`).slice(16);

function transactionOf({ txId, owner, to, amount }: TronPayment, isMined: boolean) {
	const value = { owner_address: `41${owner}`, to_address: `41${to}`, amount: Number(amount) };
	const raw_data = { contract: [{ type: 'TransferContract', parameter: { value } }] };
	return { txID: txId, raw_data, ...(isMined && { ret: [{ contractRet: 'SUCCESS' }] }) };
}

function infoOf({ paid, height }: { readonly paid: TronPayment; readonly height: number }) {
	const fee = Number(paid.netFee);
	return { id: paid.txId, blockNumber: height, ...(fee > 0 && { fee }), receipt: { net_fee: fee } };
}

const PARAMETERS = [
	{ key: 'getEnergyFee', value: Number(PRICES.energy) },
	{ key: 'getTransactionFee', value: Number(PRICES.bandwidth) },
	{ key: 'getCreateAccountFee', value: Number(PRICES.createAccount) },
	{ key: 'getCreateNewAccountFeeInSystemContract', value: Number(PRICES.createSystem) },
	{ key: 'getMultiSignFee', value: Number(PRICES.multiSign) },
];
