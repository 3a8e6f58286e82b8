/**
 * `network check`: checks what must be true before coins move. It asks the nodes of both Workers, each through its own
 * connection, all at once. A node that does not answer in time does not delay the others.
 */
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { networkModeOrProblem, worldConflicts } from '../../chains/configuration.ts';
import { type NetworkCheck, WORLD_CHECK } from '../../chains/port.ts';
import { sealKeyProof, type Told, told } from '../../crypto/key-proof.ts';
import { keyRing, sealingKey } from '../../crypto/key-ring.ts';
import { logError } from '../../log.ts';
import { objectNamed } from '../../region.ts';
import type { Context, RunOf } from '../command.ts';
import type { network as topic } from '../topics/network.ts';

/** Longest wait for one Worker's answer on one network: each node that hangs takes 10 s to time out. */
const WAIT_MILLISECONDS = 35_000;
/** The detail of a network that is not configured. */
export const NOT_RUN = 'this deployment does not run it';
/** The check that a network without nodes answers with (`Chain.check`). */
const SANDBOX = 'sandbox';

export const checkNetworks: RunOf<typeof topic, 'check'> = async (context, { name }) => {
	const checks = await allChecks(context, name ? [name] : NETWORK_NAMES);
	return { problems: checks.filter(({ ok }) => !ok).length, checks };
};

/** Of the keys, and of these networks. */
export async function allChecks(context: Context, names: readonly NetworkName[]): Promise<Check[]> {
	const conflicts = worldConflicts(context.env).map(
		(detail): Check => ({ network: 'all', who: 'api', what: 'configuration', ok: false, detail }),
	);
	const [keys, ...networks] = await Promise.all([
		checkKeys(context),
		...names.map((each) => checkNetwork(context, each)),
	]);
	return [...conflicts, ...keys, ...networks.flat()];
}

export type Check = { readonly network: NetworkName | 'all'; readonly who: 'api' | 'signer' } & NetworkCheck;

/** What both Workers need before any network works: the keys that they share, and the signer's seed. */
async function checkKeys({ env }: Context): Promise<Check[]> {
	const row = (who: Check['who'], what: string, told: Told): Check =>
		'is' in told
			? { network: 'all', who, what, ok: true, detail: told.is }
			: { network: 'all', who, what, ok: false, detail: told.wrong };
	const own = await Promise.all(
		(['SECRETS_KEY', 'API_KEY_KEY'] as const).map(async (name) =>
			row('api', name, await told(() => `key ${sealingKey(keyRing(env, name), Date.now()).number}`)),
		),
	);
	const challenge = crypto.randomUUID();
	const mine = await sealKeyProof(env, challenge);
	try {
		const { seed, sealKey } = await env.SIGNER.identify(challenge);
		const fingerprint = 'is' in seed ? { is: `fingerprint ${seed.is}: it must be that of the words on paper` } : seed;
		return [...own, row('api', 'SEAL_KEY', sameKey(mine, sealKey)), row('signer', 'SEED', fingerprint)];
	} catch (error) {
		logError('signer_not_identified', error);
		const detail = `the signer does not answer: ${error instanceof Error ? error.message : String(error)}`;
		return [...own, row('signer', 'answer', { wrong: detail })];
	}
}

function sameKey(api: Told, signer: Told): Told {
	if ('wrong' in api) return api;
	if ('wrong' in signer) return { wrong: `the signer's ${signer.wrong}` };
	if (api.is === signer.is) return { is: 'the same in both Workers' };
	return {
		wrong:
			'it differs between the two Workers, so no address of the signer is shown and nothing is signed: set SEAL_KEY, ' +
			'SEAL_KEY_NUMBER, SEAL_KEY_NEXT and SEAL_KEY_PREVIOUS of both to the same values',
	};
}

async function checkNetwork({ env }: Context, network: NetworkName): Promise<Check[]> {
	const found = networkModeOrProblem(env, network);
	if ('problem' in found) return [{ network, who: 'api', what: 'configuration', ok: false, detail: found.problem }];
	const { mode } = found;
	if (!mode) {
		return [{ network, who: 'api', what: 'configuration', ok: true, detail: NOT_RUN }];
	}
	const [api, signer] = await Promise.all([
		answered(network, () => objectNamed(env, env.CHAIN_AGENT, network).check(network)),
		answered(network, () => env.SIGNER.check(network)),
	]);
	return [
		...api.map((check): Check => ({ network, who: 'api', ...check })),
		...signer.map((check): Check => ({ network, who: 'signer', ...requireAlike(mode.on, check) })),
	];
}

/** The checks, or one failed check where the Worker cannot be asked or does not answer in time. */
async function answered(network: NetworkName, ask: () => Promise<NetworkCheck[]>): Promise<NetworkCheck[]> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<NetworkCheck[]>((resolve) => {
		const detail = `no answer within ${WAIT_MILLISECONDS / 1000} s`;
		timer = setTimeout(() => resolve([{ what: 'answer', ok: false, detail }]), WAIT_MILLISECONDS);
	});
	try {
		return await Promise.race([ask(), late]);
	} catch (error) {
		logError('network_not_checked', error, { network });
		return [{ what: 'answer', ok: false, detail: error instanceof Error ? error.message : String(error) }];
	} finally {
		clearTimeout(timer);
	}
}

/** Both Workers must run a network on the same thing, nodes or an embedded ledger, or no payout is ever signed. */
function requireAlike(mode: 'nodes' | 'sandbox', check: NetworkCheck): NetworkCheck {
	if (check.what === WORLD_CHECK || (check.what === SANDBOX) === (mode === SANDBOX)) return check;
	const detail = `the signer runs it on ${check.what === SANDBOX ? SANDBOX : 'nodes'}, the API on ${mode}`;
	return { what: 'configuration', ok: false, detail: `${detail}: set the same NODE_URL_… for both, or for neither` };
}
