/**
 * `network check`: checks what must be true before coins move. It asks the nodes of the agents Worker and of the signer, each
 * through its own connection, all at once. A node that does not answer in time does not delay the others.
 */
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { networkModeOrProblem, worldConflicts } from '../../chains/configuration.ts';
import { type NetworkCheck, WORLD_CHECK } from '../../chains/port.ts';
import { type Told, told } from '../../crypto/key-proof.ts';
import { sealingKey } from '../../crypto/key-ring.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { type Answered, askEach } from '../../treasury/each-network.ts';
import { hotAddressesOf, signersChecks } from '../asking.ts';
import type { Context, RunOf } from '../command.ts';
import { keeperOf, numbersOf } from '../env.ts';
import type { network as topic } from '../topics/network.ts';

/** Longest wait for the hot addresses: the checks come after it, and a command has its own limit. */
const SOON_MILLISECONDS = 5_000;
/** The detail of a network that is not configured. */
export const NOT_RUN = 'this deployment does not run it';
/** The check that a network without nodes answers with (`Chain.check`). */
const SANDBOX = 'sandbox';

export const checkNetworks: RunOf<typeof topic, 'check'> = async (context, { name }) => {
	const checks = await allChecks(context, name ? [name] : NETWORK_NAMES);
	return { problems: checks.filter(({ ok }) => !ok).length, checks };
};

export async function allChecks(context: Context, names: readonly NetworkName[]): Promise<Check[]> {
	const conflicts = worldConflicts(context.env).map(
		(detail): Check => ({ network: 'all', who: 'agents', what: 'configuration', ok: false, detail }),
	);
	const [keys, networks] = await Promise.all([checkKeys(context), checksOf(context, names)]);
	return [...conflicts, ...keys, ...networks];
}

export type Check = { readonly network: NetworkName | 'all'; readonly who: 'api' | 'agents' | 'signer' } & NetworkCheck;

/** The needs of the Workers before any network works: the keys that they share, and the signer's seed. */
async function checkKeys({ env }: Context): Promise<Check[]> {
	const row = (who: Check['who'], what: string, told: Told): Check =>
		'is' in told
			? { network: 'all', who, what, ok: true, detail: told.is }
			: { network: 'all', who, what, ok: false, detail: told.wrong };
	const own = await Promise.all(
		(['SECRETS_KEY', 'API_KEY_KEY'] as const).map(async (name) =>
			row('api', name, await told(() => `key ${sealingKey(numbersOf(env, name), Date.now()).number}`)),
		),
	);
	const challenge = crypto.randomUUID();
	const mine = await keeperOf(env).identify(challenge);
	const [agents, signer] = await Promise.all([
		identified('agents_not_asked', async () => env.AGENTS.identify(challenge)),
		identified('signer_not_identified', async () => env.SIGNER.identify(challenge)),
	]);
	const silent = [
		...('wrong' in agents ? [row('agents', 'answer', agents)] : []),
		...('wrong' in signer ? [row('signer', 'answer', signer)] : []),
	];
	if ('wrong' in agents || 'wrong' in signer) return [...own, ...silent];
	const { seed } = signer;
	const fingerprint = 'is' in seed ? { is: `fingerprint ${seed.is}: it must be that of the words on paper` } : seed;
	return [
		...own,
		row(
			'api',
			'DEPLOYMENT',
			sameName(mine.deployment, { 'agents Worker': agents.deployment, signer: signer.deployment }),
		),
		row('api', 'SEAL_KEY', sameKey(mine.sealKey, { 'agents Worker': agents.sealKey, signer: signer.sealKey })),
		row('signer', 'SEED', fingerprint),
	];
}

async function identified<T extends object>(
	event: 'agents_not_asked' | 'signer_not_identified',
	ask: () => Promise<T>,
): Promise<T | { readonly wrong: string }> {
	try {
		return await ask();
	} catch (error) {
		logError(event, error);
		const who = event === 'agents_not_asked' ? 'agents Worker' : 'signer';
		return { wrong: `the ${who} does not answer: ${error instanceof Error ? error.message : String(error)}` };
	}
}

