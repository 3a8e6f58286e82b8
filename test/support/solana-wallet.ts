/**
 * A customer's wallet on a test's Solana node, built with `@solana/kit` and the programs' own clients, so that what
 * our code reads and makes is seen with other eyes than its own. Sends version 0 transactions, as wallets do.
 */
import {
	type Address,
	address,
	appendTransactionMessageInstructions,
	type Blockhash,
	createTransactionMessage,
	generateKeyPairSigner,
	getAddressEncoder,
	getBase64EncodedWireTransaction,
	type Instruction,
	type KeyPairSigner,
	pipe,
	setTransactionMessageFeePayerSigner,
	setTransactionMessageLifetimeUsingBlockhash,
	signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
	findAssociatedTokenPda,
	getCreateAssociatedTokenIdempotentInstruction,
	getTransferCheckedInstruction,
	TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { SolanaNode } from './solana-node.ts';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TOKEN_ACCOUNT_BYTES = 165;
const INITIALIZED = 1;
const RENT = 2_039_280n;
const DECIMALS = 6;

export interface SolanaWallet {
	readonly address: Address;
	readonly signer: KeyPairSigner;
	/** The id of the transaction, which a slot holds. */
	pay(to: string, lamports: bigint): Promise<string>;
	/** Opens the recipient's account where there is none, as wallets do. */
	payTokens(mint: string, to: string, amount: bigint): Promise<string>;
	send(instructions: readonly Instruction[], options?: { readonly skipPreflight?: boolean }): Promise<string>;
	/** Signed and not sent. */
	wireOf(instructions: readonly Instruction[]): Promise<string>;
	transfer(to: string, lamports: bigint): Instruction;
	tokenTransfer(mint: string, to: string, amount: bigint): Promise<Instruction[]>;
}

export async function tokenAccountOf(owner: string, mint: string): Promise<Address> {
	const seeds = { owner: address(owner), mint: address(mint), tokenProgram: TOKEN_PROGRAM_ADDRESS };
	return (await findAssociatedTokenPda(seeds))[0];
}

/** Gives an owner tokens out of nothing. */
export async function placeTokens(node: SolanaNode, mint: string, owner: string, amount: bigint): Promise<void> {
	const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
	data.set(getAddressEncoder().encode(address(mint)), 0);
	data.set(getAddressEncoder().encode(address(owner)), 32);
	data.writeBigUInt64LE(amount, 64);
	data[108] = INITIALIZED;
	node.place(await tokenAccountOf(owner, mint), { owner: TOKEN_PROGRAM_ADDRESS, lamports: RENT, data });
}

/** What an owner holds of a mint. */
export async function tokensOf(node: SolanaNode, mint: string, owner: string): Promise<bigint> {
	const account = node.accountOf(await tokenAccountOf(owner, mint));
	return account ? Buffer.from(account.data).readBigUInt64LE(64) : 0n;
}

/** With `lamports` out of nothing. */
export async function solanaWallet(node: SolanaNode, lamports: bigint): Promise<SolanaWallet> {
	const signer = await generateKeyPairSigner();
	node.place(signer.address, { owner: SYSTEM_PROGRAM, lamports });

	async function wireOf(instructions: readonly Instruction[]): Promise<string> {
		const blockhash = node.latestBlockhash() as Blockhash;
		const message = pipe(
			createTransactionMessage({ version: 0 }),
			(made) => setTransactionMessageFeePayerSigner(signer, made),
			(made) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, made),
			(made) => appendTransactionMessageInstructions([...instructions], made),
		);
		return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
	}

	const transfer = (to: string, amount: bigint): Instruction =>
		getTransferSolInstruction({ source: signer, destination: address(to), amount });

	async function tokenTransfer(mint: string, to: string, amount: bigint): Promise<Instruction[]> {
		const [source, destination] = [await tokenAccountOf(signer.address, mint), await tokenAccountOf(to, mint)];
		return [
			getCreateAssociatedTokenIdempotentInstruction({
				payer: signer,
				ata: destination,
				owner: address(to),
				mint: address(mint),
			}),
			getTransferCheckedInstruction({
				source,
				mint: address(mint),
				destination,
				authority: signer,
				amount,
				decimals: DECIMALS,
			}),
		];
	}

	const send: SolanaWallet['send'] = async (instructions, options) => node.send(await wireOf(instructions), options);
	return {
		address: signer.address,
		signer,
		send,
		wireOf,
		transfer,
		tokenTransfer,
		pay: (to, amount) => send([transfer(to, amount)]),
		payTokens: async (mint, to, amount) => send(await tokenTransfer(mint, to, amount)),
	};
}
