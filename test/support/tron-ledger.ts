/**
 * The stand-in's chain: anvil, in whose blocks each Tron transaction is one or two of Ethereum's. Balances are sun
 * times 10^12 in wei; energy is gas at 100 sun; bandwidth and the fee for a new account are burnt by a second
 * transaction. So balances, tokens, receipts, events and forks are an EVM's own, and fees are exact. What a Tron node
 * checks before it takes a transaction is checked here.
 */
import { randomBytes } from 'node:crypto';
import { type Anvil, startAnvil } from './anvil.ts';
import { type Permissions, readSigned, type SignedTron } from './tron-protobuf.ts';
import { ownPermissions, PRICES, Refusal, signatureFault } from './tron-rules.ts';

export const WEI_PER_SUN = 10n ** 12n;
const CHAIN_ID = 728126428;
const FLAGS = ['--base-fee', '0', '--gas-price', '0', '--order', 'fifo', '--auto-impersonate', '--no-priority-fee'];
const BURNT = `0x${'0'.repeat(36)}dead`;
const RESULT_BYTES = 64;
const DAY_MILLISECONDS = 24 * 3_600_000;

export type Terms = Pick<SignedTron, 'kind' | 'owner' | 'to' | 'amount' | 'data' | 'feeLimit' | 'bytes'> &
	Partial<Pick<SignedTron, 'signers'>>;

export interface Recorded extends Terms {
	readonly txId: string;
	/** Of the transaction in anvil. */
	readonly evmHash: string;
	/** Sun for bandwidth, or for a new account. */
	readonly netFee: bigint;
}

export interface EvmBlock {
	readonly number: string;
	readonly hash: string;
	readonly parentHash: string;
	readonly timestamp: string;
	readonly transactions: readonly string[];
}

export interface TronLedger {
	readonly evm: Anvil;
	block(tag: string): Promise<EvmBlock | null>;
	/** Takes a signed transaction, hex; its id. @throws Refusal */
	take(signed: string): Promise<string>;
	/** Takes an unsigned transaction of an account whose key the tests do not need. @throws Refusal */
	admit(terms: Terms, txId?: string): Promise<string>;
	/** By Tron's id or by anvil's hash; absent while a fork has dropped it. */
	recorded(id: string): Promise<Recorded | null>;
	/** Sun. */
	balance(hash: string, tag?: 'latest' | 'pending'): Promise<bigint>;
	isContract(hash: string): Promise<boolean>;
	permissions(hash: string): Permissions;
	exists(hash: string): Promise<boolean>;
	mine(blocks: number): Promise<void>;
}

export const hexOf = (value: bigint | number): string => `0x${value.toString(16)}`;

/** Tron's block id: the height, then the rest of the hash. */
export const blockId = (number: string | number, hash: string): string =>
	BigInt(number).toString(16).padStart(16, '0') + hash.slice(18);

