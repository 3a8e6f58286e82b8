/** Payers who pay months later, while orders move to the archive: once more, the whole amount, to the same address. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/catalog/confirmations.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { Story } from './orders.ts';
import { deposit, type Street, transactionOf } from './payments.ts';

/** Of all orders. */
const SHARE = 0.2;

/** Each at some moment of the next `span` milliseconds. */
export function payLate(street: Street, stories: readonly Story[], span: number): void {
	const { world } = street;
	for (const story of stories)
		if (story.id && world.random.chance(SHARE)) world.after(world.random.next() * span, () => payAgain(street, story));
}

export function payAgain(street: Street, { told, id, key }: Story): void {
	const from = told.at(-1)?.from;
	if (!from || !id) return;
	const asset = from.code as AssetId;
	const amount = toBaseUnits(from.amount, assetOf(asset).decimals);
	street.world.note(`somebody pays ${id} months later`);
	const made = { txId: transactionOf(asset, `${key} months later`), address: from.address, asset, amount };
	void deposit(street, made, FINAL_CONFIRMATIONS);
}
