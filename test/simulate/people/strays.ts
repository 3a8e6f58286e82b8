/** Payers who send another asset of the same network to the address of an order, once or twice, much or next to nothing. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/catalog/confirmations.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import { AMOUNTS } from './amounts.ts';
import type { Story } from './orders.ts';
import { deposit, type Payment, type Street, transactionOf } from './payments.ts';

/** Of the orders whose network has another asset on sale. */
const SHARE = 0.4;
const LATEST_MILLISECONDS = 40 * 60_000;
const PATIENCE_MILLISECONDS = 6 * 3_600_000;
/** A hundred thousandths of what such orders ask for: the last one is worth less than its way back. */
const PARTS = [100_000n, 100_000n, 250_000n, 1n];

/** Resolves once it is paid. `paid`: payments that came and are no deposits. */
export async function payStrays(
	{ service, world }: Street,
	story: Story,
	from: AssetId,
	paid: Payment[],
): Promise<void> {
	const { random } = world;
	const { network } = assetOf(from);
	const others = (Object.keys(AMOUNTS) as AssetId[]).filter((one) => one !== from && assetOf(one).network === network);
	if (others.length === 0 || service.nodeOf(network) || !random.chance(SHARE)) return;
	const asset = random.pick(others);
	const end = world.now + PATIENCE_MILLISECONDS;
	for (let times = random.pick([1, 1, 2]); times > 0; times--) {
		await world.sleep(random.next() * LATEST_MILLISECONDS);
		// Nobody was told of an address, or its address is not young any more: then only who is told of it looks.
		if (story.payIn === null || world.now > end) return;
		const whole = toBaseUnits(String(AMOUNTS[asset]), assetOf(asset).decimals);
		const amount = (whole * random.pick(PARTS)) / 100_000n;
		const made = { txId: transactionOf(asset, `${story.key} stray ${times}`), address: story.payIn, asset, amount };
		await deposit({ service, world }, made, FINAL_CONFIRMATIONS);
		paid.push(made);
	}
}
