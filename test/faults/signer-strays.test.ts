/**
 * Returns of strays, against an attacker who can write any row of D1 and calls the signer without limit: the signer lets go
 * back only what its sweeps have brought, once, and only to an address that was sealed. Ethereum runs on anvil.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealStray } from '../../src/orders/seal.ts';
import type { Answer, Remembered } from '../../src/ports/signer.ts';
import type { SignerRefusal } from '../../src/treasury/signer-refusal.ts';
import { isInstalled } from '../support/nodes.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { type SweptEthereum, startSweptEthereum } from '../support/swept-ethereum.ts';
import { call, callData, tokenBalance } from '../support/tokens.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
/** A time of the next attempt at which the agents leave a row alone. */
const NEVER = 9_000_000_000_000;
const USDC = 500_000_000n;

interface Outcome {
	readonly signed?: { readonly txId: string };
	readonly refused?: SignerRefusal;
}

interface Planted {
	readonly at: CreatedOrder;
	/** The order that the row of the stray names. */
	readonly of?: CreatedOrder;
	readonly kind?: 'stray' | 'sweep';
	readonly asset?: string;
	readonly to?: string;
	readonly amount?: bigint;
	readonly seal?: string;
}

describe.skipIf(!isInstalled('anvil'))('strays that an attacker invents', { timeout: 180_000 }, () => {
	let world: SweptEthereum;
	beforeAll(async () => {
		world = await startSweptEthereum();
	}, 300_000);
	afterAll(() => world?.stop());

	/** Writes a stray and a transaction for it, and asks the signer for the transaction. */
	async function plant({ at, of = at, kind = 'stray', asset = 'USDCERC20', to, amount = USDC, seal }: Planted) {
		const id = crypto.randomUUID();
		const { service, hot, payer } = world;
		await service.sql(
			`INSERT OR REPLACE INTO strays (network, address, asset, order_id, counted, is_listed, to_address, to_seal, found_at, looked_at)
			 VALUES ('Ethereum', ?1, ?2, ?3, '999999999999', 0, ?4, ?5, 0, 0)`,
			at.from.address,
			asset,
			of.id,
			seal ? (to ?? null) : null,
			seal ?? null,
		);
		await service.sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset, state, planned_at, next_attempt_at)
			 SELECT ?2, ?3, 'Ethereum', ?4, ?5, ?6, 0, pay_in_address, pay_in_index, ?4, 'planned', 0, ?7 FROM orders WHERE id = ?1`,
			at.id,
			id,
			kind,
			asset,
			to ?? (kind === 'sweep' ? hot : payer),
			amount.toString(),
			NEVER,
		);
		const vault = service.object<{
			sign(network: string, ids: readonly string[], remembered: Remembered): Promise<Answer<Outcome[]>>;
		}>('VAULT', 'vault');
		const { answer } = await vault.sign('Ethereum', [id], { entries: 0, nextIndex: 0 });
		await service.sql('DELETE FROM transactions WHERE id = ?', id);
		return answer[0]?.signed ? 'signed' : answer[0]?.refused?.kind;
	}

	it('where nothing came, nothing goes back', async () => {
		const order = await world.newOrder();
		expect(await plant({ at: order })).toBe('stray-not-arrived');
		expect(await plant({ at: order, asset: 'ETH' })).toBe('stray-not-arrived');
	});

	it('what the order asked for is a deposit, and its proof is not swept', async () => {
		const order = await world.newOrder();
		const other = await world.newOrder();
		await world.service.operator('network/update', { name: 'Litecoin', send: false });
		await call(world.anvil, String(assetOf('USDTERC20').contract), callData.mint(order.from.address, 300_000_000n));
		await world.anvil.mine(2);
		expect(await plant({ at: order, asset: 'USDTERC20' })).toBe('deposit-no-stray');
		expect(await plant({ at: order, asset: 'USDTERC20', kind: 'sweep' })).toBe('deposit-not-paid-yet');
		expect(await plant({ at: order, of: other, asset: 'USDTERC20', kind: 'sweep' })).toBe('deposit-not-paid-yet');
		await world.service.operator('network/update', { name: 'Litecoin', send: true });
	});

	it('what came goes to no other order, to no address without a seal, in no greater amount, and once', async () => {
		const order = await world.newOrder();
		const other = await world.newOrder();
		await call(world.anvil, String(assetOf('USDCERC20').contract), callData.mint(order.from.address, USDC));
		await world.anvil.mine(12);
		const agent = world.service.object<{ findStrays(network: string, orderId: string): Promise<boolean> }>(
			'CHAIN_AGENT',
			'Ethereum',
		);
		await agent.findStrays('Ethereum', order.id);
		// Payouts that are switched off hold the return as they hold a refund, and not the sweep that is under way.
		await world.onAndOn('the sweep to be final', async () => {
			const [sweep] = await world.service.sql<{ state: string }>(
				"SELECT state FROM transactions WHERE kind = 'sweep' AND pay_in_address = ?",
				order.from.address,
			);
			if (sweep && sweep.state !== 'planned')
				await world.service.operator('network/update', { name: 'Ethereum', send: false });
			return sweep?.state === 'final';
		});
		expect(await plant({ at: order, of: other })).toBe('pay-in-address-not-ours');
		expect(await plant({ at: order, to: ATTACKER })).toBe('other-recipient');
		expect(await plant({ at: order, to: ATTACKER, seal: '1.bm8gc2VhbA' })).toBe('other-recipient');
		expect(await plant({ at: order, to: world.hot })).toBe('other-recipient');
		expect(await plant({ at: order, to: order.from.address })).toBe('other-recipient');
		// An address of ours is none that the operator may enter, however it is written.
		for (const own of [world.hot, order.from.address])
			for (const to of [own, own.toLowerCase(), `0x${own.slice(2).toUpperCase()}`]) {
				const terms = { orderId: order.id, network: 'Ethereum', asset: 'USDCERC20', to, at: 0 } as const;
				const seal = await sealStray(keyRing(world.service.local.secrets, 'SEAL_KEY'), terms);
				expect([to, await plant({ at: order, to, seal })]).toEqual([to, 'other-recipient']);
			}
		expect(await plant({ at: order, amount: USDC + 1n })).toBe('above-stray');
		expect(await plant({ at: order, asset: 'ETH', amount: 1n })).toBe('stray-not-arrived');
		expect(await plant({ at: order, amount: USDC - 1n })).toBe('signed');
		expect(await plant({ at: order, amount: 1n })).toBe('stray-not-arrived');
		expect(await tokenBalance(world.anvil, 'USDCERC20', ATTACKER)).toBe(0n);
	});
});
