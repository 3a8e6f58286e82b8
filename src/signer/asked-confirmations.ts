/** Confirmations that the signer's own variables ask beyond the catalog (book: networks, "Confirmations"). */
import { NOT_RAISED, type Raised } from '../catalog/confirmations.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import type { SignerEnv } from './env.ts';

/** `20`, or `20 50000:60`: 20 blocks for every deposit, 60 with which more than 50 000 USD is on its way. */
const FORM = /^(\d{1,6})(?: (\d{1,9}):(\d{1,6}))?$/;

/** @throws ConfigurationError where the variable is malformed: then nothing is signed for deposits there */
export function askedConfirmations(env: SignerEnv, network: NetworkName): Raised {
	const name = `CONFIRMATIONS_${network.toUpperCase() as Uppercase<NetworkName>}` as const;
	const text = env[name];
	if (!text) return NOT_RAISED;
	const [, blocks, usd, above] = FORM.exec(text) ?? [];
	if (blocks === undefined) throw new ConfigurationError(`${name} is not like 20 or 20 50000:60`);
	const hasStep = usd !== undefined && above !== undefined;
	return {
		confirmations: Number(blocks),
		aboveUsd: hasStep ? Number(usd) : null,
		confirmationsAbove: hasStep ? Number(above) : null,
	};
}
