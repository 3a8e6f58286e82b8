/**
 * The keys of the Workers, and the nodes of each network: what `network check` finds, one row for all checks of a Worker
 * on a network. And whether persons are asked for their passkeys before the reserve moves.
 */
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { worldOf } from '../../chains/configuration.ts';
import { allChecks, type Check, NOT_RUN } from '../commands/network-check.ts';
import { fine, type Part, type Row, unknown, wrong } from './row.ts';

export const keysAndNodes: Part = async ({ context }) => {
	const checks = (await allChecks(context, NETWORK_NAMES)).filter(({ detail }) => detail !== NOT_RUN);
	const nodes = checks.filter(({ network }) => network !== 'all');
	const groups = [...Map.groupBy(nodes, ({ network, who }) => `${network} ${who}`).values()];
	const isWell = (group: readonly Check[]) => group.every(({ ok }) => ok);
	const none = wrong(
		'network',
		'all',
		'this deployment runs no network',
		'set NODE_URL_<NETWORK> of the agents Worker and of the signer',
	);
	return [
		...checks.filter(({ network }) => network === 'all').map(keyRow),
		...(groups.length > 0 ? [] : [none]),
		...groups.filter((group) => !isWell(group)).flatMap(badRow),
		...wellRows(groups.filter(isWell)),
	];
};

/** Networks of which the same is said share a row: all that are on the sandbox. */
function wellRows(groups: readonly (readonly Check[])[]): Row[] {
	const firsts = groups.flatMap(([first]) => (first ? [first] : []));
	return [...Map.groupBy(firsts, ({ who, detail }) => `${who} ${detail}`).values()].flatMap((alike) => {
		const names = alike.map(({ network }) => network).join(', ');
		return alike.slice(0, 1).map(({ who, detail }) => fine('network', `${nameOf(who)}: ${names}`, detail));
	});
}

const NAMES = { api: 'API', agents: 'agents Worker', signer: 'signer' } as const satisfies Record<Check['who'], string>;

const nameOf = (who: Check['who']): string => NAMES[who];

function keyRow({ who, what, ok, detail }: Check): Row {
	if (what === 'configuration') return wrong('configuration', who, detail, 'unset the variable that it names');
	if (ok) return fine('keys', what, detail);
	if (what === 'answer') return wrong('keys', nameOf(who), detail, `npx exchange deploy ${who}`);
	return wrong('keys', what, detail, `set ${what} again: book, deploy, "Keys and secrets"`);
}

function badRow(checks: readonly Check[]): Row[] {
	const detail = checks.flatMap((check) => (check.ok ? [] : [`${check.what}: ${check.detail}`])).join('; ');
	return checks
		.slice(0, 1)
		.map(({ network, who }) =>
			wrong('network', `${nameOf(who)}: ${network}`, detail, `\`network check ${network}\` has every check`),
		);
}

const WHAT = ['keys', 'passkeys'] as const;
const TODO =
	'`passkey NAME` makes the entry; then npx wrangler secret put OPERATOR_PASSKEYS -c src/signer/wrangler.toml';

export const passkeys: Part = async ({ context: { env }, signer }) => {
	const { state } = await signer();
	if (!state.passkeys)
		return [unknown(...WHAT, 'OPERATOR_PASSKEYS of the signer is malformed, so nothing is confirmed', TODO)];
	const { persons, passkeys: count, twoAboveUsd } = state.passkeys;
	if (persons === 0) {
		const nobody = 'no person is asked: the operator’s token alone moves the reserve';
		return [worldOf(env) === 'main' ? wrong(...WHAT, nobody, TODO) : fine(...WHAT, nobody)];
	}
	if (twoAboveUsd !== null && persons < 2)
		return [
			wrong(
				...WHAT,
				`two persons are asked above ${twoAboveUsd} USD, and there is one`,
				'`passkey NAME` makes the entry of another person',
			),
		];
	const above = twoAboveUsd === null ? '' : `, two of them above ${twoAboveUsd} USD`;
	return [fine(...WHAT, `${persons} ${persons === 1 ? 'person' : 'persons'} with ${count} in all are asked${above}`)];
};
