/**
 * Strays: arrivals at an order's pay-in address of another asset or network than it asked for. The order's row has a
 * copy of them (`treasury/strays/copies.ts`), so that a partner's read is one row. Pure.
 */
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { fromBaseUnits } from '../money/units.ts';

/**
 * Why it does not go back by itself now. `too-small`: its way back costs more than a part of it that is worth while.
 * `contract`: the refund address is a contract, which may not be there on another network. `screening`: screening is on, and
 * it accepts deposits alone. `no-price`: price or network fee is not known. `stopped`: another move of the same address is
 * stopped.
 */
export type StrayWait = 'too-small' | 'contract' | 'screening' | 'no-price' | 'stopped';

/**
 * Why a token that is not listed did not go back when the operator asked: the signer refused it, it failed on chain, its
 * transfer does not work or costs too much gas, or a day had passed.
 */
export type TokenWait = 'refused' | 'failed' | 'immovable' | 'too-long';

export interface StrayCopy {
	readonly asset: AssetId;
	/** Base units that came, and those of them for which a return was planned. */
	readonly counted: string;
	readonly taken: string;
	readonly waits: StrayWait | null;
	/** Instead of the refund address. */
	readonly to: string | null;
	/** The newest return that was sent. */
	readonly sent: { readonly amount: string; readonly txId: string; readonly to: string } | null;
}

/** A token that is not listed: only the operator has it sent back. */
export interface UnlistedCopy {
	readonly token: string;
	readonly network: NetworkName;
	/** Its smallest units, as it says itself. */
	readonly amount: string;
	/** The operator has decided what becomes of it. */
	readonly isKept: boolean;
	/** The operator has asked to send it back, there; and how it was sent. */
	readonly isAsked: boolean;
	readonly to: string | null;
	readonly txId: string | null;
}

/** As partners see it (book: contract, "Strays"). */
function strayView(copy: StrayCopy | UnlistedCopy, refundAddress: string) {
	if ('token' in copy) return unlistedView(copy, refundAddress);
	const { asset, counted, taken, waits, to, sent } = copy;
	const { code, network, decimals } = assetOf(asset);
	const isBack = BigInt(counted) <= BigInt(taken) && sent !== null;
	return {
		code: code as string | null,
		token: null as string | null,
		network,
		amount: fromBaseUnits(BigInt(counted), decimals),
		status: isBack ? ('RETURNED' as const) : stateOf(waits),
		back: {
			address: sent?.to ?? to ?? refundAddress,
			tx: { id: sent?.txId ?? null, amount: sent && fromBaseUnits(BigInt(sent.amount), decimals) },
		},
	};
}

const unlistedView = ({ token, network, amount, isKept, isAsked, to, txId }: UnlistedCopy, refundAddress: string) => ({
	code: null,
	token,
	network,
	amount,
	status: txId ? ('RETURNED' as const) : isKept ? ('KEPT' as const) : isAsked ? ('FOUND' as const) : ('HELD' as const),
	// The token says how much of it has arrived.
	back: { address: to ?? refundAddress, tx: { id: txId, amount: null } },
});

/** `KEPT`: too little to send back now. `HELD`: a person decides. `FOUND`: it goes back by itself. */
const stateOf = (waits: StrayWait | null) => {
	if (waits === 'too-small') return 'KEPT' as const;
	return waits === null || waits === 'no-price' ? ('FOUND' as const) : ('HELD' as const);
};

interface StraysOf {
	readonly strays: readonly (StrayCopy | UnlistedCopy)[] | null;
	readonly refundAddress: string;
}

/** Empty where nothing came that the order did not ask for. */
export const straysView = ({ strays, refundAddress }: StraysOf): StrayView[] =>
	(strays ?? []).map((stray) => strayView(stray, refundAddress));

export type StrayView = ReturnType<typeof strayView>;
