/**
 * The only instructions that this service gives to Solana's programs. Pure; a test compares each with the programs' own
 * clients.
 */
import type { AccountUse, Instruction } from './message.ts';
import {
	ASSOCIATED_TOKEN_PROGRAM,
	COMPUTE_BUDGET_PROGRAM,
	SYSTEM_PROGRAM,
	TOKEN_PROGRAM,
	tokenAddress,
} from './programs.ts';

/** Numbers of the instructions in their programs. */
const TRANSFER_LAMPORTS = 2;
const TRANSFER_CHECKED = 12;
const CLOSE_ACCOUNT = 9;
const CREATE_IDEMPOTENT = 1;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

const U8_BYTES = 1;
const U32_BYTES = 4;
const U64_BYTES = 8;

const readOnly = (address: string): AccountUse => ({ address, signer: false, writable: false });
const writable = (address: string): AccountUse => ({ address, signer: false, writable: true });
const signer = (address: string): AccountUse => ({ address, signer: true, writable: false });
const writableSigner = (address: string): AccountUse => ({ address, signer: true, writable: true });

/** Units that the transaction may use, and micro-lamports that it offers for each. */
export const computeBudget = (unitLimit: number, unitPrice: bigint): Instruction[] => [
	{ program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: packed([SET_UNIT_LIMIT, U8_BYTES], [unitLimit, U32_BYTES]) },
	{ program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: packed([SET_UNIT_PRICE, U8_BYTES], [unitPrice, U64_BYTES]) },
];

/**
 * `reference`: an account that the program ignores (Solana Pay's way to name a payment). It makes two equal transfers
 * two different transactions.
 */
export const transferLamports = (from: string, to: string, lamports: bigint, reference: string): Instruction => ({
	program: SYSTEM_PROGRAM,
	accounts: [writableSigner(from), writable(to), readOnly(reference)],
	data: packed([TRANSFER_LAMPORTS, U32_BYTES], [lamports, U64_BYTES]),
});

export interface TokenTransfer {
	readonly mint: string;
	readonly decimals: number;
	/** Owners. The tokens are in their associated accounts. */
	readonly from: string;
	readonly to: string;
	readonly amount: bigint;
}

export const transferTokens = (transfer: TokenTransfer, reference: string): Instruction => ({
	program: TOKEN_PROGRAM,
	accounts: [
		writable(tokenAddress(transfer.from, transfer.mint)),
		readOnly(transfer.mint),
		writable(tokenAddress(transfer.to, transfer.mint)),
		signer(transfer.from),
		readOnly(reference),
	],
	data: packed([TRANSFER_CHECKED, U8_BYTES], [transfer.amount, U64_BYTES], [transfer.decimals, U8_BYTES]),
});

/** Opens the owner's account for a mint at the payer's cost, unless it exists. */
export const openTokenAccount = (payer: string, owner: string, mint: string): Instruction => ({
	program: ASSOCIATED_TOKEN_PROGRAM,
	accounts: [
		writableSigner(payer),
		writable(tokenAddress(owner, mint)),
		...[owner, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM].map(readOnly),
	],
	data: packed([CREATE_IDEMPOTENT, U8_BYTES]),
});

/** Closes an empty token account; its rent goes to `beneficiary`. */
export const closeTokenAccount = (owner: string, mint: string, beneficiary: string): Instruction => ({
	program: TOKEN_PROGRAM,
	accounts: [writable(tokenAddress(owner, mint)), writable(beneficiary), signer(owner)],
	data: packed([CLOSE_ACCOUNT, U8_BYTES]),
});

/** Numbers in little-endian order, each in the given number of bytes. @throws RangeError for one that does not fit. */
function packed(...fields: readonly (readonly [value: number | bigint, bytes: number])[]): Uint8Array {
	return Uint8Array.from(
		fields.flatMap(([value, bytes]) => {
			const whole = BigInt(value);
			if (whole < 0n || whole >= 1n << BigInt(8 * bytes)) throw new RangeError(`${value} in ${bytes} bytes`);
			return Array.from({ length: bytes }, (_, at) => Number((whole >> BigInt(8 * at)) & 0xffn));
		}),
	);
}