export async function startTronLedger(): Promise<TronLedger> {
	const evm = await startAnvil({ chainId: CHAIN_ID, automine: false, flags: FLAGS });
	const byId = new Map<string, Recorded>();
	/** Of accounts that updated them. Here they count at once, on the chain from the next block on. */
	const updated = new Map<string, Permissions>();
	const permissions = (hash: string): Permissions => updated.get(hash) ?? ownPermissions(hash);

	const block = async (tag: string) => (await evm.rpc('eth_getBlockByNumber', tag, false)) as EvmBlock | null;
	const balance = async (hash: string, tag: 'latest' | 'pending' = 'latest') =>
		BigInt((await evm.rpc('eth_getBalance', `0x${hash}`, tag)) as string) / WEI_PER_SUN;
	const isContract = async (hash: string) => (await evm.rpc('eth_getCode', `0x${hash}`, 'latest')) !== '0x';
	const exists = async (hash: string) =>
		// An account whose last coins are on their way out is one still.
		(await balance(hash)) > 0n ||
		(await balance(hash, 'pending')) > 0n ||
		(await isContract(hash)) ||
		BigInt((await evm.rpc('eth_getTransactionCount', `0x${hash}`, 'latest')) as string) > 0n;

	async function recorded(id: string): Promise<Recorded | null> {
		const found = byId.get(id) ?? [...byId.values()].find(({ evmHash }) => evmHash === id);
		return found && (await evm.rpc('eth_getTransactionByHash', found.evmHash)) ? found : null;
	}

	async function requireInTime(signed: SignedTron): Promise<void> {
		const head = await block('latest');
		const [now, height] = [Number(head?.timestamp) * 1000, Number(head?.number)];
		if (signed.expiration <= now || signed.expiration > now + DAY_MILLISECONDS)
			throw new Refusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
		const low = Number.parseInt(signed.refBlock, 16);
		const number = height - ((height - low) & 0xffff);
		const ref = number >= 0 ? await block(hexOf(number)) : null;
		if (!ref || blockId(ref.number, ref.hash).slice(16, 32) !== signed.refHash)
			throw new Refusal('TAPOS_ERROR', 'Tapos check error');
	}

	async function admit(terms: Terms, txId = randomBytes(32).toString('hex')): Promise<string> {
		const { kind, owner, to, amount, data, feeLimit, bytes, signers } = terms;
		const isTransfer = kind !== 'TriggerSmartContract';
		const held = await balance(owner, 'pending');
		if (!(await exists(owner))) throw new Refusal('CONTRACT_VALIDATE_ERROR', 'no OwnerAccount');
		const isNew = kind === 'TransferContract' && !(await exists(to));
		const bandwidth = BigInt(bytes + RESULT_BYTES) * PRICES.bandwidth;
		const isUpdate = kind === 'AccountPermissionUpdateContract';
		const more = ((signers?.length ?? 1) > 1 ? PRICES.multiSign : 0n) + (isUpdate ? PRICES.permissions : 0n);
		const netFee = more + (isNew ? PRICES.createAccount + PRICES.createSystem : bandwidth);
		if (held < netFee) throw new Refusal('BANDWITH_ERROR', 'Account resource insufficient error.');
		if (held < amount + netFee)
			throw new Refusal('CONTRACT_VALIDATE_ERROR', 'Validate TransferContract error, balance is not sufficient.');
		if (isTransfer && (await isContract(to)))
			throw new Refusal('CONTRACT_VALIDATE_ERROR', 'Cannot transfer TRX to a smartContract.');
		if (isTransfer && owner === to) throw new Refusal('CONTRACT_VALIDATE_ERROR', 'Cannot transfer TRX to yourself.');
		if (!isTransfer && !(await isContract(to)))
			throw new Refusal('CONTRACT_VALIDATE_ERROR', 'No contract or not a smart contract');
		let most = held - amount - netFee;
		if (most > feeLimit) most = feeLimit;
		const energy = most / PRICES.energy;
		const gas = isTransfer
			? { gas: hexOf(21_000), gasPrice: '0x0' }
			: { gas: hexOf(energy), gasPrice: hexOf(PRICES.energy * WEI_PER_SUN), data: `0x${data}` };
		const main = { from: `0x${owner}`, to: `0x${to}`, value: hexOf(amount * WEI_PER_SUN), ...gas };
		const evmHash = (await evm.rpc('eth_sendTransaction', main)) as string;
		const burn = { from: `0x${owner}`, to: BURNT, value: hexOf(netFee * WEI_PER_SUN), gas: hexOf(21_000) };
		await evm.rpc('eth_sendTransaction', { ...burn, gasPrice: '0x0' });
		byId.set(txId, { ...terms, txId, evmHash, netFee });
		return txId;
	}

	return {
		evm,
		block,
		balance,
		isContract,
		exists,
		permissions,
		recorded,
		admit,
		async take(text) {
			const signed = readSigned(text);
			const fault = signatureFault(signed, permissions(signed.owner));
			if (fault) throw new Refusal('SIGERROR', `Validate signature error: ${fault}`);
			if (await recorded(signed.txId)) throw new Refusal('DUP_TRANSACTION_ERROR', 'Dup transaction.');
			if (!signed.kind) throw new Refusal('CONTRACT_VALIDATE_ERROR', 'a kind that the stand-in does not know');
			await requireInTime(signed);
			// An update pays nobody but the network.
			const txId = await admit(signed.update ? { ...signed, to: BURNT.slice(2) } : signed, signed.txId);
			if (signed.update) updated.set(signed.owner, signed.update);
			return txId;
		},
		async mine(blocks) {
			await evm.rpc('anvil_setNextBlockBaseFeePerGas', '0x0');
			await evm.mine(blocks);
		},
	};
}
