/** Conditions that hold before coins move, by the signer's own nodes, keys and configuration. */
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode, worldConflicts } from '../chains/configuration.ts';
import { checked } from '../chains/node-checks.ts';
import { type NetworkCheck, WORLD_CHECK } from '../chains/port.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { cosignerChecks } from './cosigned.ts';
import type { SignerEnv } from './env.ts';
import { sameHot } from './hot-wallet.ts';
import type { Wiring } from './wiring.ts';

/** `refusals`: why nothing may be signed, where something says so. */
export async function checksOf(
	env: SignerEnv,
	wiring: Wiring,
	network: NetworkName,
	refusals: readonly (SignerRefusal | null)[],
): Promise<NetworkCheck[]> {
	const { signer, chain } = wiring.wallets(network);
	const nodes = await chain.check();
	const signing = (await signer.check?.()) ?? [];
	const caps = networkMode(env, network)?.on === 'nodes' ? [wiring.caps.check()] : [];
	const wrong = refusals.flatMap((refusal) => (refusal ? [refusalText(refusal)] : []));
	const hot = await checked('hot wallet', async () => [true, sameHot(env, wiring, network) ?? '']);
	const worlds = [...wrong, ...worldConflicts(env)];
	const cosigner = await cosignerChecks(wiring.cosigner, network);
	return [
		...nodes,
		...signing,
		...cosigner,
		...caps,
		...(hot.ok ? [] : [hot]),
		...worlds.map((detail) => ({ what: WORLD_CHECK, ok: false, detail })),
	];
}

/** Why nothing can be signed: the cap is not set, or a key is wrong. Null if it can. */
export const notReady = async ({ caps, keys }: Wiring): Promise<SignerRefusal | null> =>
	caps.unset() ?? (await keys.refusal());
