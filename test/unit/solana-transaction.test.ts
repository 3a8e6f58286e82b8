/** The bytes of Solana transactions, compared with `@solana/kit` and the programs' own clients. */
import { mnemonicToSeedSync } from '@scure/bip39';
import {
	type Address,
	address,
	appendTransactionMessageInstructions,
	type Blockhash,
	compileTransaction,
	createNoopSigner,
	createTransactionMessage,
	decompileTransactionMessage,
	getAddressEncoder,
	getCompiledTransactionMessageDecoder,
	getTransactionDecoder,
	type Instruction as KitInstruction,
	pipe,
	setTransactionMessageFeePayer,
	setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getTransferSolInstruction } from '@solana-program/system';
import {
	findAssociatedTokenPda,
	getCloseAccountInstruction,
	getCreateAssociatedTokenIdempotentInstruction,
	getTransferCheckedInstruction,
	TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { describe, expect, it } from 'vitest';
import { openReservations, reservedOf } from '../../src/chains/solana/cover.ts';
import {
	closeTokenAccount,
	computeBudget,
	openTokenAccount,
	transferLamports,
	transferTokens,
} from '../../src/chains/solana/instructions.ts';
import { hotKey, payInKey } from '../../src/chains/solana/keys.ts';
import { compileMessage, type Instruction, signMessage, unsignedWire } from '../../src/chains/solana/message.ts';
import { tokenAddress } from '../../src/chains/solana/programs.ts';
import { rawOf, readRaw } from '../../src/chains/solana/raw.ts';
import { ReservationSet } from '../support/reservations.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const [HOT, OWNER] = [hotKey(SEED), payInKey(SEED, 1)];
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const BLOCKHASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const REFERENCE = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const MAX_U64 = (1n << 64n) - 1n;

const [hot, owner] = [address(HOT.address), address(OWNER.address)];
const [hotSigner, ownerSigner] = [createNoopSigner(hot), createNoopSigner(owner)];

const ata = async (of: string, mint: string): Promise<Address> => {
	const seeds = { owner: address(of), mint: address(mint), tokenProgram: TOKEN_PROGRAM_ADDRESS };
	return (await findAssociatedTokenPda(seeds))[0];
};

/** Kit's roles: 0 read-only, 1 writable, 2 read-only signer, 3 writable signer. */
const ofOurs = ({ program, accounts, data }: Instruction) => ({
	program,
	accounts: accounts.map(({ address, signer, writable }) => [address, (signer ? 2 : 0) + (writable ? 1 : 0)]),
	data: [...data],
});

const ofKits = ({ programAddress, accounts = [], data = new Uint8Array() }: KitInstruction) => ({
	program: programAddress as string,
	accounts: accounts.map((account) => [account.address as string, account.role as number]),
	data: [...data],
});

/** Without the reference, which kit's clients do not support. */
const withoutReference = (instruction: Instruction) =>
	ofOurs({ ...instruction, accounts: instruction.accounts.filter(({ address }) => address !== REFERENCE) });

/** A token sweep, which has every kind of account. */
const sweep = (): Instruction[] => [
	...computeBudget(40_000, 12_345n),
	openTokenAccount(hot, hot, USDT),
	transferTokens({ mint: USDT, decimals: 6, from: owner, to: hot, amount: 7n }, REFERENCE),
	closeTokenAccount(owner, USDT, hot),
];

describe('the account for an owner’s tokens', () => {
	it.each([USDT, USDC])('has the address of the Associated Token program: %s', async (mint) => {
		for (let index = 0; index < 20; index += 1) {
			const { address: of } = payInKey(SEED, index);
			expect(tokenAddress(of, mint)).toBe(await ata(of, mint));
		}
	});
});

describe('an instruction equals that of the program’s own client', () => {
	it('transfer of lamports, for the smallest and the largest amount', () => {
		for (const amount of [1n, 890_880n, MAX_U64]) {
			const kits = getTransferSolInstruction({ source: hotSigner, destination: owner, amount });
			expect(withoutReference(transferLamports(hot, owner, amount, REFERENCE))).toEqual(ofKits(kits));
		}
		expect(() => transferLamports(hot, owner, MAX_U64 + 1n, REFERENCE)).toThrow(RangeError);
		expect(() => transferLamports(hot, owner, -1n, REFERENCE)).toThrow(RangeError);
	});

	it('transfer of tokens', async () => {
		const transfer = { mint: USDT, decimals: 6, from: owner, to: hot, amount: 1_234_567n };
		const kits = getTransferCheckedInstruction({
			source: await ata(owner, USDT),
			mint: address(USDT),
			destination: await ata(hot, USDT),
			authority: ownerSigner,
			amount: 1_234_567n,
			decimals: 6,
		});
		expect(withoutReference(transferTokens(transfer, REFERENCE))).toEqual(ofKits(kits));
	});

	it('opening and closing a token account', async () => {
		const opening = getCreateAssociatedTokenIdempotentInstruction({
			payer: hotSigner,
			ata: await ata(owner, USDC),
			owner,
			mint: address(USDC),
		});
		expect(ofOurs(openTokenAccount(hot, owner, USDC))).toEqual(ofKits(opening));
		const account = await ata(owner, USDC);
		const closing = getCloseAccountInstruction({ account, destination: hot, owner: ownerSigner });
		expect(ofOurs(closeTokenAccount(owner, USDC, hot))).toEqual(ofKits(closing));
	});

	it('compute budget', () => {
		const kits = [
			getSetComputeUnitLimitInstruction({ units: 45_000 }),
			getSetComputeUnitPriceInstruction({ microLamports: 5_000_000n }),
		];
		expect(computeBudget(45_000, 5_000_000n).map(ofOurs)).toEqual(kits.map(ofKits));
	});
});

describe('a message', () => {
	it('is decoded by kit to its inputs', () => {
		const { bytes, signers } = compileMessage(hot, BLOCKHASH, sweep());
		const compiled = getCompiledTransactionMessageDecoder().decode(bytes);
		expect(compiled.version).toBe('legacy');
		const message = decompileTransactionMessage(compiled);
		const instructions = message.instructions as readonly KitInstruction[];
		expect(message.feePayer.address).toBe(hot);
		expect(signers).toEqual([hot, owner]);
		const roles = new Map(sweep().flatMap((each) => ofOurs(each).accounts as [string, number][]));
		expect(instructions.map((each) => ofKits(each).data)).toEqual(sweep().map(({ data }) => [...data]));
		for (const { programAddress, accounts = [] } of instructions) {
			expect(sweep().map(({ program }) => program)).toContain(programAddress);
			// Kit gives an account its highest right of all instructions in each of them.
			for (const account of accounts) expect(account.role).toBeGreaterThanOrEqual(roles.get(account.address) ?? 9);
		}
	});

	it('equals kit’s byte for byte when no two accounts have the same rank', () => {
		const kits = pipe(
			createTransactionMessage({ version: 'legacy' }),
			(made) => setTransactionMessageFeePayer(hot, made),
			(made) =>
				setTransactionMessageLifetimeUsingBlockhash(
					{ blockhash: BLOCKHASH as Blockhash, lastValidBlockHeight: 0n },
					made,
				),
			(made) =>
				appendTransactionMessageInstructions(
					[getTransferSolInstruction({ source: hotSigner, destination: owner, amount: 5n })],
					made,
				),
		);
		const { accounts, ...rest } = transferLamports(hot, owner, 5n, REFERENCE);
		const ours = { ...rest, accounts: accounts.filter(({ address }) => address !== REFERENCE) };
		expect([...compileMessage(hot, BLOCKHASH, [ours]).bytes]).toEqual([...compileTransaction(kits).messageBytes]);
	});

	it('differs for two equal payments with different ids of ours', () => {
		const made = [REFERENCE, USDC].map((reference) =>
			compileMessage(hot, BLOCKHASH, [transferLamports(hot, owner, 5n, reference)]),
		);
		const [one, other] = made.map((message) => signMessage(message, [HOT]).txId);
		expect(one).not.toBe(other);
	});
});

describe('a signed transaction', () => {
	it('has signatures that WebCrypto verifies, in the order of the signers, and the first is its id', async () => {
		const message = compileMessage(hot, BLOCKHASH, sweep());
		const { wire, txId } = signMessage(message, [OWNER, HOT]);
		const raw = rawOf(wire, 1_150);
		expect(readRaw(raw)).toEqual({ txId, wire: Buffer.from(wire).toString('base64'), lastValidHeight: 1_150 });
		const { signatures, messageBytes } = getTransactionDecoder().decode(wire);
		expect(Object.keys(signatures)).toEqual([hot, owner]);
		expect([...messageBytes]).toEqual([...message.bytes]);
		for (const [signer, signature] of Object.entries(signatures)) {
			const raw = new Uint8Array(getAddressEncoder().encode(address(signer)));
			const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
			const signed = new Uint8Array(messageBytes);
			expect(await crypto.subtle.verify('Ed25519', key, new Uint8Array(signature ?? []), signed)).toBe(true);
		}
	});

	it('is not made without all of its keys', () => {
		expect(() => signMessage(compileMessage(hot, BLOCKHASH, sweep()), [HOT])).toThrow(TypeError);
	});

	it.each(['', '1150', '1150:', '1150:AAAA', 'x:AAAA', '1150:A', '1150:!', '-1:AAAA'])(
		'is not read from %j',
		(text) => {
			expect(readRaw(text)).toBeNull();
		},
	);

	it('cannot be sent from its simulated form', () => {
		const { signatures } = getTransactionDecoder().decode(unsignedWire(compileMessage(hot, BLOCKHASH, sweep())));
		expect(Object.values(signatures)).toEqual([null, null]);
	});
});

describe('the reservation of a signed transaction', () => {
	const txId = signMessage(compileMessage(hot, BLOCKHASH, sweep()), [HOT, OWNER]).txId;
	const reservation = { kind: 'until height', txId, lastValidHeight: 1_150, asset: 'USDTSOL', amount: 25n } as const;

	it('is stored as text and read again', () => {
		const spent = new ReservationSet([reservation, { ...reservation, asset: 'SOL', amount: 5n }, 'nonce:1']);
		const open = openReservations(spent, 1_000);
		expect(open).toEqual([reservation, { ...reservation, asset: 'SOL', amount: 5n }]);
		expect([reservedOf(open, 'USDTSOL'), reservedOf(open, 'SOL'), reservedOf(open, 'USDCSOL')]).toEqual([25n, 5n, 0n]);
	});

	it('ends with the last block that could include it', () => {
		expect(openReservations([reservation], 1_149)).toHaveLength(1);
		expect(openReservations([reservation], 1_150)).toEqual([]);
	});
});

describe('sweeps of many owners in one transaction', () => {
	it('are five token accounts at most: their owners sign too (book: networks, "Minimums")', () => {
		const bytesOf = (owners: number) => {
			const sweeps = Array.from({ length: owners }, (_, at) => payInKey(SEED, at + 1).address).flatMap((owner) => [
				transferTokens({ mint: USDT, decimals: 6, from: owner, to: HOT.address, amount: 1n }, REFERENCE),
				closeTokenAccount(owner, USDT, HOT.address),
			]);
			const opened = openTokenAccount(HOT.address, HOT.address, USDT);
			return unsignedWire(compileMessage(HOT.address, BLOCKHASH, [...computeBudget(200_000, 1n), opened, ...sweeps]))
				.length;
		};
		expect(bytesOf(5)).toBeLessThanOrEqual(1_232);
		expect(() => bytesOf(6)).toThrow(TypeError);
	});
});
