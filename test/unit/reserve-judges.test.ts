/**
 * Reserves of a wallet of two judges: both sign, each its own text, and neither alone. Other implementations judge what they
 * signed. No node is asked.
 */
import { createRequire } from 'node:module';
import { base64 } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { TronWeb } from 'tronweb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NETWORKS, type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import type { Judges } from '../../src/chains/judge-keys.ts';
import type { ChainSigner } from '../../src/chains/signing-port.ts';
import { hotKey, judgeKeys } from '../../src/chains/tron/keys.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { byteReader } from '../../src/chains/utxo/byte-reader.ts';
import { utxoJudgeKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { spentBytes } from '../../src/chains/utxo/prove.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import { nextTransaction, readTransaction } from '../../src/chains/utxo/transaction-bytes.ts';
import { verifyReserve } from '../../src/chains/verify-reserve.ts';
import { signedBy } from '../../src/chains/verifying-registry.ts';
import { verdictText } from '../../src/operator/cli/proof-words.ts';
import type { ReserveClaim, ReserveRow, ReservesSigner, SignedReserve } from '../../src/ports/reserves.ts';
import { signReserves } from '../../src/signer/reserves.ts';
import { keepingOf } from '../support/keeping.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const OTHER = new Uint8Array(64).fill(7);
const NODE = { urls: ['http://127.0.0.1:1'], chain: 'main' } as const;
const claimNow = () => ({
	number: 491_234,
	debts: 'ab'.repeat(32),
	at: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
});
const HEIGHT = 900_000;
/** As Tron names one. */
const BLOCK = { height: HEIGHT, hash: `${HEIGHT.toString(16).padStart(16, '0')}${'ab'.repeat(24)}` };

describe('a reserve of two judges', () => {
	afterEach(() => void vi.unstubAllGlobals());

	const SHARED = ['Bitcoin', 'Litecoin', 'Dash', 'Tron'] as const;
	type Shared = (typeof SHARED)[number];

	/** Each with the other's keys. */
	const judgeOf = (name: Shared, role: Judges['role'], other = role === 'signer' ? OTHER : SEED): ChainSigner => {
		const network = networkNamed(name);
		const seed = role === 'signer' ? SEED : OTHER;
		if (network.family === 'tron')
			return tronSigner(network, NODE, seed, { role, isCosigned: true, other: judgeKeys(other) });
		if (network.family !== 'utxo') throw new TypeError(name);
		const judges = { role, isCosigned: true, other: utxoJudgeKeys(other, utxoParams(network, 'main'), true) };
		return utxoSigner(network, NODE, seed, { keeping: keepingOf(), judges });
	};

	/** As both vaults do it. `says`: changes what the co-signer answers. */
	async function signedOn(
		network: Shared,
		says = (answer: SignedReserve): SignedReserve => answer,
		claim = claimNow(),
	) {
		const signer = judgeOf(network, 'signer');
		const addresses = [signer.hotAddress(), signer.payInAddress(3)];
		const own = { deployment: 'swap', network, indexes: new Map([[signer.payInAddress(3), 3]]) };
		const cosigner: ReservesSigner = {
			signReserves: async (_network, asked, block, wanted) =>
				(await signReserves(judgeOf(network, 'cosigner'), own, { claim: asked, block }, wanted)).map(says),
		};
		return signReserves(signer, { ...own, cosigner }, { claim, block: BLOCK }, addresses);
	}
	const rowsOf = async (network: Shared, claim: ReserveClaim): Promise<ReserveRow[]> =>
		(await signedOn(network, undefined, claim)).map((signed) => ({ network, holdings: [], ...signed }));

	it.each(SHARED)('on %s is signed by both, and verifies for its text and address, and for no other', async (name) => {
		const claim = { ...claimNow(), deployment: 'swap' };
		const rows = await rowsOf(name, claim);
		expect(rows.map(({ address }) => address)).toEqual([
			judgeOf(name, 'cosigner').hotAddress(),
			judgeOf(name, 'cosigner').payInAddress(3),
		]);
		for (const row of rows) {
			expect(await verifyReserve(row, claim, {})).toMatchObject({ is: 'signed' });
			const changed = { ...row, message: row.message.replace(claim.at, '2026-01-01T00:00:00Z') };
			expect(await verifyReserve(changed, { ...claim, at: '2026-01-01T00:00:00Z' }, {})).toEqual({
				is: 'signature-wrong',
			});
			const [other] = rows.filter(({ address }) => address !== row.address);
			expect(signedBy(name, 'main', { ...row, signature: other?.signature ?? '' })).toBe('none');
		}
	});

	it('on Tron is what tronweb verifies, each signature by its key', async () => {
		const [{ message = '', signature = '' } = {}] = await signedOn('Tron');
		const { trx } = new TronWeb({ fullHost: 'http://127.0.0.1:1' });
		const each = [signature.slice(0, 132), `0x${signature.slice(132)}`];
		const keys = [SEED, OTHER].map((seed) => hotKey(seed).address);
		expect(await Promise.all(each.map((one) => trx.verifyMessageV2(message, one)))).toEqual(keys);
	});

	it('on Dash is what bitcore’s interpreter takes for the script of the address', async () => {
		const { Script, Transaction } = createRequire(import.meta.url)('bitcore-lib-dash');
		for (const { address, message, signature } of await signedOn('Dash')) {
			const to = scriptOf(address, utxoParams(NETWORKS.Dash, 'main')) as Uint8Array;
			const spending = new Transaction(Buffer.from(base64.decode(signature)));
			expect(spending.inputs[0].prevTxId.toString('hex')).toBe(
				readTransaction(spentBytes(to, message), { x11: true }).id,
			);
			const locked = Script.fromBuffer(Buffer.from(to));
			const verify = (unlocking: unknown) =>
				new Script.Interpreter().verify(unlocking, locked, spending, 0, Script.Interpreter.SCRIPT_VERIFY_P2SH);
			expect(verify(spending.inputs[0].script)).toBe(true);
			expect(verify(new Script().add(0))).toBe(false);
		}
	});

	it.each(SHARED)('on %s is not signed by the signer alone: its hot wallet is in no row', async (name) => {
		const signer = judgeOf(name, 'signer');
		const own = { deployment: 'swap', network: name, indexes: new Map(), cosigner: null };
		expect(await signReserves(signer, own, { claim: claimNow(), block: BLOCK }, [signer.hotAddress()])).toEqual([]);
	});

	it.each(['Bitcoin', 'Litecoin', 'Dash'] as const)(
		'on %s that one judge signed alone is refused by that name',
		async (name) => {
			const claim = { ...claimNow(), deployment: 'swap' };
			const [row] = await rowsOf(name, claim);
			const lone = alone(name, row as ReserveRow);
			for (const signature of lone)
				expect(await verifyReserve({ ...(row as ReserveRow), signature }, claim, {})).toEqual({ is: 'signed-in-part' });
			expect(verdictText(row as ReserveRow, { is: 'signed-in-part' })).toContain('one key has signed this');
		},
	);

	/** What either owner can make of their half: by itself, in both places, and beside one of another text. */
	function alone(name: Exclude<Shared, 'Tron'>, { address, signature }: ReserveRow): string[] {
		const bytes = base64.decode(signature);
		const spending = name === 'Dash' ? nextTransaction(byteReader(bytes), { x11: true }) : null;
		const next = byteReader(spending ? spending.firstScript : bytes);
		if (!spending) next.count();
		const items: Uint8Array[] = [];
		while (next.rest() > 0) items.push(next.counted());
		const [none, one, two, lock] = items as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
		const forged = Uint8Array.from(two, (byte, at) => (at === 20 ? byte ^ 1 : byte));
		const script = scriptOf(address, utxoParams(networkNamed(name) as NetworkOf<'utxo'>, 'main')) as Uint8Array;
		return [
			[none, one, none, lock],
			[none, none, two, lock],
			[none, one, lock],
			[none, one, one, lock],
			[none, two, two, lock],
			[none, two, one, lock],
			[none, one, forged, lock],
		].map((shown) => {
			const counted = shown.map((item) => Uint8Array.of(item.length, ...item));
			const joined = counted.flatMap((item) => [...item]);
			if (!spending) return base64.encode(Uint8Array.of(shown.length, ...joined));
			const before = bytes.subarray(0, 41);
			const after = bytes.subarray(42 + spending.firstScript.length);
			expect(script).toHaveLength(23);
			return base64.encode(Uint8Array.of(...before, joined.length, ...joined, ...after));
		});
	}

	it('on Tron that one judge signed alone is refused by that name, by the account’s permissions', async () => {
		const claim = { ...claimNow(), deployment: 'swap' };
		const [row] = await rowsOf('Tron', claim);
		if (!row) throw new Error('nothing is signed');
		const keys = [SEED, OTHER].map((seed) => ({ address: hotKey(seed).address, weight: 1 }));
		const answers: Readonly<Record<string, unknown>> = {
			'/wallet/getaccount': { address: row.address, owner_permission: { threshold: 2, keys }, balance: 5 },
			'/wallet/getblockbynum': {
				blockID: BLOCK.hash,
				block_header: { raw_data: { number: BLOCK.height, timestamp: Date.now() } },
			},
		};
		vi.stubGlobal('fetch', async (url: string) => Response.json(answers[new URL(url).pathname] ?? {}));
		const at = { Tron: 'http://127.0.0.1:1/' };
		const [signers, cosigners] = [row.signature.slice(0, 132), `0x${row.signature.slice(132)}`];
		const coins = { ...row, holdings: [{ asset: 'TRX' as const, amount: '5' }] };
		expect(await verifyReserve(coins, claim, at, 'regtest')).toEqual({ is: 'holds' });
		for (const signature of [signers, `${signers}${signers.slice(2)}`])
			expect(await verifyReserve({ ...coins, signature }, claim, at, 'regtest')).toEqual({ is: 'signed-in-part' });
		const without = { ...coins, signature: cosigners };
		expect(await verifyReserve(without, claim, at, 'regtest')).toEqual({ is: 'signature-wrong' });
	});

	it('is not signed with a half that is not the other judge’s, or is of another text', async () => {
		for (const name of SHARED) {
			const flipped = (half: string) => half.replace(/[0-9a-f]{8}$/, '00000001');
			await expect(signedOn(name, (half) => ({ ...half, signature: flipped(half.signature) }))).rejects.toThrow(
				'the signature of the co-signer does not hold',
			);
			const later = await signedOn(name, (half) => ({ ...half, message: half.message.replace('swap', 'other') }));
			expect(later.map(({ address }) => address)).toEqual(
				name === 'Tron' ? [judgeOf(name, 'signer').payInAddress(3)] : [],
			);
		}
	});
});
