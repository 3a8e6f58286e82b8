/**
 * The keys of both Workers, and the nodes of each network: what `network check` finds, one row for all checks of a Worker
 * on a network.
 */
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { allChecks, type Check, NOT_RUN } from '../commands/network-check.ts';
import { fine, type Part, type Row, wrong } from './row.ts';

export const keysAndNodes: Part = async ({ context }) => {
	const checks = (await allChecks(context, NETWORK_NAMES)).filter(({ detail }) => detail !== NOT_RUN);
	const nodes = Map.groupBy(
		checks.filter(({ network }) => network !== 'all'),
		({ network, who }) => `${network} ${who}`,
	);
	const none = wrong('network', 'all', 'this deployment runs no network', 'set NODE_URL_<NETWORK> of both Workers');
	return [
		...checks.filter(({ network }) => network === 'all').map(keyRow),
		...(nodes.size > 0 ? [...nodes.values()].flatMap(networkRows) : [none]),
	];
};

function keyRow({ who, what, ok, detail }: Check): Row {
	if (what === 'configuration') return wrong('configuration', who, detail, 'unset the variable that it names');
	if (ok) return fine('keys', what, detail);
	if (what === 'answer') return wrong('keys', 'signer', detail, 'npx wrangler deploy -c src/signer/wrangler.toml');
	return wrong('keys', what, detail, `set ${what} again: book, operations, "Keys and secrets"`);
}

function networkRows(checks: readonly Check[]): Row[] {
	const [first] = checks;
	if (!first) return [];
	const { network, who } = first;
	const whose = `${network}, ${who === 'api' ? 'API' : who}`;
	const bad = checks.filter(({ ok }) => !ok);
	if (bad.length === 0) return [fine('network', whose, first.detail)];
	const detail = bad.map((check) => `${check.what}: ${check.detail}`).join('; ');
	return [wrong('network', whose, detail, `\`network check ${network}\` has every check`)];
}
