/** Connects the vault's calls with keys, caps, prices and nodes, by the signer's own configuration. */
import { NOT_RAISED, type Raised } from '../catalog/confirmations.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode } from '../chains/configuration.ts';
import { judgesOf } from '../chains/judges.ts';
import { lookOf } from '../chains/looking-registry.ts';
import type { Look } from '../chains/port.ts';
import type { ChainSigner } from '../chains/signing-port.ts';
import type { Keeping } from '../chains/watching-port.ts';
import { ConfigurationError, keyRing } from '../crypto/key-ring.ts';
import { cosignerOf } from '../link/cosigner.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { utcDay } from '../platform/time.ts';
import { currentPrices } from '../pricing/current-prices.ts';
import { dailyCaps } from './daily-caps.ts';
import type { SignerEnv } from './env.ts';
import type { Journal } from './journal/journal.ts';
import { keysOf } from './keys.ts';
import type { Looking } from './older-orders.ts';
import { loadPayoutsOf } from './payouts/claim.ts';
import { Persons } from './persons/persons.ts';
import { PriceWatch } from './price-watch.ts';
import type { Restored } from './restored.ts';
import type { Signing } from './signing.ts';
import { withdrawalsOf } from './withdrawals/addresses.ts';

const DEFAULT_RATE_TOLERANCE_BPS = '200';

/** @throws ConfigurationError on anything but whole basis points below 100 % */
function rateToleranceBps({ SIGNER_RATE_TOLERANCE_BPS: text = DEFAULT_RATE_TOLERANCE_BPS }: SignerEnv): number {
	if (/^\d{1,4}$/.test(text)) return Number(text);
	throw new ConfigurationError('SIGNER_RATE_TOLERANCE_BPS is not a whole number from 0 to 9999');
}

interface Wallets {
	readonly network: NetworkName;
	readonly signer: ChainSigner;
	/** The network, by the signer's own node. */
	readonly chain: Look;
}

export type Wiring = ReturnType<typeof wire>;

/** `keepingOf`: what a network's family keeps its book of coins with. */
export function wire(
	env: SignerEnv,
	journal: Journal,
	restored: Restored,
	keepingOf: (network: NetworkName) => Keeping,
) {
	const addressesBelow = (network: NetworkName) => journal.addresses.nextDerivedIndex([network]);
	const keys = keysOf(env, (on) => {
		const judges = judgesOf(env, on);
		return { keeping: keepingOf(on), addressesBelow: () => addressesBelow(on), ...(judges && { judges }) };
	});
	const caps = dailyCaps(env, journal.days);
	const prices = new PriceWatch((previous) => currentPrices(env, previous));
	const persons = new Persons({ env, confirmed: journal.confirmed, prices });

	function wallets(network: NetworkName): Wallets {
		const signer = keys.on(network);
		const look = lookOf(env, network, signer.hotAddress(), keepingOf(network));
		return { network, signer, chain: { ...look, ...signer.look } };
	}

	const chainOn = (network: NetworkName) => (networkMode(env, network) === null ? null : wallets(network).chain);

	const withdrawals = withdrawalsOf(env, journal, (network) => keys.on(network).hotAddress());

	/** For one transaction. @throws ConfigurationError where a key or the tolerance is wrong */
	function signing(network: NetworkName, now: number): Signing {
		const day = utcDay(now);
		return {
			...wallets(network),
			journal,
			isCosigner: env.judge === 'cosigner',
			restored,
			prices,
			now,
			day,
			sealKeys: keyRing(env, 'SEAL_KEY'),
			toleranceBps: rateToleranceBps(env),
			capRefusal: (purpose, cents) => caps.refusal(purpose, day, cents),
			chainOn,
			signerOn: (other) => (networkMode(env, other) === null ? null : keys.on(other)),
			payoutsOf: (orderIds) => loadPayoutsOf(databaseOf(env), orderIds),
			asked: (other) => askedConfirmations(env, other),
			withdrawalAddresses: () => withdrawals.usedOn(network, day),
			unconfirmed: (move) => persons.refusal(move),
		};
	}

	/** For what orders of before a restore were paid. @throws ConfigurationError as `signing` */
	const looking = (): Looking => ({
		db: databaseOf(env),
		restored,
		journal,
		sealKeys: keyRing(env, 'SEAL_KEY'),
		chainOn,
		withdrawalAddresses: (network) => (networkMode(env, network) === null ? null : withdrawals.configured(network)),
	});

	return { journal, keys, caps, persons, wallets, withdrawals, signing, looking, cosigner: cosignerOf(env) };
}

/** `20`, or `20 50000:60`: 20 blocks for every deposit, 60 with which more than 50 000 USD is on its way. */
const CONFIRMATIONS = /^(\d{1,6})(?: (\d{1,9}):(\d{1,6}))?$/;

/**
 * Confirmations that the signer's own variables ask for beyond the catalog (book: networks, "Confirmations").
 * @throws ConfigurationError where the variable is malformed: then nothing is signed for deposits there
 */
function askedConfirmations(env: SignerEnv, network: NetworkName): Raised {
	const name = `CONFIRMATIONS_${network.toUpperCase() as Uppercase<NetworkName>}` as const;
	const text = env[name];
	if (!text) return NOT_RAISED;
	const [, blocks, usd, above] = CONFIRMATIONS.exec(text) ?? [];
	if (blocks === undefined) throw new ConfigurationError(`${name} is not like 20 or 20 50000:60`);
	const hasStep = usd !== undefined && above !== undefined;
	return {
		confirmations: Number(blocks),
		aboveUsd: hasStep ? Number(usd) : null,
		confirmationsAbove: hasStep ? Number(above) : null,
	};
}
