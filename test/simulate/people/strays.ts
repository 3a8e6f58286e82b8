/** Payers who send another asset of the same network to the address of an order, once or twice, much or next to nothing. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/catalog/confirmations.ts';
import { networkNamed } from '../../../src/catalog/networks.ts';
import { sandboxTxId } from '../../../src/chains/sandbox/transaction-id.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { Service } from '../service.ts';
import type { World } from '../world.ts';
import { AMOUNTS } from './amounts.ts';
import type { Story } from './orders.ts';

interface Street {
	readonly service: Service;
	readonly world: World;
}

/** Of the orders whose network has another asset on sale. */
const SHARE = 0.4;
const LATEST_MILLISECONDS = 40 * 60_000;
const PATIENCE_MILLISECONDS = 6 * 3_600_000;
/** A hundred thousandths of what such orders ask for: the last one is worth less than its way back. */
const PARTS = [100_000n, 100_000n, 250_000n, 1n];

/** A payment that came and is no deposit. */
export interface StrayPaid {
	readonly txId: string;
	readonly address: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

/** Resolves once it is paid. */
export async function payStrays(
	{ service, world }: Street,
	story: Story,
	from: AssetId,
	paid: StrayPaid[],
): Promise<void> {
	const { random } = world;
	const { network } = assetOf(from);
	const others = (Object.keys(AMOUNTS) as AssetId[]).filter((one) => one !== from && assetOf(one).network === network);
	if (others.length === 0 || (service.node && network === 'Ethereum') || !random.chance(SHARE)) return;
	const asset = random.pick(others);
	const end = world.now + PATIENCE_MILLISECONDS;
	for (let times = random.pick([1, 1, 2]); times > 0; times--) {
		await world.sleep(random.next() * LATEST_MILLISECONDS);
		// Nobody was told of an address, or its address is not young any more: then only who is told of it looks.
		if (story.payIn === null || world.now > end) return;
		const whole = toBaseUnits(String(AMOUNTS[asset]), assetOf(asset).decimals);
		const amount = (whole * random.pick(PARTS)) / 100_000n;
		const txId = sandboxTxId(networkNamed(network).family, `${story.key} stray ${times}`);
		const made = { txId, address: story.payIn, asset, amount };
		const sent = { ...made, amount: String(amount), confirmations: FINAL_CONFIRMATIONS };
		await service.object('SANDBOX_LEDGER', network).call('deposit', [sent]);
		paid.push(made);
	}
}
