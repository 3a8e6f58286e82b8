/**
 * The wallet programs of Monero hold nothing that must be kept: killed in the middle of a payout, with or without their
 * files, they are made again from the seed and the chain, and the recipient gets the amount once.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { moneroSigningNode } from '../../src/chains/monero/node-config.ts';
import { moneroSigner } from '../../src/chains/monero/signing.ts';
import type { WalletContainer } from '../../src/chains/monero/wallet-container.ts';
import type { ChainSigner, Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { keepingOf } from '../support/keeping.ts';
import { NETWORK, XMR } from '../support/monero-wallets.ts';
import { type Monero, startMonero, startTamperer, type Tamperer, type WalletProgram } from '../support/monerod.ts';
import { isInstalled } from '../support/nodes.ts';
import { ReservationSet } from '../support/reservations.ts';
import { type ContainedWallet, startContainedWallet } from '../support/wallet-container.ts';

const SEED = createHash('sha512').update('killed').digest();
/** Beyond the addresses that a new wallet looks ahead. */
const FAR = 299;
const LOCK = 10;
const MOST_TRIES = 30;
/** A program that is made again reads the chain twice, and signing takes seconds; on a busy machine ten times that. */
const PATIENCE = { timeout: 600_000 };

describe.skipIf(!isInstalled('monerod') || !isInstalled('monero-wallet-rpc'))('a wallet program of Monero', () => {
	let monero: Monero;
	const programs = {} as Record<'wallet' | 'cold', WalletProgram>;
	const relays = {} as Record<'wallet' | 'cold', Tamperer>;
	let signer: ChainSigner;
	const spent = new ReservationSet();

	beforeAll(async () => {
		monero = await startMonero();
		for (const name of ['wallet', 'cold'] as const) {
			programs[name] = await monero.walletProgram(name === 'cold');
			relays[name] = await startTamperer(programs[name].url);
		}
		const [walletUrl, coldWalletUrl] = [relays.wallet.url, relays.cold.url];
		const node = { urls: [monero.daemonUrl], walletUrl, coldWalletUrl, restoreHeight: 100, chain: 'regtest' as const };
		signer = moneroSigner(NETWORK, node, SEED, () => FAR + 1);
		for (const [i, index] of [0, 1, FAR, 3, 4, 5, 6, 7].entries()) {
			await monero.pay(signer.payInAddress(index), XMR + BigInt(i));
			await monero.mine(1);
		}
		await monero.mine(LOCK + 2);
	}, PATIENCE.timeout);
	afterAll(async () => {
		for (const relay of Object.values(relays)) await relay.stop();
		await monero?.stop();
	});

	/** As the service asks again at each poll. */
	async function until<T>(run: () => Promise<T>): Promise<T> {
		for (let tries = 1; ; tries++) {
			try {
				return await run();
			} catch (error) {
				if (!(error instanceof ChainUnavailable) || tries === MOST_TRIES) throw error;
			}
		}
	}

	const sign = (payment: Payment) => signer.sign(payment, { spent, indexesOf: () => new Map() });

	async function arrivesOnce(payment: Payment, signed: SignedTransaction): Promise<void> {
		for (const spend of signed.spends) spent.add(spend);
		const { tx } = JSON.parse(signed.raw);
		expect(await monero.post('send_raw_transaction', { tx_as_hex: tx })).toMatchObject({ status: 'OK' });
		await monero.mine(LOCK + 1);
		expect(await monero.received(payment.to)).toBe(payment.amount);
	}

	async function paymentOf(amount: bigint): Promise<Payment> {
		return { id: 'payment', asset: 'XMR', to: await monero.recipient(), amount };
	}

	test('that was started without a wallet gets ours, with the coins at far addresses too', PATIENCE, async () => {
		await expect(signer.hidden?.walletCoins(0)).rejects.toThrow('it has one again');
		const held = await until(async () => (await signer.hidden?.walletCoins(0))?.coins ?? []);
		expect(held.map(({ amount }) => amount).toSorted()).toEqual(Array.from({ length: 8 }, (_, i) => XMR + BigInt(i)));
		expect((await until(async () => signer.check?.()))?.map(({ what }) => what.split(' 127')[0])).toEqual([
			'wallet',
			'cold wallet',
		]);
		expect((await signer.check?.())?.map(({ ok }) => ok)).toEqual([true, true]);
	});

	test.each<[keyof typeof programs, string, boolean]>([
		['wallet', 'refresh', true],
		['cold', 'import_outputs', true],
		['cold', 'sign_transfer', false],
	])(
		'that is killed: the %s at %s, files deleted: %s; the payout is made once',
		PATIENCE,
		async (name, method, isEmptied) => {
			const payment = await paymentOf(XMR / 10n);
			const killing: Promise<void>[] = [];
			relays[name].tamper({
				response: (_, body, answer) => {
					if (body.method !== method || killing.length > 0) return answer;
					// The answer is lost with the program.
					killing.push(programs[name].again(isEmptied));
					throw new Error('killed');
				},
			});
			const first = await sign(payment).catch((error: unknown) => error);
			relays[name].tamper(null);
			await Promise.all(killing);
			// A step that was not needed this time is none at which anything could be lost.
			const signed = first instanceof Error ? await until(() => sign(payment)) : (first as SignedTransaction);
			if (first instanceof Error) expect(first).toBeInstanceOf(ChainUnavailable);
			await arrivesOnce(payment, signed);
		},
	);

	test(
		'that is in a container and is killed with it, view-only at transfer, offline at sign_transfer, pays once; after a sleep too',
		PATIENCE,
		async () => {
			const contained = { wallet: await startContainedWallet('view'), cold: await startContainedWallet('cold') };
			const kills = { wallet: 'transfer', cold: 'sign_transfer' };
			/** Its container ends with the first answer to this method, which is lost. */
			const killedOnce = ({ object, kill }: ContainedWallet, method: string): WalletContainer => {
				let isKilled = false;
				return {
					async ask(body, ...more) {
						const answer = await object.ask(body, ...more);
						if (isKilled || JSON.parse(body).method !== method) return answer;
						isKilled = true;
						await kill();
						throw new Error('killed');
					},
				};
			};
			const [wallet, cold] = [killedOnce(contained.wallet, kills.wallet), killedOnce(contained.cold, kills.cold)];
			const variables = { MONERO_WALLET_URL: 'container', MONERO_COLD_WALLET_URL: 'container' };
			const means = { ...variables, MONERO_RESTORE_HEIGHT: '100', addressesBelow: () => FAR + 1, keeping: keepingOf() };
			const node = moneroSigningNode(
				{ urls: [monero.daemonUrl], chain: 'regtest' },
				{ ...means, walletContainers: () => ({ wallet, cold }) },
			);
			const apart = moneroSigner(NETWORK, node, SEED, means.addressesBelow);
			const pay = (payment: Payment) => apart.sign(payment, { spent, indexesOf: () => new Map() });
			try {
				const payment = await paymentOf(XMR / 10n);
				await arrivesOnce(payment, await until(() => pay(payment)));
				expect([contained.wallet.starts(), contained.cold.starts()]).toEqual([2, 2]);
				await contained.cold.sleep();
				const next = await paymentOf(XMR / 5n);
				await arrivesOnce(next, await until(() => pay(next)));
				expect([contained.wallet.starts(), contained.cold.starts()]).toEqual([2, 3]);
			} finally {
				for (const each of Object.values(contained)) await each.stop();
			}
		},
	);

	test(
		'that loses all between the signature and the block has nothing reserved, and pays nothing out of the same coins',
		PATIENCE,
		async () => {
			const [payment, other] = [await paymentOf(XMR / 10n), await paymentOf(XMR / 5n)];
			const signed = await until(() => sign(payment));
			for (const spend of signed.spends) spent.add(spend);
			for (const program of Object.values(programs)) await program.again(true);
			const next = await until(() => sign(other));
			const images = (each: SignedTransaction): string[] => JSON.parse(each.raw).keyImages;
			expect(images(next).filter((image) => images(signed).includes(image))).toEqual([]);
			await arrivesOnce(payment, signed);
			await arrivesOnce(other, next);
			expect(await signer.hasPaid(signed.txId, payment)).toBe(true);
		},
	);
});
