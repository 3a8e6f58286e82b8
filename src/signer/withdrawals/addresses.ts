/**
 * The addresses that the signer's own configuration names for withdrawals: `cold=ADDRESS, kraken=ADDRESS/5000`. The number
 * is the most that goes there in a UTC day, US dollars. The first address is the default, and one alone may go without a
 * name. One wrong entry refuses all: a list that is read in part would send coins where nobody meant them to go.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { isAddressOn, isSameAddressOn } from '../../chains/addresses.ts';
import type { WithdrawalAddress, WithdrawalAddresses } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { centsOf } from '../daily-caps.ts';
import type { SignerEnv } from '../env.ts';
import type { Journal } from '../journal/journal.ts';
import { isOwnAddress } from '../own-address.ts';

type ConfiguredAddress = Omit<WithdrawalAddress, 'usedCents'>;

export type ConfiguredAddresses =
	| { readonly addresses: readonly ConfiguredAddress[] }
	| { readonly refused: SignerRefusal };

/** The name of an address that stands alone and has none. */
const ALONE = 'cold';
const ENTRY = /^(?:(?<name>[a-z][a-z0-9-]{0,31})=)?(?<address>[^\s=/]+)(?:\/(?<cap>\S+))?$/;

export const withdrawVariable = (network: NetworkName) =>
	`WITHDRAW_TO_${network.toUpperCase() as Uppercase<NetworkName>}` as const;

/**
 * `isAddress`: is it an address of the network? `isOurs`: is it one of this service? Then nothing would be withdrawn.
 */
export function configuredAddresses(
	env: SignerEnv,
	network: NetworkName,
	{ isAddress, isOurs }: Readonly<Record<'isAddress' | 'isOurs', (text: string) => boolean>>,
): ConfiguredAddresses {
	const variable = withdrawVariable(network);
	const text = env[variable]?.trim();
	if (!text) return { refused: { kind: 'withdraw-address-not-set', variable } };
	const entries = text.split(',');
	const addresses: ConfiguredAddress[] = [];
	for (const [i, entry] of entries.entries()) {
		const read = readEntry(entry.trim(), entries.length === 1);
		if (!read) return { refused: { kind: 'withdraw-address-malformed', variable, position: i + 1 } };
		const { name, address } = read;
		if (!isAddress(address)) return { refused: { kind: 'withdraw-address-invalid', variable, name, network } };
		if (isOurs(address)) return { refused: { kind: 'withdraw-address-ours', variable, name } };
		if (addresses.some((other) => other.name === name || isSameAddressOn(network, other.address, address)))
			return { refused: { kind: 'withdraw-address-doubled', variable, name } };
		addresses.push(read);
	}
	return { addresses };
}

function readEntry(text: string, isAlone: boolean): ConfiguredAddress | null {
	const { name = isAlone ? ALONE : undefined, address, cap } = ENTRY.exec(text)?.groups ?? {};
	if (name === undefined || address === undefined) return null;
	if (cap === undefined) return { name, address, capCents: null };
	const capCents = centsOf(cap);
	return capCents === null ? null : { name, address, capCents };
}

/** By the signer's own keys, and with what a day's withdrawals bring to each. */
export function withdrawalsOf(env: SignerEnv, journal: Journal, hotAddressOf: (network: NetworkName) => string) {
	const configured = (network: NetworkName): ConfiguredAddresses => {
		const hotAddress = hotAddressOf(network);
		return configuredAddresses(env, network, {
			isAddress: (text) => isAddressOn(env, network, text),
			isOurs: (text) => isOwnAddress(journal, network, hotAddress, text),
		});
	};
	/** `day`: UTC, `YYYY-MM-DD`. */
	const usedOn = (network: NetworkName, day: string): WithdrawalAddresses => {
		const found = configured(network);
		if ('refused' in found) return found;
		const used = (address: string) => journal.days.withdrawnTo(network, address, day);
		return { addresses: found.addresses.map((each) => ({ ...each, usedCents: used(each.address) })) };
	};
	return { configured, usedOn };
}
