/** Payers who send a token that is not listed to the address of an order, and operators who have it sent back, twice at once. */
import { type AssetId, assetOf, type TokenId } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/catalog/confirmations.ts';
import { type NetworkName, networkNamed } from '../../../src/catalog/networks.ts';
import { sandboxTxId } from '../../../src/chains/sandbox/transaction-id.ts';
import type { Client } from './client.ts';
import type { Story } from './orders.ts';
import { attack, type Target } from './outsider.ts';

interface Street extends Target {
	readonly client: Client;
	/** What was paid so far. */
	readonly tokens: TokenPaid[];
}

const TOKENS: Readonly<Partial<Record<NetworkName, string>>> = {
	Ethereum: '0x70c0000000000000000000000000000000000ab1',
	Solana: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
};
const SHARE = 0.2;
const LATEST_MILLISECONDS = 40 * 60_000;
const PATIENCE_MILLISECONDS = 6 * 3_600_000;
const SLOW_MILLISECONDS = 120_000;
const QUICK_MILLISECONDS = 3_000;

export interface TokenPaid {
	readonly address: string;
	readonly token: TokenId;
	readonly amount: bigint;
}

/** Resolves once it is paid, and asked back. */
export async function payTokens(street: Street, story: Story, from: AssetId): Promise<void> {
	const { service, world, client, tokens } = street;
	const { random } = world;
	const { network } = assetOf(from);
	const asset = TOKENS[network] as TokenId | undefined;
	if (!asset || service.nodeOf(network) || !random.chance(SHARE)) return;
	const end = world.now + PATIENCE_MILLISECONDS;
	for (let times = random.pick([1, 1, 2, 3]); times > 0; times--) {
		await world.sleep(random.next() * LATEST_MILLISECONDS);
		const { id, payIn: address } = story;
		if (!id || address === null || world.now > end) return;
		const amount = BigInt(random.pick([77, 1 + random.below(1e9)]));
		const txId = sandboxTxId(networkNamed(network).family, `${story.key} token ${times}`);
		const sent = { txId, address, asset, amount: String(amount), confirmations: FINAL_CONFIRMATIONS };
		await service.object('SANDBOX_LEDGER', network).call('deposit', [sent]);
		tokens.push({ address, token: asset, amount });
		const ask = (command: string, input: object) => client.operate(command, { id, ...input }).catch(() => undefined);
		await world.sleep(random.next() * SLOW_MILLISECONDS);
		await ask('order/find-stray', {});
		await world.sleep(random.next() * SLOW_MILLISECONDS);
		const back = () => ask('order/return-stray', { asset, reason: 'the payer asked' });
		if (world.striker.happens('outsider writes', world))
			world.after(random.next() * QUICK_MILLISECONDS, () => attack(street, story, 'another recipient of a token'));
		await Promise.all(random.chance(0.3) ? [back(), back()] : [back()]);
	}
}
