/** The faults of a proof of solvency in words, for a person. Pure. */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { HOUR_MILLISECONDS, isoTime } from '../../platform/time.ts';
import type { ReserveRow, ReserveVerdict } from '../../ports/reserves.ts';
import type { SolvencyFault } from '../../treasury/solvency/verify.ts';

/** `1.5 BTC`; base units of an asset that this version does not know. */
export const coinsText = (asset: string, units: bigint): string =>
	isAssetId(asset) ? `${fromBaseUnits(units, assetOf(asset).decimals)} ${asset}` : `${units} base units of ${asset}`;

export const hourText = (number: number): string =>
	isoTime(number * HOUR_MILLISECONDS).slice(0, '2026-11-22T10:00'.length);

/** A debt that somebody expects and does not find so. */
export type OwedFault =
	| { readonly is: 'not-in'; readonly what: string }
	| { readonly is: 'shrunk'; readonly asset: string; readonly expected: bigint; readonly found: bigint };

export function faultText(fault: SolvencyFault | OwedFault): string {
	switch (fault.is) {
		case 'malformed':
			return `${fault.what} is none`;
		case 'head-wrong':
			return `head ${fault.position + 1} of the file proves nothing: ${fault.why}`;
		case 'head-of-other':
			return 'the newest head is not of this file: it is of another hour, or was changed';
		case 'other-time':
			return `the report of ${hourText(fault.position)} is of another time: ${fault.at}`;
		case 'unchained':
			return `the head of ${hourText(fault.position)} does not go on from the one before it`;
		case 'forked':
			return `forked: the signer has signed two heads for ${hourText(fault.position)}`;
		case 'set-back':
			return `set back: the newest head is of ${hourText(fault.position)}, and you have one of ${hourText(fault.known)}`;
		case 'unconnected':
			return `the chain does not reach back to ${hourText(fault.known)}: add --heads`;
		case 'reserves-of-other':
			return 'the reserves are not those that were signed';
		case 'other-hour':
			return `your own file is of ${hourText(fault.own)}, and the file of ${hourText(fault.number)}`;
		case 'doubled':
			return `doubled: ${fault.id} has more than one place in ${fault.asset}`;
		case 'sum-negative':
			return `a debt below zero stands beside ${fault.id} in ${fault.asset}`;
		case 'path-malformed':
			return `the way of ${fault.id} in ${fault.asset} is none`;
		case 'left-out':
			return `left out: the way of ${fault.id} does not lead to what is owed in ${fault.asset}`;
		case 'sum-wrong':
			return `what is owed in ${fault.asset} is ${fault.found} base units, and the file says ${fault.said}`;
		case 'not-in':
			return `left out: ${fault.what} is in no file of yours`;
		case 'shrunk':
			return `shrunk: you are owed ${coinsText(fault.asset, fault.expected)}, and ${coinsText(fault.asset, fault.found)} is counted`;
		default:
			return fault satisfies never;
	}
}

/** Null where nothing is to be said. */
export function verdictText({ network, address }: ReserveRow, verdict: ReserveVerdict): string | null {
	const where = `${address} on ${network}`;
	switch (verdict.is) {
		case 'holds':
			return null;
		case 'signed':
			return `${where} is signed, and was not looked up: ${verdict.why}`;
		case 'signature-wrong':
			return `${where}: its wallet has not signed this`;
		case 'signed-in-part':
			return `${where}: one key has signed this, and it needs another one too`;
		case 'says-other':
			return `${where}: it signs another ${verdict.what}, ${verdict.said} and not ${verdict.expected}`;
		case 'other-block':
			return `${where}: ${verdict.why}`;
		case 'short':
			return `${where} is not there: ${coinsText(verdict.asset, verdict.claimed)} is claimed, and the chain shows ${coinsText(verdict.asset, verdict.found)}`;
		case 'unchecked':
			return `${where} could not be looked up: ${verdict.why}`;
		default:
			return verdict satisfies never;
	}
}