type Others = Readonly<Record<string, Told>>;

/** The names of those that tell something else. */
const unlike = ({ is }: { readonly is: string }, others: Others): string[] =>
	Object.entries(others).flatMap(([who, told]) => ('is' in told && told.is !== is ? [who] : []));

function sameName(api: Told, others: Others): Told {
	if ('wrong' in api) return api;
	const [who] = unlike(api, others);
	if (who === undefined) return api;
	const other = others[who];
	return {
		wrong: `the API Worker is of the deployment ${api.is} and the ${who} of ${other && 'is' in other ? other.is : ''}, so no seal of one holds in the other: set DEPLOYMENT of both to the same name`,
	};
}

function sameKey(api: Told, others: Others): Told {
	if ('wrong' in api) return api;
	for (const [who, told] of Object.entries(others)) if ('wrong' in told) return { wrong: `the ${who}'s ${told.wrong}` };
	const [who] = unlike(api, others);
	if (who === undefined) return { is: 'the same in each Worker that has it' };
	return {
		wrong:
			`it differs between the API Worker and the ${who}, so no address of the signer is shown and nothing is signed: ` +
			'set SEAL_KEY, SEAL_KEY_NUMBER, SEAL_KEY_NEXT and SEAL_KEY_PREVIOUS of each to the same values',
	};
}

async function checksOf({ env }: Context, names: readonly NetworkName[]): Promise<Check[]> {
	const found = names.map((name) => ({ name, ...networkModeOrProblem(env, name) }));
	const running = found.flatMap((one) => ('mode' in one && one.mode ? [{ name: one.name, on: one.mode.on }] : []));
	const networks = running.map(({ name }) => name);
	const [own, signers] = await Promise.all([agentsChecks(env, networks), signersChecks(env.SIGNER, networks)]);
	const checked = new Map(
		running.map(({ name, on }, i): [NetworkName, Check[]] => [
			name,
			[
				...rowsOf(name, own[i]).map((check): Check => ({ network: name, who: 'agents', ...check })),
				...rowsOf(name, signers[i]).map(
					(check): Check => ({ network: name, who: 'signer', ...requireAlike(on, check) }),
				),
			],
		]),
	);
	return found.flatMap((one) => {
		const row = { network: one.name, who: 'agents', what: 'configuration' } as const;
		if ('problem' in one) return [{ ...row, ok: false, detail: one.problem }];
		return checked.get(one.name) ?? [{ ...row, ok: true, detail: NOT_RUN }];
	});
}

/** The agents are told their hot addresses: each would ask the signer for its own, which it does where it is told none. */
async function agentsChecks(env: Context['env'], networks: readonly NetworkName[]) {
	const { known } = await hotAddressesOf(env.SIGNER, networks, SOON_MILLISECONDS);
	return askEach(networks, (network) => objectNamed(env, env.CHAIN_AGENT, network).check(network, known.get(network)));
}

/** The checks, or one failed check where the Worker cannot be asked or does not answer in time. */
function rowsOf(network: NetworkName, answered?: Answered<NetworkCheck[]>): readonly NetworkCheck[] {
	if (answered && 'is' in answered) return answered.is;
	const detail = answered?.wrong ?? 'no answer';
	logError('network_not_checked', detail, { network });
	return [{ what: 'answer', ok: false, detail }];
}

/** The agents Worker and the signer must run a network on the same thing, nodes or an embedded ledger, or no payout is ever signed. */
function requireAlike(mode: 'nodes' | 'sandbox', check: NetworkCheck): NetworkCheck {
	if (check.what === WORLD_CHECK || (check.what === SANDBOX) === (mode === SANDBOX)) return check;
	const detail = `the signer runs it on ${check.what === SANDBOX ? SANDBOX : 'nodes'}, the agents Worker on ${mode}`;
	return { what: 'configuration', ok: false, detail: `${detail}: set the same NODE_URL_… for both, or for neither` };
}
