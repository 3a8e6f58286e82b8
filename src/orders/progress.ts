/**
 * How far an order is on its way: confirmations seen and needed, and the minutes that its payout usually takes from now
 * on (book: contract, "Beyond the contract"). Pure.
 */
import { usualConfirmations } from '../catalog/confirmations.ts';
import { type NetworkName, networkNamed } from '../catalog/networks.ts';
import type { OrderStatus } from './status.ts';

/** The deposit of an order that has the fewest confirmations, as its network's agent saw it last. */
export interface WaitingDeposit {
	readonly confirmations: number;
	/** The value of what is on its way with it; null where no price is fresh enough. */
	readonly usdCents: number | null;
	/** Blocks that the operator asks beyond the catalog. */
	readonly raisedBlocks: number;
}

export interface Progress {
	/** Null where the network does not say just now. */
	readonly confirmations: number | null;
	readonly needed: number;
	readonly minutes: number;
}

interface Underway {
	readonly status: OrderStatus;
	readonly fromNetwork: NetworkName;
	readonly toNetwork: NetworkName;
	readonly usdCents: number;
}

/** Polls that a deposit, and then its payout, usually wait for. */
const POLLS = 2;

/** Null where there is nothing to wait for. `deposit`: null where none is known. */
export function progressOf(order: Underway, deposit: WaitingDeposit | null): Progress | null {
	const { status, fromNetwork, toNetwork } = order;
	const { blockSeconds, pollSeconds } = networkNamed(fromNetwork);
	const row = usualConfirmations(fromNetwork, deposit ? deposit.usdCents : order.usdCents);
	const needed = Math.max(row.blocks, deposit?.raisedBlocks ?? 0);
	const payoutSeconds = POLLS * networkNamed(toNetwork).pollSeconds;
	switch (status) {
		case 'NEW':
		case 'PENDING': {
			const seen = status === 'NEW' ? 0 : (deposit?.confirmations ?? null);
			const ago = (seen ?? 0) * blockSeconds;
			const confirming = Math.max(0, needed * blockSeconds - ago, (row.tagSeconds ?? 0) - ago);
			const seconds = confirming + POLLS * pollSeconds + payoutSeconds;
			return { confirmations: seen, needed, minutes: wholeMinutes(seconds) };
		}
		case 'EXCHANGE':
			return { confirmations: needed, needed, minutes: wholeMinutes(payoutSeconds) };
		case 'DONE':
		case 'EXPIRED':
		case 'EMERGENCY':
			return null;
		default:
			return status satisfies never;
	}
}

/** Up, at least 1. */
const wholeMinutes = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));
